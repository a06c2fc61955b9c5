"""What a contribution of rows is worth, and to whom: in double precision, and rounded.

    python -m benchmarks.attacks.worth [SET ...] > benchmarks/results/worth.csv

A study with its defaults: columns scaled by their spreads, half of the dimensions, a rotation, a
gaussian anchor; *rounded*, each party makes steps coarser until what it sends of a row holds less
than the row. The attacks are those of the audit that need least, on the party's own rows; shares of
rows are beyond what wrong knowledge gives.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from benchmarks.problems import Array
from consilience.collaboration.audit.contribution import audit_collaboration
from consilience.collaboration.audit.scene import Setting
from consilience.collaboration.federation import public_ranges
from consilience.collaboration.rounding import Rounding
from consilience.datasets.patients import patients
from consilience.privacy.audits.finding import Finding

__all__ = ["SETS", "measure", "read"]

SETS = ("patients", "wine", "diabetes", "breast cancer")
ROUNDINGS: dict[str, Rounding | None] = {"double precision": None, "rounded": "auto"}
SHOWN = (
    *("linkage by shape", "known rows, decoded", "collusion", "collusion with all contributions"),
    *("collusion with prior", "decoding"),
)
N_REPEATS = 2
HEADER = "data,columns,kept,sent,attack,members,typical R2,best column R2,exact,recognised,grade"


def read(name: str) -> Array:
    """Return the rows of a table that comes with the package or with scikit-learn."""
    if name == "patients":
        return patients(400, random_state=0).to_numpy(float)
    if name == "diabetes":
        return np.asarray(load_diabetes(scaled=False).data)
    return np.asarray((load_wine if name == "wine" else load_breast_cancer)().data)


def measure(X: Array, rounding: Rounding | None) -> Iterator[Finding]:
    """Audit a table under the terms of a default study, and yield the attacks that are shown."""
    setting = Setting(
        scaling="spread",
        ranges=public_ranges(X, "spread"),
        n_components=(X.shape[1] + 1) // 2,
        rotate=True,
        rounding=rounding,
    )
    bounds = X.min(axis=0), X.max(axis=0)
    audit = audit_collaboration(X, bounds, setting, n_repeats=N_REPEATS, seed=0)
    found = {finding.attack: finding for finding in audit.findings}
    yield from (found[name] for name in SHOWN)


def main(names: Sequence[str]) -> None:
    """Print a line for each set, what is sent, and each attack."""
    print(HEADER)
    for name in names or SETS:
        X = read(name)
        for sent, rounding in ROUNDINGS.items():
            for f in measure(X, rounding):
                figures = f.figures
                shown = [
                    "" if figures.get(key) is None else f"{figures[key]:.3f}"
                    for key in ("typical column", "worst column", "exact rows", "recognised rows")
                ]
                kept = (X.shape[1] + 1) // 2
                cells = [name, X.shape[1], kept, sent, f'"{f.attack}"', f.size, *shown, f.level]
                print(",".join(map(str, cells)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

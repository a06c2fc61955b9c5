"""Agreement and collusion at several default numbers of dimensions, 5 x 2 institutions.

    python -m benchmarks.attacks.dimensions DATA TRIALS [SET ...]

The same path as the *Defaults* of ``consilience bench attacks``; writes CSV to stdout. The share is
of paper mode's mean agreement, in the same units.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

from benchmarks.attacks.defaults import DEFAULT, DEFAULT_SETS, PAPER, Deal, in_units

SHARES = {"paper mode": None, "1/2": 1 / 2, "0.6": 0.6, "2/3": 2 / 3, "3/4": 3 / 4}


def measure(deal: Deal, share: float | None) -> list[float]:
    """Return agreement with pooled, and median R2 and top-1 of the best collusion."""
    counts = [max(1, len(c) - 1) for c in deal.columns]
    if share is not None:
        wanted = [math.ceil(share * len(c) - 1e-9) for c in deal.columns]
        counts = [min(pair) for pair in zip(counts, wanted, strict=True)]
    terms = PAPER if share is None else DEFAULT
    return [value for _, value in deal.measure(("", "", ""), terms, counts)]


def main(data: str, trials: str, *sets: str) -> None:
    """Measure and print."""
    print("data,units,dimensions,trials,ARI with pooled,share of paper mode,median R2,top-1")
    for name in sets or DEFAULT_SETS:
        tables, k = in_units(name, Path(data))
        for units, X in zip(("table", "bounds"), tables, strict=True):
            deals = [Deal(X, k, seed) for seed in range(int(trials))]
            runs = {
                label: np.mean([measure(deal, share) for deal in deals], axis=0)
                for label, share in SHARES.items()
            }
            for label, (ari, r2, top1) in runs.items():
                whole = ari / runs["paper mode"][0]
                figures = f"{ari:.3f},{whole:.3f},{r2:.3f},{top1:.3f}"
                print(f"{name},{units},{label},{trials},{figures}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

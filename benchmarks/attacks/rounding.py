"""What leaves is rounded: rows decoded exactly against agreement, step by step.

    python -m benchmarks.attacks.rounding DATA [SET ...] > benchmarks/results/rounding.csv

A study with its defaults, three institutions with a third of the rows each: columns scaled by
public bounds, principal axes, a rotation, a gaussian anchor. What an institution sends of rows and
anchor is rounded to ``2**-bits`` of the spread of each coordinate; ``none`` is double precision.
The first is attacked by the analyst and the second, which holds the anchor and rows alike. A cell
is a variable of a row, all its categories together; a skill is the share of what guessing the most
common value gets wrong that the attacker gets right, of the variable for which that is largest.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

from benchmarks.problems import Array
from consilience.collaboration.alignment import align
from consilience.collaboration.audit.scene import Setting
from consilience.collaboration.clustering import kmeans
from consilience.datasets import load
from consilience.datasets.patients import patients
from consilience.metrics import agreement
from consilience.privacy.audits.collusion import invert_with_prior
from consilience.privacy.audits.exact_rows import decode_with_anchor
from consilience.privacy.audits.scores import column_r2

SETS = (
    *("patients", "wine", "diabetes", "breast cancer", "digits", "heart-statlog", "cmc", "abalone"),
    *("pendigits", "rice", "nursery", "dry_bean", "yeast", "credit-g", "bank-marketing"),
    *("mushroom", "adult"),
)
BITS = (None, 24, 20, 16, 12, 10, 8, 6, 5, 4, 3, 2, 1)
KEPT = {"1/2": 2, "1/4": 4}
MAX_ROWS = 3_000
N_ATTACKED = 300
TRIALS = 5
WIDE = 40
"""Tables with more columns are attacked once, others twice."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table as a study encodes it, the columns of each variable, and how many groups it has."""

    X: Array
    variables: list[list[int]]
    n_clusters: int

    @property
    def groups(self) -> list[list[int]]:
        """Columns that are the categories of one variable."""
        return [columns for columns in self.variables if len(columns) > 1]

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest value of each column, in the place of public bounds."""
        return self.X.min(axis=0), self.X.max(axis=0)


def read(name: str, data: Path) -> Table:
    """Return a table by its name; text becomes one column per category."""
    shipped = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
    if name == "patients":
        return _encode(patients(1_200, random_state=0), 3)
    if name == "diabetes":
        return _encode(pd.DataFrame(load_diabetes(scaled=False).data), 3)
    if name in shipped:
        source = shipped[name]()
        return _encode(pd.DataFrame(source.data), len(source.target_names))
    dataset = load(name, data=data)
    return _encode(dataset.frame.dropna(), min(10, len(dataset.class_names)))


def _encode(frame: pd.DataFrame, n_clusters: int) -> Table:
    frame = frame.sample(min(MAX_ROWS, len(frame)), random_state=0)
    parts, variables, start = [], [], 0
    for name in frame.columns:
        column = frame[name]
        if column.nunique() < 2:
            continue
        if pd.api.types.is_numeric_dtype(column):
            part = column.to_numpy(dtype=np.float64)[:, None]
        else:
            part = pd.get_dummies(column.astype(str)).to_numpy(dtype=np.float64)
        parts.append(part)
        variables.append(list(range(start, start + part.shape[1])))
        start += part.shape[1]
    return Table(np.hstack(parts), variables, n_clusters)


class Trial:
    """One study, before anything is rounded."""

    def __init__(self, table: Table, n_kept: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        setting = Setting(n_components=n_kept, scaling="bounds", rotate=True)
        self.table, self.seed = table, seed
        self.parts = np.array_split(rng.permutation(len(table.X)), 3)
        self.anchor = setting.draw_anchor(table.bounds, rng)
        maps = [setting.fit_reduction(table.X[rows], table.bounds, rng) for rows in self.parts]
        self.sent = [f.transform(table.X[rows]) for f, rows in zip(maps, self.parts, strict=True)]
        self.anchors = [f.transform(self.anchor) for f in maps]
        lower, upper = table.bounds
        plain = ((table.X - lower) / (upper - lower))[np.concatenate(self.parts)]
        self.pooled, _ = kmeans(plain, table.n_clusters, seed)

    def rounded(self, bits: int | None) -> tuple[list[Array], list[Array], float]:
        """Return rows and anchors as they leave, and the median step."""
        if bits is None:
            return self.sent, self.anchors, 0.0
        steps = [2.0**-bits * rows.std(axis=0) for rows in self.sent]
        both = [
            [np.rint(Z / step) * step for Z, step in zip(part, steps, strict=True)]
            for part in (self.sent, self.anchors)
        ]
        return both[0], both[1], float(np.median(steps[0]))

    def agree(self, sent: list[Array], anchors: list[Array]) -> float:
        """Return how far the clusters agree with those of the pooled rows."""
        maps = align(anchors)
        together = np.vstack([g.apply(rows) for g, rows in zip(maps, sent, strict=True)])
        return agreement(kmeans(together, self.table.n_clusters, self.seed)[0], self.pooled)

    def attack(self, sent: Array, anchor_sent: Array) -> dict[str, float]:
        """Let the analyst and the second institution attack rows of the first."""
        table, n = self.table, min(N_ATTACKED, len(self.parts[0]))
        X, like = table.X[self.parts[0][:n]], table.X[self.parts[1]]
        found = decode_with_anchor(
            self.anchor, anchor_sent, sent[:n], table.bounds, like, table.groups
        )
        right = _by_variable(np.isclose(found.rows, X, rtol=0, atol=1e-6), table)
        values, counts = zip(*(np.unique(c, return_counts=True) for c in like.T), strict=True)
        common = np.array([v[c.argmax()] for v, c in zip(values, counts, strict=True)])
        guessed = _by_variable(common == X, table)
        moments = like.mean(axis=0), np.cov(like.T)
        guess = invert_with_prior(self.anchor, anchor_sent, sent[:n], *moments)
        varied = np.ptp(X, axis=0) > 0
        r2 = column_r2(X[:, varied], guess[:, varied])
        missed = np.maximum(1 - guessed.mean(axis=0), 1 / n)
        return {
            "rows exact": float(right.all(axis=1).mean()),
            "rows known": float(found.known.mean()),
            "known wrong": float((found.known & ~right.all(axis=1)).mean()),
            "cells exact": float(right.mean()),
            "cells by mode": float(guessed.mean()),
            "best skill": float(((right.mean(axis=0) - guessed.mean(axis=0)) / missed).max()),
            "median R2": float(np.median(r2)),
            "best R2": float(r2.max()),
        }


def _by_variable(right: np.ndarray, table: Table) -> np.ndarray:
    return np.stack([right[:, columns].all(axis=1) for columns in table.variables], axis=1)


def measure(name: str, data: Path) -> Iterator[dict[str, object]]:
    """Yield one row of the result per share kept and step."""
    table = read(name, data)
    m = table.X.shape[1]
    for kept, divisor in KEPT.items():
        n_kept = (m + divisor - 1) // divisor
        trials = [Trial(table, n_kept, seed) for seed in range(TRIALS)]
        exact = np.mean([t.agree(t.sent, t.anchors) for t in trials])
        for bits in BITS:
            rounded = [t.rounded(bits) for t in trials]
            agreed = np.mean([t.agree(*r[:2]) for t, r in zip(trials, rounded, strict=True)])
            n_attacks = 1 if m > WIDE else 2
            attacks = [
                t.attack(r[0][0], r[1][0])
                for t, r in zip(trials[:n_attacks], rounded, strict=False)
            ]
            yield {
                "data": name,
                "columns": m,
                "dimensions": n_kept,
                "kept": kept,
                "bits": "none" if bits is None else bits,
                "step": rounded[0][2],
                "ARI with pooled": agreed,
                "change": agreed - exact,
                **{key: float(np.mean([a[key] for a in attacks])) for key in attacks[0]},
            }


def main(data: str, *sets: str) -> None:
    """Measure and print, row by row."""
    for place, name in enumerate(sets or SETS):
        for row_place, row in enumerate(measure(name, Path(data))):
            frame = pd.DataFrame([row])
            text = frame.to_csv(index=False, header=not (place or row_place), float_format="%.5g")
            print(text, end="", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What leaves is rounded: rows decoded exactly against agreement, step by step.

    python -m benchmarks.attacks.rounding DATA [SET[:KEPT] ...] > benchmarks/results/rounding.csv

All sets, each with half of its variables, unless some are named; ``cmc:3`` keeps three. A study
with its defaults, three institutions with a third of the rows each: columns scaled by public
spreads, principal axes, a rotation, a gaussian anchor, alignment by the population. The roles are
those of every study; an institution rounds what it sends of rows and anchor to a share of the
spread of its coordinates; ``none`` is double precision, and with ``auto`` it chooses the share, by
what a row of its own holds. The first is attacked by the analyst and the second, which holds the
anchor and rows alike; *exact by known rows* is the analyst alone, with a row more than columns of
the first learnt elsewhere. A cell is a variable of a row, all its categories together; a skill is
the share of what guessing the most common value gets wrong that the attacker gets right, of the
variable for which that is largest. Spare bits are what is sent of a row beyond what the row holds.
Bytes are those of a row in a contribution, its pseudonym included. How many bits ``auto`` leaves
out was chosen by the sets of the first half and is reported on those of the other.
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
from consilience.collaboration.analyst import Analyst
from consilience.collaboration.anchors.keyed import SPREAD
from consilience.collaboration.audit.scene import Setting
from consilience.collaboration.party import Party
from consilience.collaboration.rounding import Rounding
from consilience.datasets import load
from consilience.datasets.patients import patients
from consilience.kmeans import kmeans
from consilience.messages import PSEUDONYM_BYTES, Contribution
from consilience.metrics import agreement
from consilience.privacy.audits.collusion import invert_with_prior
from consilience.privacy.audits.decoding import Decoded, spare_bits
from consilience.privacy.audits.exact_rows import (
    decode_with_anchor,
    decode_with_known_rows,
    expected_rows,
)
from consilience.privacy.audits.forward_map import learn_forward_map
from consilience.privacy.audits.possible_rows import PossibleRows
from consilience.privacy.audits.scores import column_r2, exact_rows

CHOSEN_ON = (
    *("patients", "wine", "diabetes", "breast cancer", "digits", "heart-statlog", "cmc", "abalone"),
)
REPORTED_ON = (
    *("pendigits", "rice", "nursery", "dry_bean", "yeast", "credit-g", "bank-marketing"),
    *("mushroom", "adult"),
)
SHARES: tuple[Rounding | None, ...] = (None, "auto", 2**-6, 2**-4)
MAX_ROWS = 3_000
N_ATTACKED = 300
N_BY_KNOWN = 100
TRIALS = 48
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

    @property
    def spread(self) -> Array:
        """Spread of each variable, in the place of public ones: its categories count together."""
        variance = self.X.var(axis=0)
        for columns in self.variables:
            variance[columns] = variance[columns].sum()
        return np.asarray(np.sqrt(variance))

    @property
    def ranges(self) -> tuple[Array, Array]:
        """Where columns usually lie, by which they are scaled and in which the anchor is drawn."""
        middle, reach = np.median(self.X, axis=0), SPREAD / 2 * self.spread
        return middle - reach, middle + reach


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
    """One study, told how coarsely to round."""

    def __init__(self, table: Table, n_kept: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.table, self.n_kept, self.seed = table, n_kept, seed
        self.parts = np.array_split(rng.permutation(len(table.X)), 3)
        self.anchor = Setting().draw_anchor(table.ranges, rng)
        plain = (table.X / table.spread)[np.concatenate(self.parts)]
        self.pooled, _ = kmeans(plain, table.n_clusters, seed)

    def contribute(self, rounding: Rounding | None) -> list[Contribution]:
        """Return what the institutions send."""
        sent = []
        for i, rows in enumerate(self.parts):
            party = Party(
                f"{i}/all",
                self.anchor,
                n_components=self.n_kept,
                scaling="spread",
                bounds=self.table.ranges,
                rotate=True,
                rounding=rounding,
                groups=self.table.groups,
                rng=np.random.default_rng([self.seed, i]),
            )
            (message,) = party.begin(self.table.X[rows])
            assert isinstance(message, Contribution)
            sent.append(message)
        return sent

    def agree(self, sent: list[Contribution]) -> float:
        """Return how far the clusters agree with those of the pooled rows."""
        analyst = Analyst(
            ["0", "1", "2"],
            ["all"],
            n_clusters=self.table.n_clusters,
            seed=self.seed,
            target="population",
        )
        for message in sent:
            analyst.receive(message)
        return agreement(analyst.partition.labels, self.pooled)

    def attack(self, message: Contribution) -> dict[str, float]:
        """Let the analyst and the second institution attack rows of the first."""
        table, n = self.table, min(N_ATTACKED, len(self.parts[0]))
        sent, anchor_sent = message.rows, message.anchor_rows
        steps = np.zeros(sent.shape[1]) if message.steps is None else message.steps
        X, like = table.X[self.parts[0][:n]], table.X[self.parts[1]]
        found = decode_with_anchor(
            self.anchor, anchor_sent, sent[:n], table.bounds, like, table.groups
        )
        either = [np.isclose(guess, X, rtol=0, atol=1e-6) for guess in (found.rows, found.nearest)]
        exact = np.asarray(either[0].all(axis=1) | either[1].all(axis=1))
        right = _by_variable(np.where(found.known[:, None], *either), table)
        values, counts = zip(*(np.unique(c, return_counts=True) for c in like.T), strict=True)
        common = np.array([v[c.argmax()] for v, c in zip(values, counts, strict=True)])
        guessed = _by_variable(common == X, table)
        moments = like.mean(axis=0), np.cov(like.T)
        guess = invert_with_prior(self.anchor, anchor_sent, sent[:n], *moments)
        varied = np.ptp(X, axis=0) > 0
        r2 = column_r2(X[:, varied], guess[:, varied])
        missed = np.maximum(1 - guessed.mean(axis=0), 1 / n)
        f = learn_forward_map(self.anchor, anchor_sent)
        possible = PossibleRows.seen_in(like, *table.bounds, table.groups)
        return {
            "spare bits": spare_bits(f, possible, *expected_rows(like)),
            "rows exact": share_decoded(X, found),
            "exact by known rows": self.know(X, sent[:n], steps),
            "rows known": float(found.known.mean()),
            "known wrong": float((found.known & ~exact).mean()),
            "cells exact": float(right.mean()),
            "cells by mode": float(guessed.mean()),
            "best skill": float(((right.mean(axis=0) - guessed.mean(axis=0)) / missed).max()),
            "median R2": float(np.median(r2)),
            "best R2": float(r2.max()),
        }

    def know(self, X: Array, sent: Array, steps: Array) -> float:
        """Let the analyst attack alone, who knows one row more than there are columns."""
        n_known = X.shape[1] + 1
        if len(X) < 2 * n_known:
            return float("nan")
        known, rest = slice(n_known), slice(n_known, n_known + N_BY_KNOWN)
        found = decode_with_known_rows(
            X[known], sent[known], sent[rest], self.table.bounds, self.table.groups, steps
        )
        return max(exact_rows(X[rest], guess) for guess in (found.rows, found.nearest))


def share_decoded(X: Array, found: Decoded) -> float:
    """Return the share of rows decoded; what is not certain is bet on, and either way counts."""
    either = [np.isclose(guess, X, rtol=0, atol=1e-6) for guess in (found.rows, found.nearest)]
    exact = np.asarray(either[0].all(axis=1) | either[1].all(axis=1))
    return exact_rows(X, np.where(exact[:, None], X, found.nearest))


def _by_variable(right: np.ndarray, table: Table) -> np.ndarray:
    return np.stack([right[:, columns].all(axis=1) for columns in table.variables], axis=1)


def _share(message: Contribution) -> float:
    """Return the step as a share of the spread, in the middle of the coordinates."""
    assert message.steps is not None
    return float(np.median(message.steps / message.rows.std(axis=0)))


def measure(name: str, data: Path, n_kept: int | None = None) -> Iterator[dict[str, object]]:
    """Yield one row of the result per share, half of the variables kept if nothing is said."""
    table = read(name, data)
    m = table.X.shape[1]
    half = "chosen on" if name in CHOSEN_ON else "reported on"
    n_kept = (len(table.variables) + 1) // 2 if n_kept is None else n_kept
    trials = [Trial(table, n_kept, seed) for seed in range(TRIALS)]
    exact: list[float] = []
    for share in SHARES:
        sent = [trial.contribute(share) for trial in trials]
        agreed = [t.agree(s) for t, s in zip(trials, sent, strict=True)]
        exact = exact or agreed
        change = np.subtract(agreed, exact)
        n_attacks = 1 if m > WIDE else 2
        attacks = [t.attack(s[0]) for t, s in zip(trials[:n_attacks], sent, strict=False)]
        yield {
            "data": name,
            "half": half,
            "columns": m,
            "dimensions": n_kept,
            "share": "none" if share is None else share,
            "step": 0.0 if share is None else float(np.mean([_share(s[0]) for s in sent])),
            "bytes": n_kept * sent[0][0].representation.itemsize + PSEUDONYM_BYTES,
            "ARI with pooled": np.mean(agreed),
            "change": change.mean(),
            "error": change.std(ddof=1) / np.sqrt(TRIALS),
            **{key: float(np.mean([a[key] for a in attacks])) for key in attacks[0]},
        }


def main(data: str, *sets: str) -> None:
    """Measure and print, row by row."""
    for place, told in enumerate(sets or CHOSEN_ON + REPORTED_ON):
        name, _, kept = told.partition(":")
        rows = measure(name, Path(data), int(kept) if kept else None)
        for row_place, row in enumerate(rows):
            frame = pd.DataFrame([row])
            text = frame.to_csv(index=False, header=not (place or row_place), float_format="%.5g")
            print(text, end="", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What the defaults of a new study cost and buy, against paper mode and with noise on top."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.attacks.defences import half_of
from benchmarks.attacks.studies import noise_within
from benchmarks.tables import Trials
from consilience import CollaborationClustering
from consilience.collaboration.attacks import attacks_on
from consilience.collaboration.reduction import default_n_components
from consilience.collaboration.scene import Terms, stage
from consilience.datasets import load, split_columns, split_rows
from consilience.metrics import agreement
from consilience.privacy.audits import count_columns, score

__all__ = ["DEFAULT_SETS", "NOISY_TRIALS", "attack_party", "default_table", "measure_defaults"]

Array = npt.NDArray[np.float64]

DEFAULT_SETS = (
    "iris",
    "wine",
    "breast cancer",
    "digits",
    "heart-statlog",
    "rice",
    "banknote",
    "phoneme",
    "pendigits",
    "dry bean",
)
"""Sets on which the defaults are compared with paper mode."""
EPSILON = 100.0
NOISY_TRIALS = 5
"""Trials with noise, at most: a vetted library takes its time for each value."""


def measure_defaults(measured: Trials, data: Path | None, seed: int) -> None:
    """Compare a new study's defaults with paper mode: 5 x 2 institutions, k-means.

    Each in the units of the table and scaled by the bounds; pooled k-means has the same units.
    Scaled by the bounds, as a new study is, the default is also measured with calibrated noise.
    """
    for name in DEFAULT_SETS:
        table, k = default_table(name, data)
        width = np.ptp(table, axis=0)
        scaled = (table - table.min(axis=0)) / np.where(width > 0, width, 1.0)
        for units, X in (("", table), (", scaled by bounds", scaled)):
            deal = Deal(X, k, seed)
            paper = Terms(anchor="uniform", n_anchor=len(X))
            deal.measure(measured, ("Defaults", name, f"paper mode{units}"), paper)
            deal.measure(measured, ("Defaults", name, f"default{units}"), Terms(rotate=True))
            if units and seed < NOISY_TRIALS:
                setting = f"default, epsilon {EPSILON:g} per row{units}"
                terms = Terms(rotate=True)
                deal.measure(measured, ("Defaults", name, setting), terms, epsilon=EPSILON)


@dataclass
class Deal:
    """A table dealt to five row institutions and two column groups, and its pooled clusters."""

    X: Array
    n_clusters: int
    seed: int

    def __post_init__(self) -> None:
        n, m = self.X.shape
        self.parties = split_rows(n, 5, random_state=self.seed)
        self.columns = split_columns(m, 2, random_state=self.seed)
        pooled = KMeans(self.n_clusters, n_init=10, random_state=self.seed)
        self.pooled = pooled.fit_predict(self.X)

    def measure(
        self,
        measured: Trials,
        cell: tuple[str, str, str],
        terms: Terms,
        epsilon: float | None = None,
    ) -> None:
        """Record agreement with pooled, and what collusion gets of one party.

        With uniform anchors, as the papers have them, m - 1 dimensions are kept, otherwise half.
        Noise is that of a contribution: on the rows of each column group, epsilon for a record.
        """
        choose = default_n_components if terms.anchor == "uniform" else half_of
        counts = [choose(len(c)) for c in self.columns]
        X, part = self.X, self.X[:, self.columns[0]]
        if epsilon is not None:
            X = X.copy()
            for group in self.columns:
                X[:, group] = noise_within(self.X[:, group], epsilon).apply(self.X[:, group])
            terms = replace(terms, noise=noise_within(part, epsilon).apply)
        model = CollaborationClustering(
            self.n_clusters,
            columns=self.columns,
            n_components=counts,
            anchor=terms.anchor,
            n_anchor=terms.n_anchor,
            rotate=terms.rotate,
            random_state=self.seed,
        )
        labels = model.fit(X, parties=self.parties).labels_
        found = agreement(labels, self.pooled)
        measured.add((*cell, "collaboration", "ARI with pooled"), found)
        terms = replace(terms, n_components=counts[0])
        attack_party(measured, (*cell, "best collusion"), part, self.parties, terms, self.seed)


def attack_party(
    measured: Trials,
    cell: tuple[str, str, str, str],
    X: Array,
    parties: npt.NDArray[np.int64],
    terms: Terms,
    seed: int,
) -> None:
    """Attack the first institution's part of the first column group."""
    rows = [np.flatnonzero(parties == i) for i in range(5)]
    scene = stage(
        X[rows[0]],
        X[rows[1]],
        [(X[r], None) for r in rows],
        (X.min(axis=0), X.max(axis=0)),
        terms,
        np.random.default_rng(seed),
    )
    columns = count_columns(X)
    runs = [
        score(*attack.rebuild(scene, True), columns)
        for attack in attacks_on(terms, X.shape[1], quick=True)
    ]
    # Whatever else fails, the mean of rows alike remains a guess.
    mean = np.repeat(scene.like.mean(axis=0)[None], len(scene.rows), axis=0)
    runs.append(score(scene.rows, mean, columns))
    measured.add((*cell, "median R2"), max(s.median_r2 for s in runs))
    measured.add((*cell, "top-1"), max(s.top1 for s in runs))


def default_table(name: str, data: Path | None) -> tuple[Array, int]:
    """Return a table of the comparison, and its number of classes."""
    shipped = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
    if name in shipped:
        source = shipped[name]()
        return source.data, len(source.target_names)
    slugs = {"phoneme": "phoneme_elena", "dry bean": "dry_bean"}
    dataset = load(slugs.get(name, name), data=data)
    return dataset.X, len(dataset.class_names)

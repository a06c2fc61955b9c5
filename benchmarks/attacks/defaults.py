"""What the defaults of a new study cost and buy, against paper mode and with noise on top."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.attacks.defences import best_collusion, half_of
from benchmarks.attacks.studies import noise_within
from benchmarks.problems import Array, Cells
from consilience import CollaborationClustering
from consilience.collaboration.audit.scene import Setting, stage
from consilience.collaboration.reduction import default_n_components
from consilience.datasets import load, split_columns, split_rows
from consilience.metrics import agreement
from consilience.privacy.audits.columns import count_columns

SHIPPED = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
"""Sets that come with scikit-learn."""
SLUGS = {"phoneme": "phoneme_elena", "dry bean": "dry_bean"}
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
PAPER, DEFAULT = Setting(anchor="uniform"), Setting(rotate=True, rounding="auto")


def measure_defaults(name: str, data: Path | None, seed: int) -> Cells:
    """Compare a new study's defaults with paper mode: 5 x 2 institutions, k-means.

    Each in the units of the table and scaled by the bounds; pooled k-means has the same units.
    Scaled by the bounds, as a new study is, the default is also measured with calibrated noise.
    In paper mode m - 1 dimensions are kept, otherwise half.
    """
    (table, scaled), k = in_units(name, data)
    for units, X in (("", table), (", scaled by bounds", scaled)):
        deal = Deal(X, k, seed)
        most, half = ([f(len(c)) for c in deal.columns] for f in (default_n_components, half_of))
        yield from deal.measure(("Defaults", name, f"paper mode{units}"), PAPER, most)
        yield from deal.measure(("Defaults", name, f"default{units}"), DEFAULT, half)
        if units and seed < NOISY_TRIALS:
            cell = ("Defaults", name, f"default, epsilon {EPSILON:g} per row{units}")
            yield from deal.measure(cell, DEFAULT, half, EPSILON)


class Deal:
    """A table dealt to five row institutions and two column groups, and its pooled clusters."""

    def __init__(self, X: Array, n_clusters: int, seed: int) -> None:
        self.X, self.n_clusters, self.seed = X, n_clusters, seed
        self.parties = split_rows(len(X), 5, random_state=seed)
        self.columns = split_columns(X.shape[1], 2, random_state=seed)
        self.pooled = KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(X)

    def measure(
        self,
        cell: tuple[str, str, str],
        terms: Setting,
        counts: list[int],
        epsilon: float | None = None,
    ) -> Cells:
        """Yield agreement with pooled, and what collusion gets of one party.

        ``counts`` are the dimensions kept of each column group. A uniform anchor has as many rows
        as the table, as in the papers. Noise is that of a contribution: on the rows of each column
        group, epsilon for a record.
        """
        if terms.anchor == "uniform":
            terms = replace(terms, n_anchor=len(self.X))
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
            rounding=terms.rounding,
            target="scaled" if terms.anchor == "uniform" else "population",
            random_state=self.seed,
        )
        labels = model.fit(X, parties=self.parties).labels_
        yield (*cell, "collaboration", "ARI with pooled"), agreement(labels, self.pooled)
        terms = replace(terms, n_components=counts[0])
        # The first institution's part of the first column group is attacked.
        rows = [np.flatnonzero(self.parties == i) for i in range(5)]
        scene = stage(
            part[rows[0]],
            part[rows[1]],
            [(part[r], None) for r in rows],
            (part.min(axis=0), part.max(axis=0)),
            terms,
            np.random.default_rng(self.seed),
        )
        yield from best_collusion(cell, scene, terms, count_columns(part))


def in_units(name: str, data: Path | None) -> tuple[tuple[Array, Array], int]:
    """Return a table as it is and scaled by its bounds, and its number of classes."""
    if name in SHIPPED:
        source = SHIPPED[name]()
        X, k = source.data, len(source.target_names)
    else:
        dataset = load(SLUGS.get(name, name), data=data)
        X, k = dataset.X, len(dataset.class_names)
    width = np.ptp(X, axis=0)
    return (X, (X - X.min(axis=0)) / np.where(width > 0, width, 1.0)), k

"""The problems of DC-CFL [Sugawara2026]_: 100 institutions whose label mixes differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from benchmarks.problems import Array, Labels, standardise
from consilience.datasets import hold_out, load, split_rows

SETS = {"covertype": "covertype_kaggle", "dry bean": "dry_bean", "gesture": "gesture_phase"}
"""The paper's sets, and their names here."""
SPLITS = ("C=2", "C=3", "Dir(0.1)")
AS_DRAWN = "Dir(0.1), as drawn"
"""A Dirichlet split in which tiny institutions stay tiny, and empty ones are none."""
N_PARTIES = 100
MIN_ROWS = 10
"""Rows of the smallest institution of a Dirichlet split; [Li2022]_ asks for as many."""
ASIDE = 0.2
"""Share of rows to test on, and of training rows to choose settings by."""


class Classifier(Protocol):
    """Whatever learns from the rows of institutions and predicts for them."""

    def fit(self, X: Any, y: Any, parties: Any) -> Any:
        """Learn."""

    def predict(self, X: Any, parties: Any) -> npt.NDArray[Any]:
        """Predict."""


@dataclass(frozen=True, eq=False)
class Problem:
    """One run of one column: rows to learn from and rows to be judged on, and who holds them."""

    X: Array
    y: Labels
    parties: Labels
    X_test: Array
    y_test: Labels
    parties_test: Labels
    seed: int

    def fit(self, model: Classifier) -> Any:
        """Fit a model to the rows to learn from."""
        return model.fit(self.X, self.y, self.parties)

    def accuracy(self, model: Classifier) -> float:
        """Return the mean over the institutions of the accuracy on their own test rows."""
        return self.mean_over_parties(model.predict(self.X_test, self.parties_test))

    def mean_over_parties(self, predicted: npt.NDArray[Any]) -> float:
        """Return the mean over the institutions of the share of test rows predicted right."""
        right = (predicted == self.y_test).astype(float)
        _, codes = np.unique(self.parties_test, return_inverse=True)
        return float(np.mean(np.bincount(codes, right) / np.bincount(codes)))

    def validation(self) -> Self:
        """Return the problem of choosing settings: a part of the training rows to be judged on."""
        aside = hold_out(self.parties, ASIDE, random_state=self.seed)
        return replace(
            self,
            X=self.X[~aside],
            y=self.y[~aside],
            parties=self.parties[~aside],
            X_test=self.X[aside],
            y_test=self.y[aside],
            parties_test=self.parties[aside],
        )


def draw_problem(name: str, split: str, seed: int, data: Path | None) -> Problem:
    """Share one of the paper's sets among 100 institutions."""
    dataset = load(SETS[name], data=data)
    return share(dataset.X, dataset.y, split, seed, N_PARTIES)


def share(X: Array, y: Labels, split: str, seed: int, n_parties: int) -> Problem:
    """Share rows among institutions, and let each keep a fifth of its rows for testing.

    Columns are standardised over all rows before anything else, as the published figures need it. A
    real study scales by public bounds. Institutions that a Dirichlet draw leaves with fewer than 10
    rows are given random rows of whoever has most, unless the split is to stay as it was drawn.
    """
    X, n = standardise(X), len(y)
    if split.startswith("C="):
        k = int(split.removeprefix("C="))
        parties = split_rows(n, n_parties, "classes", y=y, classes_per_party=k, random_state=seed)
    else:
        drawn = split == AS_DRAWN
        parties = split_rows(
            n,
            n_parties,
            "dirichlet",
            y=y,
            alpha=0.1,
            min_rows=0 if drawn else MIN_ROWS,
            top_up=not drawn,
            random_state=seed,
        )
    test = hold_out(parties, ASIDE, random_state=seed)
    return Problem(X[~test], y[~test], parties[~test], X[test], y[test], parties[test], seed)

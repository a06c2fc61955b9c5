"""The studies the attacks are measured on: five tables, three institutions with a third each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.problems import Array, Labels, standardise
from consilience.collaboration.audit.scene import MAX_ROWS, Scene, Setting, stage
from consilience.datasets import load, split_rows
from consilience.privacy.audits.columns import CountedColumns, count_columns
from consilience.privacy.noise import LaplaceNoise


@dataclass(frozen=True, eq=False)
class Study:
    """A table as its institutions agreed to encode it; ``y`` is for supervised reducers."""

    name: str
    X: Array
    y: Labels
    columns: CountedColumns
    units: str
    """What was done to the columns before anything else."""

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest value of each column, in place of public bounds."""
        return self.X.min(axis=0), self.X.max(axis=0)

    @property
    def n_clusters(self) -> int:
        """As many as there are classes."""
        return int(self.y.max()) + 1

    def noise(self, epsilon: float) -> LaplaceNoise:
        """Return the noise of a study with these bounds and this budget per row."""
        return noise_within(self.X, epsilon)

    def scene(
        self,
        terms: Setting,
        seed: int,
        features: npt.NDArray[np.intp] | None = None,
        max_fit: int | None = None,
    ) -> Scene:
        """Play three institutions with a third of the rows each; the first is the victim.

        With ``max_fit``, an institution has at most so many rows.
        """
        X = self.X if features is None else self.X[:, features]
        parties = split_rows(len(X), 3, random_state=seed)
        thirds = [np.flatnonzero(parties == i)[:max_fit] for i in range(3)]
        return stage(
            X[thirds[0][:MAX_ROWS]],
            X[thirds[1]],
            [(X[rows], self.y[rows]) for rows in thirds],
            (X.min(axis=0), X.max(axis=0)),
            terms,
            np.random.default_rng(seed),
        )


def noise_within(X: Array, epsilon: float) -> LaplaceNoise:
    """Return the product's noise, the range of each column standing for its public bounds."""
    lower, upper = X.min(axis=0), X.max(axis=0)
    upper = np.where(upper > lower, upper, lower + 1.0)
    return LaplaceNoise(lower.tolist(), upper.tolist(), epsilon)


def attack_studies(data: Path | None) -> list[Study]:
    """Load the five tables.

    Iris, wine and breast cancer are standardised; pixels of digits share one unit and stay as they
    are; Adult is its numbers and one column per category, scaled to [0, 1].
    """
    iris = load("iris", data=data)
    studies = [_standardised("iris", iris.X, iris.y)]
    for name, source in (("wine", load_wine()), ("breast cancer", load_breast_cancer())):
        studies.append(_standardised(name, source.data, source.target.astype(np.int64)))
    digits = load_digits()
    X, y = digits.data, digits.target.astype(np.int64)
    studies.append(Study("digits", X, y, count_columns(X), "as they are"))
    adult = load("adult", data=data)
    X = _encode(adult.frame)
    studies.append(Study("adult", X, adult.y, count_columns(X), "scaled to [0, 1]"))
    return studies


def _standardised(name: str, X: Array, y: Labels) -> Study:
    X = standardise(X)
    return Study(name, X, y, count_columns(X), "standardised")


def _encode(frame: pd.DataFrame) -> Array:
    """Keep numbers, give each category (and a missing one) its own column, scale to [0, 1]."""
    wide = pd.get_dummies(frame.drop(columns="education"), dummy_na=True, dtype=float)
    X = wide.to_numpy(dtype=np.float64)
    X = X[:, np.ptp(X, axis=0) > 0]
    return np.asarray((X - X.min(axis=0)) / np.ptp(X, axis=0))

"""Landmarks: a thousand places that stand for all rows, where a method cannot take more.

Up to 1,000 rows are landmarks themselves; of more rows they are the means of 1,000 small clusters,
found by k-means on a sample, and every row belongs to the nearest. What is found among landmarks
then holds for their rows: a tree of them [Ward1963]_, or their graph. Spectral clustering of
k-means landmarks is that of [Yan2009]_; it is another clustering than that of all rows, whose
neighbours it does not see, so a study names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

from consilience.kmeans import nearest_centers

__all__ = ["MAX_LANDMARKS", "Landmarks", "NearestLandmark", "find_landmarks"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

MAX_LANDMARKS = 1_000
SAMPLE_ROWS = 20_000
"""Rows the landmarks are found on."""


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Places, and the rows that are nearest to each.

    Parameters
    ----------
    places : ndarray of shape (n_landmarks, n_dimensions)
    members : ndarray of shape (n_rows,)
        The landmark of each row.
    """

    places: Array
    members: npt.NDArray[np.intp]

    @property
    def weights(self) -> Array:
        """How many rows each stands for."""
        return np.bincount(self.members, minlength=len(self.places)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class NearestLandmark:
    """Labels a row as its nearest landmark.

    Parameters
    ----------
    places : ndarray of shape (n_landmarks, n_dimensions)
    labels : ndarray of shape (n_landmarks,)
    """

    places: Array
    labels: Labels

    def predict(self, X: Array) -> Labels:
        """Return the cluster of each row."""
        return np.asarray(self.labels[nearest_centers(np.asarray(X), self.places)])


def find_landmarks(
    X: Array, seed: int, start: Literal["random", "k-means++"] = "random"
) -> Landmarks:
    """Find the landmarks of rows, each nearest to some row.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
    seed : int
    start : {"random", "k-means++"}
        Whether landmarks begin at rows drawn at random, and so lie close where rows do, or at rows
        far from each other, so that none is left out.

    Examples
    --------
    >>> find_landmarks(np.array([[0.0], [5.0], [5.1]]), seed=0).members
    array([0, 1, 2])
    """
    if len(X) <= MAX_LANDMARKS:
        return Landmarks(X, np.arange(len(X)))
    drawn = np.random.default_rng(seed).permutation(len(X))[:SAMPLE_ROWS]
    model = KMeans(MAX_LANDMARKS, init=start, n_init=1, max_iter=10, random_state=seed).fit(
        X[np.sort(drawn)]
    )
    used, members = np.unique(nearest_centers(X, model.cluster_centers_), return_inverse=True)
    return Landmarks(model.cluster_centers_[used], members)

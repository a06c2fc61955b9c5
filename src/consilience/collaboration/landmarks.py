"""Landmarks: a few thousand places that stand for all rows, where a method cannot take more.

Up to as many, rows are landmarks themselves; of more rows they are the means of small clusters,
found by k-means on a sample, and every row belongs to the nearest. What is found among landmarks
then holds for their rows: a tree of them [Ward1963]_, or their graph. Spectral clustering of
k-means landmarks is that of [Yan2009]_; it is another clustering than that of all rows, whose
neighbours it does not see, so a study names it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consilience.collaboration.partition import PART_ROWS, count_clusters
from consilience.engines.engine import Engine, Rows
from consilience.engines.in_memory import as_rows
from consilience.kmeans import nearest_centers, sample_rows

__all__ = [
    "GRAPH_LANDMARKS",
    "MAX_LANDMARKS",
    "Landmarks",
    "NearestLandmark",
    "find_landmarks",
    "graph_landmarks",
]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]

MAX_LANDMARKS = 1_000
SAMPLE_ROWS, MAX_ITER = 20_000, 10
"""Rows the landmarks are found on, and steps to their means."""
GRAPH_LANDMARKS, GRAPH_ITER = 5_000, 3
"""Of a graph: the closer landmarks lie, the more it is like that of all rows, and the less it
matters where in their small clusters."""


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
    members: Labels

    @property
    def weights(self) -> Array:
        """How many rows each stands for."""
        return count_clusters(self.members, len(self.places)).astype(np.float64)

    def spread(self, labels: Labels, engine: Engine) -> Labels:
        """Give every row the label of its landmark."""
        spread = engine.labels(len(self.members), int(labels.max(initial=0)) + 1)
        for start in range(0, len(spread), PART_ROWS):
            part = slice(start, start + PART_ROWS)
            spread[part] = labels[self.members[part]]
        return spread


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
    X: Array | Rows,
    seed: int,
    start: Literal["random", "k-means++"] = "k-means++",
    *,
    n_landmarks: int = MAX_LANDMARKS,
    max_iter: int = MAX_ITER,
) -> Landmarks:
    """Find the landmarks of rows, each nearest to some row.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions), or Rows
    seed : int
    start : {"random", "k-means++"}
        Whether landmarks begin at rows drawn at random, and so lie close where rows do, or at rows
        far from each other, so that none is left out.
    n_landmarks : int
        At most.
    max_iter : int
        Steps of k-means.

    Examples
    --------
    >>> find_landmarks(np.array([[0.0], [5.0], [5.1]]), seed=0).members
    array([0, 1, 2])
    """
    rows = as_rows(X)
    if len(rows) <= n_landmarks:
        return Landmarks(rows.whole(), np.arange(len(rows)))
    sample = sample_rows(rows, SAMPLE_ROWS, np.random.default_rng(seed))
    model = KMeans(n_landmarks, init=start, n_init=1, max_iter=max_iter, random_state=seed)
    with warnings.catch_warnings():
        # A few steps are what was asked for, and fewer different rows are all of them.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(sample)
    found = Landmarks(model.cluster_centers_, nearest_centers(rows, model.cluster_centers_))
    used = found.weights > 0
    if used.all():
        return found
    return Landmarks(found.places[used], found.spread(np.cumsum(used) - 1, rows.engine))


def graph_landmarks(X: Array | Rows, seed: int) -> Landmarks:
    """Find the landmarks whose graph stands for that of all rows."""
    return find_landmarks(X, seed, "random", n_landmarks=GRAPH_LANDMARKS, max_iter=GRAPH_ITER)

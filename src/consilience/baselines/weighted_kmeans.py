"""k-means on weighted points, as the coordinators of several compared methods run it."""

from __future__ import annotations

import warnings
from numbers import Integral

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

__all__ = ["assign", "check_n_clusters", "weighted_kmeans"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def weighted_kmeans(
    X: Array,
    n_clusters: int,
    random: np.random.RandomState,
    weights: Array | None = None,
    n_init: int = 3,
) -> tuple[Labels, Array]:
    """Run k-means with as many clusters as there are points for.

    Parameters
    ----------
    X : ndarray of shape (n_points, n_features)
    n_clusters : int
    random : RandomState
    weights : ndarray of shape (n_points,), or None
    n_init : int
        Starts, of which the best counts.

    Returns
    -------
    labels : ndarray of shape (n_points,), int64
    centres : ndarray of shape (min(n_clusters, n_points), n_features)

    Examples
    --------
    >>> X, weights = np.array([[0.0], [1.0], [9.0]]), np.array([3.0, 1.0, 1.0])
    >>> _, centres = weighted_kmeans(X, 2, np.random.RandomState(0), weights)
    >>> np.sort(centres.ravel())
    array([0.25, 9.  ])
    """
    model = KMeans(min(n_clusters, len(X)), n_init=n_init, random_state=random.randint(2**31))
    with warnings.catch_warnings():
        # Fewer distinct points than clusters is no fault of the method.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, sample_weight=weights)
    return model.labels_.astype(np.int64), model.cluster_centers_


def assign(X: Array, centres: Array) -> Labels:
    """Give each row its nearest centre.

    Examples
    --------
    >>> assign(np.array([[0.0], [4.0], [9.0]]), np.array([[1.0], [8.0]]))
    array([0, 0, 1])
    """
    # |x - c|^2 without |x|^2, which is the same for all centres: one product, no thread pool, which
    # thousands of calls on small parties would wait for.
    squares = (centres**2).sum(axis=1) - 2 * X @ centres.T
    return np.asarray(np.argmin(squares, axis=1), dtype=np.int64)


def check_n_clusters(n_clusters: int, n_rows: int) -> None:
    """Refuse a number of clusters below 1 or above the number of rows."""
    check_scalar(n_clusters, "n_clusters", Integral, min_val=1)
    if n_clusters > n_rows:
        raise ValueError(
            f"n_clusters == {n_clusters}, must be <= {n_rows}, the number of rows "
            f"(n_samples={n_rows}). Lower n_clusters."
        )

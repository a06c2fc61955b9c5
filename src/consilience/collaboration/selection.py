"""How many clusters: a score for each number tried."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from consilience.collaboration.spectral import spectral_embedding

__all__ = ["MAX_CLUSTERS", "choose_kmeans", "choose_spectral"]

Array = npt.NDArray[np.float64]

MAX_CLUSTERS = 15
SAMPLE_ROWS = 2_000


def choose_kmeans(X: Array, seed: int) -> tuple[int, dict[int, float]]:
    """Take the number of clusters with the best mean silhouette on a sample of the rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
    seed : int
        For the sample of at most 2,000 rows and for k-means.

    Returns
    -------
    n_clusters : int
        Between 2 and 15; 1 when there are fewer than 3 distinct rows.
    scores : dict of int to float
        The silhouette of each number tried, in [-1, 1].

    Examples
    --------
    >>> X = np.repeat([[0.0], [5.0], [9.0]], 5, axis=0) + np.linspace(0, 0.1, 15)[:, None]
    >>> choose_kmeans(X, seed=0)[0]
    3
    """
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(X), size=min(SAMPLE_ROWS, len(X)), replace=False)
    sample = X[np.sort(rows)]
    n_distinct = len(np.unique(sample, axis=0))
    scores = {}
    for k in range(2, min(MAX_CLUSTERS, n_distinct - 1) + 1):
        labels = KMeans(k, n_init=3, random_state=seed).fit_predict(sample)
        scores[k] = float(silhouette_score(sample, labels))
    return (max(scores, key=lambda k: scores[k]) if scores else 1), scores


def choose_spectral(X: Array, n_neighbors: int) -> tuple[int, dict[int, float]]:
    r"""Take the number of clusters after which the eigenvalues of the Laplacian rise most.

    The rise is relative, :math:`(\lambda_{k+1} - \lambda_k) / \lambda_{k+1}`: eigenvalues grow
    along the spectrum, and an absolute gap would prefer its end.

    Returns
    -------
    n_clusters : int
        Between 2 and 15.
    scores : dict of int to float
        The relative gap after each number of clusters, in [0, 1].

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> choose_spectral(X, n_neighbors=3)[0]
    2
    """
    n_values = min(MAX_CLUSTERS + 1, len(X))
    values = spectral_embedding(X, n_values, n_neighbors).eigenvalues
    laplacian = np.where(values < 1 - 1e-9, 1 - values, 0.0)
    scores = {
        k: float((laplacian[k] - laplacian[k - 1]) / laplacian[k]) if laplacian[k] > 0 else 0.0
        for k in range(2, n_values)
    }
    return (max(scores, key=lambda k: scores[k]) if scores else 1), scores

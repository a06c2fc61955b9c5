r"""K-means, at the cost of one run over the rows.

K-means finds a local optimum, so it is run from several starts (k-means++) and the best is kept.
Up to 100,000 rows that is done with all rows and ten starts. Of more rows, a sample tells good
starts from bad ones just as well: thirty starts take ten steps each on 20,000 rows, the best
three go on to the end on 50,000, and the best of these is the one start from which all rows are
clustered. The samples grow with the number of clusters.

Notes
-----
What a sample may miss are clusters of few rows: one of 3 rows in 10,000 has about six rows among
20,000, and k-means++ finds it if it lies apart; one of 1 row in 10,000 is not found reliably,
neither so nor from ten starts on all rows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

__all__ = ["N_INIT", "SAMPLED_ABOVE", "choose_start", "kmeans"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

N_INIT = 10
"""Starts with all rows, up to ``SAMPLED_ABOVE`` of them."""
SAMPLED_ABOVE = 100_000
"""Rows above which the start is chosen on a sample."""
N_TRIED, STEPS, ROWS_TRIED = 30, 10, 20_000
"""Starts on the first sample, what each may take, and the rows of that sample."""
N_FINALISTS, ROWS_OF_FINALISTS = 3, 50_000
"""Starts that go on to the end, and the rows of the second sample."""
ROWS_PER_CLUSTER = 400
"""Rows of the first sample for each cluster, if that is more."""
MAX_ITER = 300


def kmeans(X: Array, n_clusters: int, seed: int) -> tuple[Labels, Array]:
    """Run k-means from a good start (Alg. 1 of [Kawamata2025]_).

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
        It may be shifted and shifted back: pass what nobody else reads.
    n_clusters : int
    seed : int

    Returns
    -------
    labels : ndarray of shape (n_rows,), int64
    centers : ndarray of shape (n_clusters, n_dimensions)

    Examples
    --------
    >>> labels, centers = kmeans(np.array([[0.0], [0.2], [5.0], [5.2]]), 2, seed=0)
    >>> sorted(centers.ravel().round(1).tolist())
    [0.1, 5.1]
    """
    if len(X) <= SAMPLED_ABOVE:
        model = KMeans(
            n_clusters, n_init=N_INIT, max_iter=MAX_ITER, random_state=seed, copy_x=False
        )
    else:
        start = choose_start(X, n_clusters, seed)
        model = KMeans(n_clusters, init=start, n_init=1, max_iter=MAX_ITER, copy_x=False)
    labels = model.fit_predict(X)
    return labels.astype(np.int64), model.cluster_centers_


def choose_start(X: Array, n_clusters: int, seed: int) -> Array:
    """Choose the centres from which to cluster all rows, by trying many on samples.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
        Read in a few thousand places only.
    n_clusters : int
    seed : int

    Returns
    -------
    ndarray of shape (n_clusters, n_dimensions)

    Examples
    --------
    >>> X = np.repeat([[0.0], [5.0]], 200, axis=0)
    >>> sorted(choose_start(X, 2, seed=0).ravel().tolist())
    [0.0, 5.0]
    """
    rng = np.random.default_rng(seed)
    n_tried = max(ROWS_TRIED, ROWS_PER_CLUSTER * n_clusters)
    sample = _sample(X, n_tried, rng)
    tried = [
        KMeans(n_clusters, n_init=1, max_iter=STEPS, random_state=int(rng.integers(2**31)))
        for _ in range(N_TRIED)
    ]
    finalists = sorted((model.fit(sample) for model in tried), key=_inertia)[:N_FINALISTS]
    sample = _sample(X, n_tried * ROWS_OF_FINALISTS // ROWS_TRIED, rng)
    runs = (
        KMeans(n_clusters, init=model.cluster_centers_, n_init=1, max_iter=MAX_ITER).fit(sample)
        for model in finalists
    )
    return np.asarray(min(runs, key=_inertia).cluster_centers_)


def _sample(X: Array, n_rows: int, rng: np.random.Generator) -> Array:
    """Take rows at random, in their order."""
    if len(X) <= n_rows:
        return X.copy()
    return np.asarray(X[np.sort(rng.choice(len(X), n_rows, replace=False, shuffle=False))])


def _inertia(model: KMeans) -> float:
    return float(model.inertia_)

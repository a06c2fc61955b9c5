"""SC-SRGF: spectral clustering on graphs of random subspaces, fused into one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.metrics import euclidean_distances
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

__all__ = ["SubspaceGraphClustering", "fuse_graphs", "neighbour_graph"]

Matrix = npt.NDArray[np.float64]


def neighbour_graph(X: Matrix, n_neighbors: int, count_self: bool = False) -> Matrix:
    r"""Link each row with its nearest neighbours.

    :math:`w_{ij} = \exp(-d_{ij} / 2\sigma)` if j is among the K nearest rows of i or i
    among those of j, else 0; :math:`\sigma` is the mean of all distances.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    n_neighbors : int
        K, less than the number of rows.
    count_self : bool, default=False
        Whether each row is the first of its own K neighbours, with weight one, and a link holds
        only from the row that has it.

    Returns
    -------
    ndarray of shape (n_rows, n_rows)
        Symmetric with an empty diagonal, unless rows count themselves.

    Examples
    --------
    >>> (neighbour_graph(np.array([[0.0], [1.0], [9.0]]), 1) > 0).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    distances = euclidean_distances(X)
    sigma = float(distances.mean()) or 1.0
    np.fill_diagonal(distances, -np.inf if count_self else np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
    np.fill_diagonal(distances, 0.0)
    rows = np.repeat(np.arange(len(X)), n_neighbors)
    graph = np.zeros_like(distances)
    graph[rows, nearest.ravel()] = np.exp(-distances[rows, nearest.ravel()] / (2 * sigma))
    return graph if count_self else np.asarray(np.maximum(graph, graph.T))


def _row_stochastic(graph: Matrix) -> Matrix:
    totals = graph.sum(axis=1, keepdims=True)
    return np.asarray(graph / np.where(totals > 0, totals, 1.0))


def fuse_graphs(graphs: list[Matrix], n_neighbors: int, n_steps: int = 20) -> Matrix:
    r"""Let the graphs of several views of the same rows pass messages until they agree.

    With :math:`P^{(v)}` the normalised graph of view v, :math:`S^{(v)}` its part on the K
    strongest links of each row, and m views, each step replaces

    .. math:: P^{(v)} \leftarrow S^{(v)} \frac{\sum_{u \ne v} P^{(u)}}{m - 1} S^{(v)\top} +
    I

    and the result is the normalised mean of the views.

    Parameters
    ----------
    graphs : list of ndarray of shape (n_rows, n_rows)
        At least two, not negative.
    n_neighbors : int
        K.
    n_steps : int, default=20

    Returns
    -------
    ndarray of shape (n_rows, n_rows)
        Symmetric.

    Examples
    --------
    >>> graph = neighbour_graph(np.array([[0.0], [1.0], [8.0], [9.0]]), 1)
    >>> fused = fuse_graphs([graph, graph], 1)
    >>> bool(fused[0, 1] > fused[0, 2])
    True
    """
    P = np.array([_row_stochastic(graph) for graph in graphs])
    P = (P + P.transpose(0, 2, 1)) / 2
    m, n = P.shape[:2]
    strongest = [_row_stochastic(_strongest(graph, n_neighbors)) for graph in P]
    S = sparse.block_diag([sparse.coo_array(graph) for graph in strongest], "csr")
    for _ in range(n_steps):
        others = (P.sum(axis=0) - P) / (m - 1)
        # All views at once: S others, then S (S others)^T, which is symmetric as others is.
        half = (S @ others.reshape(m * n, n)).reshape(m, n, n).transpose(0, 2, 1)
        P = (S @ half.reshape(m * n, n)).reshape(m, n, n)
        P = (P + P.transpose(0, 2, 1)) / 2 + np.eye(n)
    fused = _row_stochastic(np.mean(P, axis=0))
    return np.asarray((fused + fused.T + np.eye(len(fused))) / 2)


def _strongest(graph: Matrix, n_neighbors: int) -> Matrix:
    order = np.argsort(-graph, axis=1, kind="stable")[:, :n_neighbors]
    kept = np.zeros_like(graph)
    np.put_along_axis(kept, order, np.take_along_axis(graph, order, axis=1), axis=1)
    return kept


def _spectral_labels(graph: Matrix, n_clusters: int, random: np.random.RandomState) -> Any:
    scale = 1.0 / np.sqrt(graph.sum(axis=1))
    n = len(graph)
    _, vectors = linalg.eigh(
        scale[:, None] * graph * scale, subset_by_index=(n - n_clusters, n - 1)
    )
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(norms > 0, norms, 1.0)
    return KMeans(n_clusters, n_init=10, random_state=random).fit(vectors).labels_


@dataclass(eq=False, repr=False)
class SubspaceGraphClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster high-dimensional rows by fused random-subspace graphs (SC-SRGF, [Cai2020]_).

    Parameters
    ----------
    n_clusters : int, default=8
    n_graphs : int, default=20
        Number of random subspaces, at least 2; the paper searches [10, 30].
    sampling_ratio : float, default=0.5
        Share of the columns in each subspace, in (0, 1]; the paper searches [0.2, 0.8].
    n_neighbors : int, default=5
    count_self : bool, default=False
        Whether a row is the first of its own neighbours and a link that only one row has counts
        half, as in the published code of VertCoHiRF [Belucci2026]_; in SC-SRGF itself neither is
        so.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (20, 40)), rng.normal(2, 1, (20, 40))])
    >>> labels = SubspaceGraphClustering(2, random_state=0).fit_predict(X)
    >>> len(set(labels[:20])), len(set(labels))
    (1, 2)

    Notes
    -----
    Graphs are dense: memory grows with n_graphs times the square of the rows, time
    likewise. It is a method for hundreds to a few thousand rows. The last step is spectral
    clustering with the normalised graph, rows of the eigenvectors scaled to length one, and
    k-means.
    """

    n_clusters: int = 8
    _: KW_ONLY
    n_graphs: int = 20
    sampling_ratio: float = 0.5
    n_neighbors: int = 5
    count_self: bool = False
    random_state: Any = None

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of X, an array of shape (n_rows, n_features)."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.n_graphs < 2:
            raise ValueError(
                f"n_graphs == {self.n_graphs}, must be >= 2: one graph joins no other."
            )
        if not 0 < self.sampling_ratio <= 1:
            raise ValueError(f"sampling_ratio == {self.sampling_ratio}, must be in (0, 1].")
        random = check_random_state(self.random_state)
        n_rows, n_features = X.shape
        n_columns = max(1, int(self.sampling_ratio * n_features))
        n_neighbors = min(self.n_neighbors, n_rows - 1)
        views = (X[:, random.permutation(n_features)[:n_columns]] for _ in range(self.n_graphs))
        graphs = [neighbour_graph(view, n_neighbors, self.count_self) for view in views]
        fused = fuse_graphs(graphs, n_neighbors)
        self.labels_ = _spectral_labels(fused, min(self.n_clusters, n_rows), random)
        return self

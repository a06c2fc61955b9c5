r"""Spectral clustering of the collaboration representation (Alg. 2 of [Kawamata2025]_).

The graph joins each row to its nearest neighbours, :math:`W = (A + A^T) / 2`, and the embedding
holds the eigenvectors of :math:`D^{-1/2} W D^{-1/2}` for its largest eigenvalues, those of the
normalised Laplacian (Eqs. 2 and 3) for its smallest, times :math:`D^{-1/2}` as in scikit-learn.

Notes
-----
A graph of several components has the eigenvalue 1 once per component, and an iterative solver that
meets a repeated eigenvalue misses some of its copies. So the components are found first and each
is decomposed alone, with a fixed start and full accuracy; the union of their eigenvectors, largest
eigenvalues first, is the embedding of the whole graph. When there are more components than
clusters, the embedding asked for does not exist: the eigenvectors of eigenvalue 1 can be chosen at
will. Then the components are joined by the shortest edges that make the graph connected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

__all__ = ["SpectralEmbedding", "neighbor_graph", "spectral_embedding"]

Array = npt.NDArray[np.float64]

DENSE_ROWS = 400
"""Components up to this size are decomposed densely, which is exact and fast enough."""


@dataclass(frozen=True, eq=False)
class SpectralEmbedding:
    """The embedding of each row, and what is needed to judge it.

    Parameters
    ----------
    coordinates : ndarray of shape (n_rows, n_dimensions)
    eigenvalues : ndarray of shape (n_dimensions,)
        Of the normalised adjacency, in falling order.
    n_components : int
        Connected components of the neighbour graph before any were joined.
    """

    coordinates: Array
    eigenvalues: Array
    n_components: int


def neighbor_graph(X: Array, n_neighbors: int) -> csr_array:
    """Return the symmetric graph of nearest neighbours, each row its own first neighbour."""
    n_neighbors = min(n_neighbors, len(X))
    A = csr_array(kneighbors_graph(X, n_neighbors, include_self=True))
    return csr_array((A + A.T) * 0.5)


def spectral_embedding(X: Array, n_dimensions: int, n_neighbors: int) -> SpectralEmbedding:
    """Embed rows by the leading eigenvectors of their neighbour graph.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    n_dimensions : int
        Number of eigenvectors, k in the paper.
    n_neighbors : int
        Neighbours of each row, itself included.

    Returns
    -------
    SpectralEmbedding

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> embedding = spectral_embedding(X, 2, 3)
    >>> embedding.n_components, embedding.eigenvalues.round(6)
    (2, array([1., 1.]))
    """
    W = neighbor_graph(X, n_neighbors)
    n_components, component = connected_components(W, directed=False)
    if n_components > n_dimensions:
        W = _join_components(X, W, component)
        component = np.zeros(len(X), dtype=component.dtype)
    degree = W.sum(axis=1)
    root = 1.0 / np.sqrt(degree)
    N = csr_array(diags_array(root) @ W @ diags_array(root))
    values, columns = [], []
    for c in range(component.max() + 1):
        rows = np.flatnonzero(component == c)
        block = N if len(rows) == len(X) else csr_array(N[rows][:, rows])
        w, V = _leading_eigenvectors(block, min(n_dimensions, len(rows)))
        full = np.zeros((len(X), len(w)))
        full[rows] = V
        values.append(w)
        columns.append(full)
    eigenvalues, vectors = np.concatenate(values), np.hstack(columns)
    order = np.argsort(-eigenvalues, kind="stable")[:n_dimensions]
    coordinates = vectors[:, order] * root[:, None]
    return SpectralEmbedding(coordinates, eigenvalues[order], n_components)


def _leading_eigenvectors(N: csr_array, k: int) -> tuple[Array, Array]:
    """Return the k largest eigenvalues of N in falling order, with eigenvectors of fixed sign."""
    n = N.shape[0]
    if n <= max(DENSE_ROWS, 2 * k + 1):
        w, V = eigh(N.toarray(), subset_by_index=(n - k, n - 1))
    else:
        w, V = eigsh(N, k, which="LA", tol=0, v0=np.ones(n))
    order = np.argsort(-w, kind="stable")
    w, V = w[order], V[:, order]
    largest = np.abs(V).argmax(axis=0)
    return w, V * np.where(V[largest, np.arange(k)] < 0, -1.0, 1.0)


def _join_components(X: Array, W: csr_array, component: npt.NDArray[np.int32]) -> csr_array:
    """Add the minimum spanning tree between components: the shortest edges that connect them."""
    n = component.max() + 1
    lengths = np.zeros((n, n))
    starts, ends = np.zeros((n, n), dtype=np.intp), np.zeros((n, n), dtype=np.intp)
    for c in range(n - 1):
        inside, outside = np.flatnonzero(component == c), np.flatnonzero(component > c)
        index = NearestNeighbors(n_neighbors=1).fit(X[inside])
        distance, nearest = (a.ravel() for a in index.kneighbors(X[outside]))
        order = np.lexsort((distance, component[outside]))
        others, first = np.unique(component[outside][order], return_index=True)
        best = order[first]
        # A length of zero would read as "no edge" in a sparse matrix.
        lengths[c, others] = distance[best] + np.finfo(float).tiny
        starts[c, others], ends[c, others] = inside[nearest[best]], outside[best]
    tree = minimum_spanning_tree(csr_array(lengths)).tocoo()
    pair = starts[tree.row, tree.col], ends[tree.row, tree.col]
    edges = coo_array((np.ones(len(tree.data)), pair), shape=W.shape)
    return csr_array(W + edges + edges.T)

"""Directions along which a party keeps its rows, one function per published method.

Each takes ``(X, k, y, rng)`` and returns the mean to subtract and the matrix of shape
(n_features, k) to multiply by. All serve a party with fewer rows than ``k``: directions its rows do
not determine are completed to an orthonormal basis, because dropping them would lose what the other
parties know about them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.linalg import eigh, qr
from sklearn.decomposition import NMF
from sklearn.neighbors import kneighbors_graph

from consilience.collaboration.local_fisher import local_scatter
from consilience.collaboration.moments import Scaled, column_means, row_blocks, scatter

__all__ = [
    "AXES",
    "BY_BLOCKS",
    "SUPERVISED",
    "discriminant_axes",
    "local_discriminant_axes",
    "locality_axes",
    "nonnegative_axes",
    "principal_axes",
    "random_axes",
    "singular_axes",
]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any] | pd.Categorical | None
Axes = tuple[Array, Array]


def principal_axes(X: Array | Scaled, k: int, y: Labels, rng: np.random.Generator) -> Axes:
    """Principal component analysis: the k directions of largest variance [Pearson1901]_.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> mean, F = principal_axes(X, 2, None, np.random.default_rng(0))
    >>> mean, F.round(1)
    (array([1.5, 2. ]), array([[ 0.6,  0.8],
           [ 0.8, -0.6]]))
    """
    mean = column_means(X)
    return mean, _leading(X, mean, k)


def singular_axes(X: Array | Scaled, k: int, y: Labels, rng: np.random.Generator) -> Axes:
    """Singular value decomposition, truncated: as principal components, not centred."""
    zero = np.zeros(X.shape[1])
    return zero, _leading(X, zero, k)


def random_axes(X: Array | Scaled, k: int, y: Labels, rng: np.random.Generator) -> Axes:
    """Random orthogonal projection; it needs no data and loses far more than PCA."""
    Q, _ = np.linalg.qr(rng.normal(size=(X.shape[1], k)))
    return np.zeros(X.shape[1]), Q


def locality_axes(X: Array, k: int, y: Labels, rng: np.random.Generator) -> Axes:
    r"""Locality preserving projection [He2003]_: neighbours stay neighbours.

    Minimises :math:`a^T X^T L X a` subject to :math:`a^T X^T D X a = 1`, with the Laplacian
    :math:`L = D - W` of the graph of 5 nearest neighbours; the directions are then made
    orthonormal, so that the map does not change the units.
    """
    n, mean = len(X), X.mean(axis=0)
    if n < 3:
        return principal_axes(X, k, y, rng)
    centred = X - mean
    W = kneighbors_graph(centred, min(5, n - 1), mode="connectivity")
    W = W.maximum(W.T)
    degree = np.asarray(W.sum(axis=1)).ravel()
    spread = centred.T @ (degree[:, None] * centred)
    stress = spread - centred.T @ (W @ centred)
    return mean, _generalised(stress, spread, k, smallest=True)


def nonnegative_axes(X: Array, k: int, y: Labels, rng: np.random.Generator) -> Axes:
    r"""Non-negative matrix factorisation: the k parts H with :math:`X - \min X \approx W H`.

    A row is represented by its least-squares coefficients on the parts, :math:`x H^\dagger`. The
    coefficients of the factorisation itself are not used: they are not defined for anchor rows
    outside the positive orthant.
    """
    lowest = X.min(axis=0)
    rank = min(k, *X.shape)
    model = NMF(rank, init="nndsvda", random_state=int(rng.integers(2**31)), max_iter=1000)
    parts = model.fit(X - lowest).components_
    return lowest, _complete(np.linalg.pinv(parts), k)


def discriminant_axes(X: Array, k: int, y: Labels, rng: np.random.Generator) -> Axes:
    """Fisher's linear discriminant analysis: class means far apart, rows of a class together.

    There are at most ``n_classes - 1`` such directions; the rest of ``k`` are the directions of
    largest remaining variance.
    """
    mean = X.mean(axis=0)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    sizes = np.bincount(codes)
    means = np.stack([X[codes == c].mean(axis=0) for c in range(len(classes))])
    within = X - means[codes]
    between = (means - mean) * np.sqrt(sizes)[:, None]
    n_directions = min(k, len(classes) - 1)
    if n_directions == 0:
        return principal_axes(X, k, y, rng)
    F = _generalised(between.T @ between, within.T @ within, n_directions, smallest=False)
    rest = (X - mean) - (X - mean) @ F @ F.T
    others = _leading(rest, np.zeros_like(mean), k - n_directions)
    return mean, _orthonormal(np.hstack([F, others]), k)


def local_discriminant_axes(X: Array, k: int, y: Labels, rng: np.random.Generator) -> Axes:
    """Local Fisher discriminant analysis, see :mod:`~consilience.collaboration.local_fisher`."""
    mean, y = X.mean(axis=0), np.asarray(y)
    if len(np.unique(y)) < 2:
        return principal_axes(X, k, y, rng)
    between, within = local_scatter(X, y)
    return mean, _generalised(between, within, k, smallest=False)


AXES: dict[str, Callable[[Any, int, Labels, np.random.Generator], Axes]] = {
    "pca": principal_axes,
    "svd": singular_axes,
    "random": random_axes,
    "lpp": locality_axes,
    "nmf": nonnegative_axes,
    "lda": discriminant_axes,
    "lfda": local_discriminant_axes,
}
SUPERVISED = frozenset({"lda", "lfda"})
BY_BLOCKS = frozenset({"pca", "svd", "random"})
"""Those that go through rows block by block, and make no copy of them."""


def _leading(X: Array | Scaled, mean: Array, k: int) -> Array:
    """Return the k leading right singular vectors of ``X - mean``, completed if need be."""
    n, m = X.shape
    if n < m:
        _, values, rows = np.linalg.svd(np.vstack(list(row_blocks(X))) - mean, full_matrices=k > n)
        vectors = rows.T
    else:
        values, vectors = eigh(scatter(X, mean))
        values, vectors = values[::-1], vectors[:, ::-1]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(np.multiply(vectors[:, :k], signs[:k], order="C"))


def _generalised(A: Array, B: Array, k: int, *, smallest: bool) -> Array:
    """Solve A v = w B v for k orthonormalised directions; B is made definite by a small ridge."""
    m = len(A)
    ridge = 1e-9 * float(np.trace(A) + np.trace(B)) / m or 1.0
    values, vectors = eigh(A, B + ridge * np.eye(m))
    order = np.argsort(values) if smallest else np.argsort(values)[::-1]
    return _orthonormal(vectors[:, order[:k]], k)


def _complete(F: Array, k: int) -> Array:
    """Return independent columns of F, then an orthonormal basis of what they miss, k in all."""
    Q, R, order = qr(F, pivoting=True)
    size = np.abs(np.diag(R))
    rank = int((size > 1e-10 * max(size[0], np.finfo(float).tiny)).sum())
    return np.ascontiguousarray(np.hstack([F[:, np.sort(order[:rank])], Q[:, rank:k]]))


def _orthonormal(F: Array, k: int) -> Array:
    """Return k orthonormal columns, of which the first span those of F."""
    return np.ascontiguousarray(qr(F)[0][:, :k])

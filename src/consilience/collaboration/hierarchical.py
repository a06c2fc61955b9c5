r"""Hierarchical clustering of the collaboration representation, which the paper leaves for later.

Ward's method joins, step by step, the two clusters whose joining costs least,

.. math:: \Delta(a, b) = \frac{n_a n_b}{n_a + n_b} \lVert c_a - c_b \rVert^2,

with :math:`n` their rows and :math:`c` their means [Ward1963]_. The height of a joint is
:math:`\sqrt{2 \Delta}`, the distance of two single rows, as in SciPy. Neighbours that are nearest
to each other may be joined in any order [Murtagh1983]_, so the tree takes time in proportion to the
square of its leaves. Up to 1,000 rows are leaves themselves; of more rows the leaves are the means
of 1,000 small clusters, each of which counts as its rows do, see
:mod:`~consilience.collaboration.landmarks`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from consilience.collaboration.landmarks import NearestLandmark, find_landmarks
from consilience.engines.engine import Rows
from consilience.engines.in_memory import as_rows

__all__ = ["cut_tree", "grow_tree", "ward_clusters"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]


def grow_tree(leaves: Array, weights: Array) -> Array:
    """Join leaves by Ward's method, following chains of nearest neighbours.

    Parameters
    ----------
    leaves : ndarray of shape (n_leaves, n_dimensions)
    weights : ndarray of shape (n_leaves,)
        How many rows each stands for.

    Returns
    -------
    ndarray of shape (n_leaves - 1, 4)
        One joint a line, the lowest first: the two that are joined (a leaf, or ``n_leaves`` plus
        the line of an earlier joint), their height, and their rows.

    Examples
    --------
    >>> grow_tree(np.array([[0.0], [1.0], [9.0]]), np.ones(3)).round(2).tolist()
    [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 9.81, 3.0]]
    """
    n = len(leaves)
    size = np.asarray(weights, dtype=np.float64).copy()
    cost = cdist(leaves, leaves, "sqeuclidean")
    cost *= 2 * size[:, None] * size / (size[:, None] + size)
    np.fill_diagonal(cost, np.inf)
    alive = np.ones(n, dtype=bool)
    joints: list[tuple[int, int, float]] = []
    chain: list[int] = []
    while len(joints) < n - 1:
        if not chain:
            chain = [int(np.argmax(alive))]
        last = chain[-1]
        near = int(np.argmin(cost[last]))
        # Of equal distances the one before in the chain is taken, or the chain would not end.
        if len(chain) > 1 and cost[last, chain[-2]] <= cost[last, near]:
            near = chain[-2]
            del chain[-2:]
            joints.append((last, near, cost[last, near]))
            _join(cost, size, alive, last, near)
        else:
            chain.append(near)
    return _in_order(joints, np.asarray(weights, dtype=np.float64))


def _join(cost: Array, size: Array, alive: npt.NDArray[np.bool_], a: int, b: int) -> None:
    """Let a take b in: the costs of joining it with the others (Lance and Williams)."""
    height = cost[a, b]
    both = size[a] + size[b]
    with np.errstate(invalid="ignore"):
        row = ((size[a] + size) * cost[a] + (size[b] + size) * cost[b] - size * height) / (
            both + size
        )
    alive[b] = False
    row[~alive] = np.inf
    row[a] = np.inf
    cost[a], cost[:, a] = row, row
    cost[b], cost[:, b] = np.inf, np.inf
    size[a] = both


def _in_order(joints: list[tuple[int, int, float]], weights: Array) -> Array:
    """Put the joints in order, from the lowest to the highest."""
    n = len(weights)
    heights = np.array([height for _, _, height in joints])
    tree = np.empty((len(joints), 4))
    name, rows = np.arange(n), weights.copy()
    above = np.arange(n)

    def top(leaf: int) -> int:
        while above[leaf] != leaf:
            above[leaf] = above[above[leaf]]
            leaf = int(above[leaf])
        return leaf

    for line, k in enumerate(np.argsort(heights, kind="stable")):
        a, b = top(joints[k][0]), top(joints[k][1])
        first, second = sorted((int(name[a]), int(name[b])))
        rows[a] += rows[b]
        tree[line] = first, second, np.sqrt(max(heights[k], 0.0)), rows[a]
        above[b], name[a] = a, n + line
    return tree


def cut_tree(tree: Array, n_clusters: int) -> tuple[Labels, Array]:
    """Undo the highest joints until there are so many clusters.

    Parameters
    ----------
    tree : ndarray of shape (n_leaves - 1, 4)
    n_clusters : int

    Returns
    -------
    labels : ndarray of shape (n_leaves,)
        The cluster of each leaf.
    top : ndarray of shape (n_clusters - 1, 4)
        The joints that were undone, of the clusters as leaves.

    Examples
    --------
    >>> tree = grow_tree(np.array([[0.0], [1.0], [9.0]]), np.ones(3))
    >>> labels, top = cut_tree(tree, 2)
    >>> labels.tolist(), top[:, :2].tolist()
    ([1, 1, 0], [[0.0, 1.0]])
    """
    n = len(tree) + 1
    below = n - n_clusters
    name = np.arange(n + len(tree))
    for line in range(below - 1, -1, -1):
        name[tree[line, :2].astype(int)] = name[n + line]
    roots, labels = np.unique(name[:n], return_inverse=True)
    number = np.arange(n + len(tree)) - below - n + n_clusters
    number[roots] = np.arange(n_clusters)
    top = tree[below:].copy()
    top[:, :2] = number[top[:, :2].astype(int)]
    return labels.astype(np.int64), top


def ward_clusters(
    X: Array | Rows, n_clusters: int, seed: int
) -> tuple[Labels, Array, NearestLandmark]:
    """Cluster rows by Ward's method.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions), or Rows
    n_clusters : int
    seed : int
        For the leaves of more than 1,000 rows.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
    top : ndarray of shape (n_clusters - 1, 4)
        How the clusters join further, see :func:`cut_tree`.
    rule : NearestLandmark
        For rows that come later.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [5.2]])
    >>> labels, top, rule = ward_clusters(X, 2, seed=0)
    >>> labels.tolist(), int(top[0, 3]), rule.predict([[4.0]]).tolist()
    ([0, 0, 1, 1, 1], 5, [1])
    """
    found = find_landmarks(X, seed)
    tree = grow_tree(found.places, found.weights)
    labels, top = cut_tree(tree, min(n_clusters, len(found.places)))
    spread = found.spread(labels, as_rows(X).engine)
    return spread, top, NearestLandmark(found.places, labels)

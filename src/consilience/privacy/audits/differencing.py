r"""Differencing: what a node tells when it is sent twice.

A continual party (FCAC, [Masuyama2024]_) sends each node with the number of rows it won, and sends
it again when it has moved. A node is a running mean of the rows it won (Alg. 1, line 26), so that
the two releases y, y' with counts c, c' give the mean of the rows won in between,

.. math:: \hat x = (c' y' - c y) / (c' - c) ,

which is the row itself if there was one. Nodes also follow rows they nearly won, by a hundredth
(Eq. 30): those make the figure inexact.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["difference_nodes"]

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def difference_nodes(
    ids: Integers,
    nodes: Array,
    counts: Integers,
    later_ids: Integers,
    later_nodes: Array,
    later_counts: Integers,
) -> Array:
    """Return the mean of the rows that each node won between two releases.

    Parameters
    ----------
    ids, counts : ndarray of shape (n_nodes,), int64
    nodes : ndarray of shape (n_nodes, n_features)
        What was sent first.
    later_ids, later_nodes, later_counts
        What was sent later of nodes that are new or have moved.

    Returns
    -------
    ndarray of shape (n_points, n_features)
        A new node as it is; nothing of a node that won no row in between.

    Examples
    --------
    Node 0 stood at 2 after two rows; a row at 5 moves it to 3. Node 1 is new.

    >>> difference_nodes(np.array([0]), np.array([[2.0]]), np.array([2]),
    ...                  np.array([0, 1]), np.array([[3.0], [9.0]]), np.array([3, 1]))
    array([[5.],
           [9.]])
    """
    order = np.argsort(ids)
    place = np.minimum(np.searchsorted(ids, later_ids, sorter=order), len(ids) - 1)
    before = order[place]
    met = ids[before] == later_ids
    c = np.where(met, counts[before], 0)
    won = later_counts - c
    total = later_counts[:, None] * later_nodes - c[:, None] * nodes[before]
    return np.asarray(total[won > 0] / won[won > 0, None])

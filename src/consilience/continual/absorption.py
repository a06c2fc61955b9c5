"""What to do with tiny clusters: hand them to the nearest cluster of some size."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.continual.nodes.correntropy import cim

__all__ = ["absorb_small"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def absorb_small(
    nodes: FloatArray, labels: IntArray, counts: IntArray, sigma: float, smallest: int
) -> IntArray:
    """Give the nodes of clusters that won few points to the nearest cluster that won enough.

    Parameters
    ----------
    nodes : ndarray of shape (n_nodes, d)
    labels : ndarray of shape (n_nodes,)
        Cluster of each node.
    counts : ndarray of shape (n_nodes,)
        Points each node won.
    sigma : float
        Mean bandwidth of the nodes.
    smallest : int
        Points a cluster must have won to stay; 1 leaves everything as it is.

    Returns
    -------
    ndarray of shape (n_nodes,)
        New labels, numbered from 0 in the order of the old. If no cluster is large enough
        nothing is absorbed.

    Examples
    --------
    >>> nodes = np.array([[0.0], [1.0], [9.0]])
    >>> labels, counts = np.array([0, 1, 2]), np.array([50, 2, 40])
    >>> absorb_small(nodes, labels, counts, 1.0, smallest=5).tolist()
    [0, 0, 1]
    """
    won = np.bincount(labels, weights=counts)
    large = won[labels] >= smallest
    result = labels.copy()
    if large.any():
        stays = np.flatnonzero(large)
        for k in np.flatnonzero(~large):
            result[k] = labels[stays[cim(nodes[k], nodes[stays], sigma).argmin()]]
    return np.unique(result, return_inverse=True)[1].astype(np.int64)

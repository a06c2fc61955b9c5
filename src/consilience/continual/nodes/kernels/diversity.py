"""Are there enough nodes, compiled."""

from __future__ import annotations

import numpy as np

from consilience.continual.nodes.diversity import SMALLEST_PIVOT
from consilience.continual.nodes.kernels.compiler import fused
from consilience.continual.nodes.kernels.correntropy import cim

__all__ = ["measure_diversity"]


@fused
def measure_diversity(nodes, L, n_nodes, sigma, so_far, use_cim):
    """Bring the Cholesky factor `L` of the similarities up to all nodes.

    Takes and returns how many nodes are in the factor and the logarithm of the determinant.
    """
    k, log_diversity = so_far
    row = np.empty(n_nodes)
    while k < n_nodes and log_diversity > -np.inf:
        cim(nodes[k].copy(), nodes, k, sigma, row)
        pivot = np.e
        for j in range(k):
            likeness = 1.0 - row[j] if use_cim else 1.0 - row[j] * row[j]
            row[j] = np.exp(likeness)
        for j in range(k):  # forward substitution, one column of the factor at a time
            row[j] /= L[j, j]
            pivot -= row[j] * row[j]
            column = L[:k, j]
            for i in range(j + 1, k):
                row[i] -= row[j] * column[i]
        L[k, :k] = row[:k]
        if pivot >= SMALLEST_PIVOT:
            L[k, k] = np.sqrt(pivot)
            log_diversity += np.log(pivot)
        else:
            log_diversity = -np.inf
        k += 1
    return k, log_diversity

"""Are there enough nodes, compiled."""

from __future__ import annotations

import numpy as np

from consilience.continual.nodes.diversity import SMALLEST_PIVOT
from consilience.continual.nodes.kernels.compiler import compiled, fused, half_power, reordered
from consilience.continual.nodes.kernels.correntropy import HALF_LIFE, alike

__all__ = ["measure_diversity"]

_LOG2_E = float(np.log2(np.e))


@compiled
def measure_diversity(nodes, L, n_nodes, sigma, so_far, use_cim):
    """Bring the Cholesky factor `L` of the similarities up to all nodes.

    Takes and returns how many nodes are in the factor and the logarithm of the determinant.
    """
    k, log_diversity = so_far
    row = np.empty(n_nodes)
    while k < n_nodes and log_diversity > -np.inf:
        for j in range(k):
            row[j] = alike(nodes[k], nodes[j], HALF_LIFE / sigma)
            if use_cim:
                row[j] = 1.0 - np.sqrt(max(1.0 - row[j], 0.0))
        _exponentiate(row[:k])
        own = L[k]
        for j in range(k):  # forward substitution
            own[j] = (row[j] - _dot(L[j, :j], own[:j])) / L[j, j]
        pivot = np.e - _dot(own[:k], own[:k])
        if pivot >= SMALLEST_PIVOT:
            L[k, k] = np.sqrt(pivot)
            log_diversity += np.log(pivot)
        else:
            log_diversity = -np.inf
        k += 1
    return k, log_diversity


@fused
def _exponentiate(values):
    """Put e^v in the place of each v, from 0 to 1."""
    for j in range(values.size):
        values[j] = 4.0 * half_power(2.0 - _LOG2_E * values[j])


@reordered
def _dot(a, b):
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total

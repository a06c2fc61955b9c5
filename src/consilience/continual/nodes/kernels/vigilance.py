"""How near is near enough, compiled."""

from __future__ import annotations

import numpy as np

from consilience.continual.nodes.kernels.compiler import compiled
from consilience.continual.nodes.kernels.correntropy import cim
from consilience.continual.nodes.vigilance import SLACK

__all__ = ["similarity_threshold"]


@compiled
def similarity_threshold(nodes, n_nodes, sigma):
    """Return the mean distance of the nodes to their nearest other node, Eq. (14).

    Each pair is measured once: the metric is symmetric to the last bit.
    """
    distances = np.empty(n_nodes)
    shortest = np.full(n_nodes, np.inf)
    for k in range(n_nodes):
        cim(nodes[k].copy(), nodes, k, sigma, distances)
        for j in range(k):
            distance = distances[j]
            if distance > 0.0:
                shortest[k] = min(shortest[k], distance)
                shortest[j] = min(shortest[j], distance)
    total, found = 0.0, 0
    for distance in shortest:
        if distance < np.inf:
            total += distance
            found += 1
    return total / found + SLACK if found else 0.0

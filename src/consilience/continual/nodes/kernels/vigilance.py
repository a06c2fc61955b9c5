"""How near is near enough, compiled."""

from __future__ import annotations

import numpy as np

from consilience.continual.nodes.kernels.compiler import compiled
from consilience.continual.nodes.kernels.search import nearest_other
from consilience.continual.nodes.vigilance import SLACK

__all__ = ["similarity_threshold"]


@compiled
def similarity_threshold(nodes, n_nodes, sigma, sketch):
    """Return the mean distance of the nodes to their nearest other node, Eq. (14)."""
    total, found = 0.0, 0
    for k in range(n_nodes):
        distance = nearest_other(nodes[k], nodes, n_nodes, sigma, sketch)
        if distance < np.inf:
            total += distance
            found += 1
    return total / found + SLACK if found else 0.0

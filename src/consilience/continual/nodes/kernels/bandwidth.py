"""How wide is the kernel, compiled."""

from __future__ import annotations

import numpy as np

from consilience.continual.nodes.bandwidth import SMALLEST_SPREAD
from consilience.continual.nodes.kernels.compiler import fused

__all__ = ["bandwidth"]


@fused
def bandwidth(nodes, chosen):
    """Return one bandwidth for the nodes at the indices `chosen`, Eqs. (10) and (13)."""
    n, d = chosen.size, nodes.shape[1]
    means, spreads = np.zeros(d), np.zeros(d)
    for k in chosen:
        node = nodes[k]
        for i in range(d):
            means[i] += node[i]
    for i in range(d):
        means[i] /= n
    for k in chosen:
        node = nodes[k]
        for i in range(d):
            difference = node[i] - means[i]
            spreads[i] += difference * difference
    for i in range(d):
        spread = np.sqrt(spreads[i] / (n - 1)) if n > 1 else 0.0
        spreads[i] = SMALLEST_SPREAD if spread == 0.0 else spread
    exponent = 1.0 / (4.0 + d)
    return (4.0 / (2.0 + d)) ** exponent * np.median(spreads) * n**-exponent

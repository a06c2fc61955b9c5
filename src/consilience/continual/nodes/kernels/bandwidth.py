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
    spreads = np.empty(d)
    whole = d - d % 4
    for i in range(0, whole, 4):
        _four_spreads(nodes, chosen, i, spreads)
    for i in range(whole, d):
        mean = 0.0
        for k in chosen:
            mean += nodes[k, i]
        mean /= n
        total = 0.0
        for k in chosen:
            total += (nodes[k, i] - mean) ** 2
        spreads[i] = total
    for i in range(d):
        spread = np.sqrt(spreads[i] / (n - 1)) if n > 1 else 0.0
        spreads[i] = SMALLEST_SPREAD if spread == 0.0 else spread
    exponent = 1.0 / (4.0 + d)
    return (4.0 / (2.0 + d)) ** exponent * np.median(spreads) * n**-exponent


@fused
def _four_spreads(nodes, chosen, i, spreads):
    """Sum the squares of four features at once: no sum need wait for its own last step."""
    n = chosen.size
    a = b = c = d = 0.0
    for k in chosen:
        a += nodes[k, i]
        b += nodes[k, i + 1]
        c += nodes[k, i + 2]
        d += nodes[k, i + 3]
    a, b, c, d = a / n, b / n, c / n, d / n
    aa = bb = cc = dd = 0.0
    for k in chosen:
        aa += (nodes[k, i] - a) ** 2
        bb += (nodes[k, i + 1] - b) ** 2
        cc += (nodes[k, i + 2] - c) ** 2
        dd += (nodes[k, i + 3] - d) ** 2
    spreads[i], spreads[i + 1], spreads[i + 2], spreads[i + 3] = aa, bb, cc, dd

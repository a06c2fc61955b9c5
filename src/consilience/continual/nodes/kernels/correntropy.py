"""How alike are two points, compiled."""

from __future__ import annotations

import numpy as np

from consilience.continual.nodes.correntropy import TIE
from consilience.continual.nodes.kernels.compiler import compiled, fused, half_power

__all__ = ["HALF_LIFE", "cim", "to_distance"]

HALF_LIFE = float(np.sqrt(0.5 / np.log(2.0)))
"""exp(-t^2 / 2) = 2^-(t HALF_LIFE)^2: a power of two takes one step less than one of e."""


@fused
def cim(x, nodes, n_nodes, sigma, out):
    """Write the distances of `x` to the first `n_nodes` nodes to `out`, Eq. (7)."""
    unit = HALF_LIFE / sigma
    out[:n_nodes] = 0.0
    for i in range(x.size):
        column = nodes[:n_nodes, i]
        value = x[i]
        for k in range(n_nodes):
            difference = (column[k] - value) * unit
            out[k] += half_power(difference * difference)
    for k in range(n_nodes):
        out[k] = to_distance(out[k] / x.size)


@compiled
def to_distance(c):
    """Return the metric that a correntropy induces; exactly 0 where it is 1 but for rounding."""
    away = 1.0 - c
    return 0.0 if away < TIE else np.sqrt(away)

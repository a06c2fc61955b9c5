"""How alike are two points, compiled."""

from __future__ import annotations

import numpy as np

from consilience.continual.nodes.correntropy import TIE
from consilience.continual.nodes.kernels.compiler import compiled, fused, half_power, reordered

__all__ = ["HALF_LIFE", "alike", "to_distance"]

HALF_LIFE = float(np.sqrt(0.5 / np.log(2.0)))
"""exp(-t^2 / 2) = 2^-(t HALF_LIFE)^2: a power of two takes one step less than one of e."""


@reordered
def alike(x, y, unit):
    """Return the correntropy of two points, Eqs. (5) and (6); `unit` is HALF_LIFE / sigma."""
    total = 0.0
    for i in range(x.size):
        total += _term(x[i], y[i], unit)
    return total / x.size


@fused
def _term(a, b, unit):
    difference = (a - b) * unit
    return half_power(difference * difference)


@compiled
def to_distance(c):
    """Return the metric that a correntropy induces; exactly 0 where it is 1 but for rounding."""
    away = 1.0 - c
    return 0.0 if away < TIE else np.sqrt(away)

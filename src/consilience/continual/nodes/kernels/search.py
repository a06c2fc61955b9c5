"""Which nodes are nearest: all in single precision first, then the few in question in full.

A node whose rough correntropy falls short of the best by more than both errors cannot be the
nearest; what is left, two or three nodes as a rule, is compared exactly. The answer is that of
comparing all of them exactly, in half the time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.continual.nodes.correntropy import TIE
from consilience.continual.nodes.kernels.compiler import (
    compiled,
    fused,
    half_power,
    rough_half_power,
)
from consilience.continual.nodes.kernels.correntropy import HALF_LIFE, to_distance

__all__ = ["nearest", "two_nearest"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_ROUGH_ERROR, _ROUNDING = 1e-6, 2.0**-23
"""Error of one rough term, and of one sum in single precision relative to its value."""


def nearest(X: FloatArray, Y: FloatArray, sigma: float) -> IntArray:
    """Return for each row of `X` the index of the nearest node by CIM, Eq. (15).

    As :func:`consilience.continual.nodes.learning.nearest`, which says it in numpy.

    Examples
    --------
    >>> nearest(np.array([[0.1], [0.9]]), np.array([[0.0], [1.0]]), 1.0).tolist()
    [0, 1]
    """
    points = np.ascontiguousarray(X, dtype=np.float64)
    winners: IntArray = _nearest(points, np.asfortranarray(Y), float(sigma))
    return winners


@compiled
def _nearest(X, Y, sigma):
    winners = np.empty(X.shape[0], dtype=np.int64)
    rough = np.empty((2, Y.shape[0]), dtype=np.float32)
    for n in range(X.shape[0]):
        winners[n] = two_nearest(X[n], Y, Y.shape[0], sigma, rough)[0]
    return winners


@compiled
def two_nearest(x, nodes, n_nodes, sigma, rough):
    """Return the nearest and second nearest node and their distances; of equals the first.

    `rough` is room for two rows of `n_nodes` single-precision numbers.
    """
    unit = HALF_LIFE / sigma
    sums = rough[0]
    _screen(x, nodes, n_nodes, unit, sums, rough[1])
    best = runner_up = np.float32(-1.0)
    for k in range(n_nodes):
        if sums[k] > best:
            best, runner_up = sums[k], best
        elif sums[k] > runner_up:
            runner_up = sums[k]
    d = x.size
    bar = runner_up - 2.0 * d * (_ROUGH_ERROR + d * _ROUNDING)
    first = second = 0
    most = next_most = -np.inf
    for k in range(n_nodes):
        if sums[k] >= bar:
            alike = _exact(x, nodes, k, unit)
            if alike > most + TIE:
                first, second, most, next_most = k, first, alike, most
            elif alike > next_most + TIE:
                second, next_most = k, alike
    return first, second, to_distance(most), to_distance(next_most)


@fused
def _screen(x, nodes, n_nodes, unit, sums, differences):
    """Sum the terms of the correntropy roughly; two loops, each as wide as its numbers allow."""
    sums[:n_nodes] = np.float32(0.0)
    for i in range(x.size):
        column = nodes[:n_nodes, i]
        value = x[i]
        for k in range(n_nodes):
            differences[k] = np.float32((column[k] - value) * unit)
        for k in range(n_nodes):
            sums[k] += rough_half_power(differences[k] * differences[k])


@fused
def _exact(x, nodes, k, unit):
    total = 0.0
    for i in range(x.size):
        difference = (nodes[k, i] - x[i]) * unit
        total += half_power(difference * difference)
    return total / x.size

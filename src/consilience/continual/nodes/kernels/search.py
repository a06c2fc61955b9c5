"""Which nodes are nearest: all on a sketch of them first, then the few in question in full.

A node whose rough correntropy falls short of the best by more than both errors cannot be the
nearest; what is left, two or three nodes as a rule, is compared exactly. The answer is that of
comparing all of them exactly, in a third of the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.continual.nodes.correntropy import TIE
from consilience.continual.nodes.kernels.compiler import compiled, fused, rough_half_power
from consilience.continual.nodes.kernels.correntropy import HALF_LIFE, alike, to_distance

__all__ = ["Sketch", "draw", "draw_node", "nearest", "nearest_other", "two_nearest"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SingleArray = npt.NDArray[np.float32]

_ROUGH_ERROR, _ROUNDING = 1.02e-4, 2.0**-23
"""Error of one rough term, and of what is rounded to single precision, relative to its value."""


_AT_ONCE = 16
"""Nodes that a processor with wide registers compares in one step."""


class Sketch(NamedTuple):
    """Nodes in single precision, feature by feature, and room for what a point is to them.

    A point is compared with all nodes one feature at a time, which a processor does sixteen
    nodes at once however few features there are. Coordinates are those relative to a point nearby:
    far from zero, single precision would not tell nodes apart.
    """

    columns: SingleArray
    origin: FloatArray
    reach: FloatArray
    """One number, the largest coordinate that any node had."""
    sums: SingleArray


@compiled
def draw(nodes, n_nodes, origin):
    """Return a sketch of the first `n_nodes` nodes, with room for as many as `nodes` has."""
    capacity, d = nodes.shape
    width = _widened(capacity)
    columns, sums = np.zeros((d, width), np.float32), np.empty(width, np.float32)
    sketch = Sketch(columns, origin.copy(), np.zeros(1), sums)
    for k in range(n_nodes):
        draw_node(sketch, nodes, k)
    return sketch


@compiled
def _widened(n_nodes):
    """Return the number of nodes after which none is left to be compared alone."""
    return (n_nodes + _AT_ONCE - 1) // _AT_ONCE * _AT_ONCE


@compiled
def draw_node(sketch, nodes, k):
    """Bring one node of the sketch to where it is now."""
    node, reach = nodes[k], sketch.reach[0]
    for i in range(node.size):
        away = node[i] - sketch.origin[i]
        sketch.columns[i, k] = away
        reach = max(reach, abs(away))
    sketch.reach[0] = reach


def nearest(X: FloatArray, Y: FloatArray, sigma: float) -> IntArray:
    """Return for each row of `X` the index of the nearest node by CIM, Eq. (15).

    As :func:`consilience.continual.nodes.learning.nearest`, which says it in numpy.

    Examples
    --------
    >>> nearest(np.array([[0.1], [0.9]]), np.array([[0.0], [1.0]]), 1.0).tolist()
    [0, 1]
    """
    points, nodes = (np.ascontiguousarray(A, dtype=np.float64) for A in (X, Y))
    winners: IntArray = _nearest(points, nodes, float(sigma))
    return winners


@compiled
def _nearest(X, Y, sigma):
    winners = np.empty(X.shape[0], dtype=np.int64)
    sketch = draw(Y, Y.shape[0], Y[0])
    for n in range(X.shape[0]):
        winners[n] = two_nearest(X[n], Y, Y.shape[0], sigma, sketch)[0]
    return winners


@compiled
def two_nearest(x, nodes, n_nodes, sigma, sketch):
    """Return the nearest and second nearest node and their distances; of equals the first."""
    unit = HALF_LIFE / sigma
    doubt, sums = _screen(x, sketch, n_nodes, unit), sketch.sums
    best = runner_up = np.float32(-1.0)
    for k in range(n_nodes):
        if sums[k] > best:
            best, runner_up = sums[k], best
        elif sums[k] > runner_up:
            runner_up = sums[k]
    bar = runner_up - 2.0 * doubt
    first = second = 0
    most = next_most = -np.inf
    for k in range(n_nodes):
        if not sums[k] < bar:
            likeness = alike(x, nodes[k], unit)
            if likeness > most + TIE:
                first, second, most, next_most = k, first, likeness, most
            elif likeness > next_most + TIE:
                second, next_most = k, likeness
    return first, second, to_distance(most), to_distance(next_most)


@compiled
def nearest_other(x, nodes, n_nodes, sigma, sketch):
    """Return the distance of the nearest node that is not at `x` itself; infinity if all are."""
    unit = HALF_LIFE / sigma
    doubt, sums = _screen(x, sketch, n_nodes, unit), sketch.sums
    best = np.float32(-1.0)
    for k in range(n_nodes):
        if best < sums[k] < x.size - doubt:  # above it may be at x
            best = sums[k]
    shortest = np.inf
    for k in range(n_nodes):
        if not sums[k] < best - 2.0 * doubt:
            distance = to_distance(alike(x, nodes[k], unit))
            if 0.0 < distance < shortest:
                shortest = distance
    return shortest


@fused
def _screen(x, sketch, n_nodes, unit):
    """Sum the terms of the correntropies roughly, and return how wrong a sum may be."""
    sums, scale, furthest, width = sketch.sums, np.float32(unit), 0.0, _widened(n_nodes)
    sums[:width] = np.float32(0.0)
    for i in range(x.size):
        away = x[i] - sketch.origin[i]
        furthest = max(furthest, abs(away))
        value, column = np.float32(away) * scale, sketch.columns[i]
        for k in range(width):
            difference = column[k] * scale - value
            sums[k] += rough_half_power(difference * difference)
    rounded = x.size + unit * (sketch.reach[0] + furthest)
    return x.size * (_ROUGH_ERROR + _ROUNDING * rounded)

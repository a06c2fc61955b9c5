"""The learning procedure, compiled: Algorithm 1 step by step in loops that numba turns to code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.continual.nodes.kernels.bandwidth import bandwidth
from consilience.continual.nodes.kernels.compiler import compiled
from consilience.continual.nodes.kernels.diversity import measure_diversity
from consilience.continual.nodes.kernels.edges import deletion_threshold
from consilience.continual.nodes.kernels.search import draw, draw_node, two_nearest
from consilience.continual.nodes.kernels.vigilance import similarity_threshold
from consilience.continual.nodes.learning import LOWEST_DIVERSITY
from consilience.continual.nodes.network import (
    MAX_START,
    MIN_DISTINCT,
    MIN_START,
    NEAR,
    Network,
)

__all__ = ["learn"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

USUAL_START = 128
"""Nodes for which room is made before the first point."""
_NO_FACTOR = np.zeros((2, 2))
"""Takes the place of a factor no longer needed; of the same kind, or numba compiles twice."""
_LOG_LOWEST = float(np.log(LOWEST_DIVERSITY))


class Tally(NamedTuple):
    """The counters of a `Network`, under the same names."""

    n_nodes: int
    n_seen: int
    clock: int
    n_created: int
    n_active: int
    threshold: float
    estimate: float
    n_deleted: int
    deleted_mean: float
    start_bandwidth: float
    n_factored: int
    log_diversity: float


class Arrays(NamedTuple):
    """The arrays of a `Network`, under the same names."""

    nodes: FloatArray
    bandwidths: FloatArray
    counts: IntArray
    used: IntArray
    ids: IntArray
    ages: IntArray
    renewed: IntArray
    granted: IntArray
    factor: FloatArray


class Rules(NamedTuple):
    """What does not change while a network learns."""

    topology: bool
    use_cim: bool
    whisker: float
    recount: bool
    max_nodes: int
    lifetime: int
    grant: int
    longest: int


def learn(network: Network, X: FloatArray) -> None:
    """Present the rows of `X` to the network, once, in their order (Alg. 1).

    As :func:`consilience.continual.nodes.learning.learn`, which says it in numpy.

    Examples
    --------
    >>> from consilience.continual.nodes import learning
    >>> from consilience.continual.nodes.profile import find_profile
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> fast, plain = (Network(2, find_profile("reference")) for _ in range(2))
    >>> learn(fast, X)
    >>> learning.learn(plain, X)
    >>> bool(np.allclose(fast.positions, plain.positions))
    True
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    done = 0
    # Room for a usual start at once: every growth leaves the compiled code and enters it again.
    room = min(len(X), USUAL_START)
    while done < len(X):
        capacity = min(network.n_nodes + room, network.max_nodes)
        network.reserve(capacity)
        if network.n_active == 0:
            network.reserve_factor(capacity)
        room = 1
        arrays = Arrays(*(getattr(network, name) for name in Arrays._fields))
        if network.n_active:
            arrays = arrays._replace(factor=_NO_FACTOR)
        tally = Tally(*(getattr(network, name) for name in Tally._fields))
        taken, tally = _learn(
            X[done:],
            arrays,
            tally,
            Rules(
                network.topology,
                network.similarity == "cim",
                network.profile.whisker,
                network.profile.recount,
                network.max_nodes,
                *network.lifetimes,
            ),
        )
        done += taken
        for name, value in zip(Tally._fields, tally, strict=True):
            setattr(network, name, value)
        if network.n_active:
            network.factor = np.zeros((0, 0))


@compiled
def _active(used, n_nodes, n_active, clock):
    """Return the nodes used last, by halving the times among which the first of them is."""
    enough, too_few = 0, clock + 1
    while too_few - enough > 1:
        middle, n_later = (enough + too_few) // 2, 0
        for k in range(n_nodes):
            n_later += used[k] >= middle
        if n_later >= n_active:
            enough = middle
        else:
            too_few = middle
    return np.flatnonzero(used[:n_nodes] >= enough)


@compiled
def _settle(arrays, n_nodes, sketch):
    """All nodes are active here: their number has just become `n_active`."""
    sigma = bandwidth(arrays.nodes, np.arange(n_nodes))
    arrays.bandwidths[:n_nodes] = sigma
    return similarity_threshold(arrays.nodes, n_nodes, sigma, sketch)


@compiled
def _seek_room(threshold, estimate, distance, n_nodes, max_nodes):
    step = estimate / max_nodes
    if distance <= threshold:
        return max(estimate, threshold - (1.0 - NEAR) * step)
    return threshold + NEAR * step if n_nodes == max_nodes else threshold


@compiled
def _add(arrays, sketch, x, sigma, k, clock, number):
    arrays.nodes[k] = x
    draw_node(sketch, arrays.nodes, k)
    arrays.bandwidths[k] = sigma
    arrays.counts[k] = 1
    arrays.used[k] = clock
    arrays.ids[k] = number


@compiled
def _add_apart(arrays, sketch, x, n_nodes, n_active, clock, number):
    """Make a node of a row that is far from all, with the bandwidth of the active ones."""
    _add(arrays, sketch, x, 0.0, n_nodes, clock, number)
    chosen = _active(arrays.used, n_nodes + 1, n_active, clock)
    arrays.bandwidths[n_nodes] = bandwidth(arrays.nodes, chosen)


@compiled
def _move(nodes, sketch, k, x, divisor):
    node = nodes[k]
    for i in range(x.size):
        node[i] += (x[i] - node[i]) / divisor
    draw_node(sketch, nodes, k)


@compiled
def _update_edges(arrays, sketch, x, n_nodes, first, second, both_near, clock, deleted, rules):
    (n_deleted, mean), ages, renewed = deleted, arrays.ages, arrays.renewed
    granted = arrays.granted
    for k in range(n_nodes):
        if ages[first, k]:
            ages[first, k] += 1
            ages[k, first] += 1
    if both_near:
        before = granted[first, second] if ages[first, second] else 0
        granted[first, second] = min(before + rules.grant, rules.longest)
        granted[second, first] = granted[first, second]
        ages[first, second] = 1
        ages[second, first] = 1
        renewed[first, second] = clock
        renewed[second, first] = clock
    for k in range(n_nodes):
        if ages[first, k] and renewed[first, k] + granted[first, k] < clock:
            ages[first, k] = 0
            ages[k, first] = 0
    neighbours = np.flatnonzero(ages[first, :n_nodes])
    if both_near:
        for k in neighbours:
            _move(arrays.nodes, sketch, k, x, 10.0 * arrays.counts[k])
    limit = deletion_threshold(ages[first][neighbours], mean, n_deleted, rules.whisker)
    for k in neighbours:
        if ages[first, k] > limit:
            mean = (mean * n_deleted + ages[first, k]) / (n_deleted + 1)
            n_deleted += 1
            ages[first, k] = 0
            ages[k, first] = 0
    return n_deleted, mean


@compiled
def _delete_isolated(arrays, sketch, n_nodes):
    linked = np.zeros(n_nodes, dtype=np.bool_)
    for k in range(n_nodes):
        linked[k] = np.any(arrays.ages[k, :n_nodes] > 0)
    chosen = np.flatnonzero(linked)
    return _keep(arrays, sketch, n_nodes, chosen, True) if 0 < chosen.size < n_nodes else n_nodes


@compiled
def _narrow(arrays, n_nodes, active):
    """Renew the bandwidths that are wider than the nodes are spread."""
    nodes = arrays.nodes
    widest = bandwidth(nodes, np.arange(n_nodes)) * n_nodes ** (1.0 / (4.0 + nodes.shape[1]))
    sigma = bandwidth(nodes, active)
    for k in range(n_nodes):
        if arrays.bandwidths[k] > widest:
            arrays.bandwidths[k] = sigma


@compiled
def _delete(arrays, sketch, n_nodes, n_active, clock, rules):
    """Drop what won nothing for long, then what has no edge; return how many are left."""
    chosen = np.flatnonzero(arrays.used[:n_nodes] > clock - rules.lifetime)
    if chosen.size < n_nodes:
        n_nodes = _keep(arrays, sketch, n_nodes, chosen, rules.topology)
        if n_nodes >= n_active:
            _narrow(arrays, n_nodes, _active(arrays.used, n_nodes, n_active, clock))
    return _delete_isolated(arrays, sketch, n_nodes) if rules.topology and n_nodes > 1 else n_nodes


@compiled
def _keep(arrays, sketch, n_nodes, chosen, topology):
    """Drop every node but those chosen, and return how many are left."""
    kept = chosen.size
    for new in range(kept):
        old = chosen[new]
        arrays.nodes[new] = arrays.nodes[old]
        draw_node(sketch, arrays.nodes, new)
        arrays.bandwidths[new] = arrays.bandwidths[old]
        arrays.counts[new] = arrays.counts[old]
        arrays.used[new] = arrays.used[old]
        arrays.ids[new] = arrays.ids[old]
        if topology:
            for other in range(kept):
                arrays.ages[new, other] = arrays.ages[old, chosen[other]]
                arrays.renewed[new, other] = arrays.renewed[old, chosen[other]]
                arrays.granted[new, other] = arrays.granted[old, chosen[other]]
    if topology:
        for edges in (arrays.ages, arrays.renewed, arrays.granted):
            edges[kept:n_nodes, :n_nodes] = 0
            edges[:kept, kept:n_nodes] = 0
    return kept


@compiled
def _merge_copies(arrays, sketch, n_nodes, topology):
    """If the nodes are too few different ones, let copies be wins of the first; return how many.

    Nothing is changed if there are enough.
    """
    original = np.empty(n_nodes, dtype=np.int64)
    for k in range(n_nodes):
        original[k] = 0
        while np.any(arrays.nodes[original[k]] != arrays.nodes[k]):
            original[k] += 1
    chosen = np.unique(original)
    if chosen.size >= MIN_DISTINCT:
        return n_nodes
    for k in range(n_nodes):
        if original[k] < k:
            arrays.counts[original[k]] += arrays.counts[k]
            arrays.used[original[k]] = max(arrays.used[original[k]], arrays.used[k])
    return _keep(arrays, sketch, n_nodes, chosen, topology)


@compiled
def _start(arrays, sketch, n_nodes, n_active, threshold, start, rules):
    """See whether the nodes are enough (lines 7-14); `start` is how far the estimate has come."""
    start_bandwidth, n_factored, log_diversity = start
    settled = n_nodes == n_active
    if n_active == 0 and n_nodes >= MIN_START:
        if start_bandwidth == 0.0:
            start_bandwidth = bandwidth(arrays.nodes, np.arange(MIN_START))
        arrays.bandwidths[:n_nodes] = start_bandwidth
        n_factored, log_diversity = measure_diversity(
            arrays.nodes, arrays.factor, n_nodes, start_bandwidth, start[1:], rules.use_cim
        )
        settled = log_diversity < _LOG_LOWEST or n_nodes == min(MAX_START, rules.max_nodes)
    if settled:
        n_active, n_factored, log_diversity = n_nodes, 0, 0.0
        threshold = _settle(arrays, n_nodes, sketch)
    return n_active, threshold, (start_bandwidth, n_factored, log_diversity)


@compiled
def _learn(X, arrays, tally, rules):
    """Present rows until they or the room for nodes run out; return how many were taken.

    The counters are plain numbers here: as a tuple that goes from call to call they cost a tenth
    of the time of a row.
    """
    n_nodes, n_seen, clock, n_created, n_active, threshold, estimate = tally[:7]
    n_deleted, deleted_mean = tally[7:9]
    start = tally[9:]
    nodes, counts, used = arrays.nodes, arrays.counts, arrays.used
    sketch = draw(nodes, n_nodes, nodes[0] if n_nodes else X[0])
    sigma, measured = 0.0, (-1, -1)
    taken = 0
    for x in X:
        room = nodes.shape[0] if n_active else arrays.factor.shape[0]
        if n_nodes >= room and n_nodes < rules.max_nodes:
            break
        taken, n_seen, clock = taken + 1, n_seen + 1, clock + 1
        if n_active == 0 or n_nodes < n_active:
            _add(arrays, sketch, x, start[0], n_nodes, clock, n_created)
            n_nodes, n_created = n_nodes + 1, n_created + 1
            if n_nodes == (n_active if n_active else MIN_START) and (n_active or start[0] == 0.0):
                n_nodes = _merge_copies(arrays, sketch, n_nodes, rules.topology)
            n_active, estimate, start = _start(
                arrays, sketch, n_nodes, n_active, estimate, start, rules
            )
            if n_nodes == n_active:
                threshold = estimate
        else:
            if measured != (n_nodes, n_created):  # else no bandwidth has changed
                sigma, measured = arrays.bandwidths[:n_nodes].mean(), (n_nodes, n_created)
            first, second, best, next_best = two_nearest(x, nodes, n_nodes, sigma, sketch)
            if best > threshold and n_nodes < rules.max_nodes:
                _add_apart(arrays, sketch, x, n_nodes, n_active, clock, n_created)
                n_nodes, n_created = n_nodes + 1, n_created + 1
            else:
                threshold = _seek_room(threshold, estimate, best, n_nodes, rules.max_nodes)
                both_near = next_best <= threshold
                counts[first] += 1
                _move(nodes, sketch, first, x, 1.0 * counts[first])
                used[first] = clock
                if rules.topology:
                    deleted = n_deleted, deleted_mean
                    n_deleted, deleted_mean = _update_edges(
                        arrays, sketch, x, n_nodes, first, second, both_near, clock, deleted, rules
                    )
                elif both_near:
                    _move(nodes, sketch, second, x, 100.0 * counts[second])
        if n_active > 0 and n_seen % (2 * n_active) == 0:
            left = _delete(arrays, sketch, n_nodes, n_active, clock, rules)
            if left < n_nodes:
                n_nodes, start = left, (start[0], 0, 0.0)
            if rules.recount and n_nodes < n_active:
                n_active = 0
    counters = n_nodes, n_seen, clock, n_created, n_active, threshold, estimate
    return taken, Tally(*counters, n_deleted, deleted_mean, *start)

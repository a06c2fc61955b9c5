"""The learning procedure, compiled: `learning` step by step in loops that numba turns to code.

Functions have the names they have in `learning` and the files it uses, and work on the arrays of a
`Network`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.continual.bandwidth import SMALLEST_SPREAD
from consilience.continual.compiler import compiled, exp
from consilience.continual.learning import LOWEST_DIVERSITY
from consilience.continual.network import MAX_NODES, MAX_START, MIN_START, Network

__all__ = ["learn", "nearest"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

USUAL_START = 128
"""Nodes for which room is made before the first point."""
_LOG_LOWEST = float(np.log(LOWEST_DIVERSITY))


class Tally(NamedTuple):
    """The counters of a `Network`, under the same names."""

    n_nodes: int
    n_seen: int
    clock: int
    n_created: int
    n_active: int
    threshold: float
    start_bandwidth: float
    n_deleted: int
    deleted_mean: float
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
    factor: FloatArray


def learn(network: Network, X: FloatArray) -> None:
    """Present the rows of `X` to the network, once, in their order (Alg. 1).

    Parameters
    ----------
    network : Network
        Changed in place.
    X : ndarray of shape (n, d)
        Finite points.

    Examples
    --------
    >>> from consilience.continual import learning
    >>> from consilience.continual.profile import find_profile
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
        network.reserve(network.n_nodes + max(room, 1))
        if network.n_active == 0:
            network.reserve_factor(network.n_nodes + max(room, 1))
        room = 0
        arrays = Arrays(*(getattr(network, name) for name in Arrays._fields))
        tally = Tally(*(getattr(network, name) for name in Tally._fields))
        taken, tally = _learn(
            X[done:],
            arrays,
            tally,
            network.topology,
            network.similarity == "cim",
            network.profile.whisker,
            network.profile.recount,
        )
        done += taken
        for name, value in zip(Tally._fields, tally, strict=True):
            setattr(network, name, value)
        if network.n_active:
            network.factor = np.zeros((0, 0), order="F")


def nearest(X: FloatArray, Y: FloatArray, sigma: float) -> IntArray:
    """Return for each row of `X` the index of the nearest node by CIM, Eq. (15).

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Points.
    Y : ndarray of shape (n_nodes, d)
        Nodes, at least one.
    sigma : float
        Mean bandwidth of the nodes, > 0.

    Returns
    -------
    ndarray of shape (n,)
        Indices; the lowest wins a tie.

    Examples
    --------
    >>> nearest(np.array([[0.1], [0.9]]), np.array([[0.0], [1.0]]), 1.0).tolist()
    [0, 1]
    """
    points = np.ascontiguousarray(X, dtype=np.float64)
    winners: IntArray = _nearest(points, np.asfortranarray(Y), float(sigma))
    return winners


@compiled
def _cim(x, nodes, n_nodes, sigma, out):
    scale = -1.0 / (2.0 * sigma * sigma)
    out[:n_nodes] = 0.0
    for i in range(x.size):
        column = nodes[:n_nodes, i]
        value = x[i]
        for k in range(n_nodes):
            difference = column[k] - value
            out[k] += exp(difference * difference * scale)
    for k in range(n_nodes):
        out[k] = np.sqrt(max(1.0 - out[k] / x.size, 0.0))


@compiled
def _nearest(X, Y, sigma):
    winners = np.empty(X.shape[0], dtype=np.int64)
    distances = np.empty(Y.shape[0])
    for n in range(X.shape[0]):
        _cim(X[n], Y, Y.shape[0], sigma, distances)
        winners[n] = np.argmin(distances)
    return winners


@compiled
def _spreads(nodes, chosen, i, spreads):
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


@compiled
def _bandwidth(nodes, chosen):
    n, d = chosen.size, nodes.shape[1]
    spreads = np.empty(d)
    whole = d - d % 4
    for i in range(0, whole, 4):
        _spreads(nodes, chosen, i, spreads)
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


@compiled
def _active(used, n_nodes, n_active):
    return np.argsort(-used[:n_nodes])[:n_active]


@compiled
def _similarity_threshold(nodes, n_nodes, sigma):
    """Each pair is measured once: the metric is symmetric to the last bit."""
    distances = np.empty(n_nodes)
    shortest = np.full(n_nodes, np.inf)
    for k in range(n_nodes):
        _cim(nodes[k].copy(), nodes, k, sigma, distances)
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
    return total / found if found else 0.0


@compiled
def _measure_diversity(arrays, n_nodes, sigma, k, log_diversity, use_cim):
    L = arrays.factor
    row = np.empty(n_nodes)
    while k < n_nodes and log_diversity > -np.inf:
        _cim(arrays.nodes[k].copy(), arrays.nodes, k, sigma, row)
        pivot = np.e
        for j in range(k):
            likeness = 1.0 - row[j] if use_cim else 1.0 - row[j] * row[j]
            row[j] = np.exp(likeness)
        for j in range(k):  # forward substitution, one column of the factor at a time
            row[j] /= L[j, j]
            pivot -= row[j] * row[j]
            column = L[:k, j]
            for i in range(j + 1, k):
                row[i] -= row[j] * column[i]
        L[k, :k] = row[:k]
        if pivot > 0.0:
            L[k, k] = np.sqrt(pivot)
            log_diversity += np.log(pivot)
        else:
            log_diversity = -np.inf
        k += 1
    return k, log_diversity


@compiled
def _settle(arrays, n_nodes):
    """All nodes are active here: their number has just become `n_active`."""
    sigma = _bandwidth(arrays.nodes, _active(arrays.used, n_nodes, n_nodes))
    arrays.bandwidths[:n_nodes] = sigma
    return _similarity_threshold(arrays.nodes, n_nodes, sigma)


@compiled
def _add(arrays, x, sigma, k, clock, number):
    arrays.nodes[k] = x
    arrays.bandwidths[k] = sigma
    arrays.counts[k] = 1
    arrays.used[k] = clock
    arrays.ids[k] = number


@compiled
def _move(node, x, divisor):
    for i in range(x.size):
        node[i] += (x[i] - node[i]) / divisor


@compiled
def _deletion_threshold(ages, deleted_mean, n_deleted, whisker):
    if ages.size == 0:
        return np.inf
    middle = np.median(ages)
    below = ages[ages < middle]
    above = ages[ages > middle]
    if below.size == 0 or above.size == 0:
        return np.inf
    q1, q3 = np.median(below), np.median(above)
    weight = n_deleted / (n_deleted + ages.size)
    return deleted_mean * weight + (q3 + whisker * (q3 - q1)) * (1.0 - weight)


@compiled
def _update_edges(arrays, x, n_nodes, first, second, both_near, n_deleted, mean, whisker):
    ages = arrays.ages
    for k in range(n_nodes):
        if ages[first, k]:
            ages[first, k] += 1
            ages[k, first] += 1
    if both_near:
        ages[first, second] = 1
        ages[second, first] = 1
    neighbours = np.flatnonzero(ages[first, :n_nodes])
    if both_near:
        for k in neighbours:
            _move(arrays.nodes[k], x, 10.0 * arrays.counts[k])
    limit = _deletion_threshold(ages[first][neighbours], mean, n_deleted, whisker)
    for k in neighbours:
        if ages[first, k] > limit:
            mean = (mean * n_deleted + ages[first, k]) / (n_deleted + 1)
            n_deleted += 1
            ages[first, k] = 0
            ages[k, first] = 0
    return n_deleted, mean


@compiled
def _delete_isolated(arrays, n_nodes):
    linked = np.zeros(n_nodes, dtype=np.bool_)
    for k in range(n_nodes):
        linked[k] = np.any(arrays.ages[k, :n_nodes] > 0)
    chosen = np.flatnonzero(linked)
    kept = chosen.size
    if kept == 0 or kept == n_nodes:
        return n_nodes
    for new in range(kept):
        old = chosen[new]
        arrays.nodes[new] = arrays.nodes[old]
        arrays.bandwidths[new] = arrays.bandwidths[old]
        arrays.counts[new] = arrays.counts[old]
        arrays.used[new] = arrays.used[old]
        arrays.ids[new] = arrays.ids[old]
        for other in range(kept):
            arrays.ages[new, other] = arrays.ages[old, chosen[other]]
    arrays.ages[kept:n_nodes, :n_nodes] = 0
    arrays.ages[:kept, kept:n_nodes] = 0
    return kept


@compiled
def _learn(X, arrays, tally, topology, use_cim, whisker, recount):
    """Present rows until they or the room for nodes run out; return how many were taken."""
    n_nodes, n_seen, clock, n_created, n_active = tally[:5]
    threshold, start_bandwidth, n_deleted, deleted_mean = tally[5:9]
    n_factored, log_diversity = tally[9:]
    nodes, counts, used = arrays.nodes, arrays.counts, arrays.used
    distances = np.empty(nodes.shape[0])
    taken = 0
    for x in X:
        full = n_active == 0 and n_nodes >= arrays.factor.shape[0]
        if full or n_nodes == nodes.shape[0]:
            break
        taken += 1
        n_seen += 1
        clock += 1
        if n_active == 0 or n_nodes < n_active:
            _add(arrays, x, start_bandwidth, n_nodes, clock, n_created)
            n_nodes += 1
            n_created += 1
            settled = n_nodes == n_active
            if n_active == 0 and n_nodes >= MIN_START:
                if start_bandwidth == 0.0:
                    start_bandwidth = _bandwidth(nodes, np.arange(MIN_START))
                arrays.bandwidths[:n_nodes] = start_bandwidth
                n_factored, log_diversity = _measure_diversity(
                    arrays, n_nodes, start_bandwidth, n_factored, log_diversity, use_cim
                )
                settled = log_diversity < _LOG_LOWEST or n_nodes == MAX_START
            if settled:
                n_active, n_factored, log_diversity = n_nodes, 0, 0.0
                threshold = _settle(arrays, n_nodes)
        else:
            _cim(x, nodes, n_nodes, arrays.bandwidths[:n_nodes].mean(), distances)
            first = np.argmin(distances[:n_nodes])
            best = distances[first]
            distances[first] = np.inf
            second = np.argmin(distances[:n_nodes])
            both_near = distances[second] <= threshold
            if best > threshold and n_nodes < MAX_NODES:
                _add(arrays, x, 0.0, n_nodes, clock, n_created)
                n_nodes += 1
                n_created += 1
                chosen = _active(used, n_nodes, n_active)
                arrays.bandwidths[n_nodes - 1] = _bandwidth(nodes, chosen)
            else:
                counts[first] += 1
                _move(nodes[first], x, 1.0 * counts[first])
                used[first] = clock
                if topology:
                    n_deleted, deleted_mean = _update_edges(
                        arrays,
                        x,
                        n_nodes,
                        first,
                        second,
                        both_near,
                        n_deleted,
                        deleted_mean,
                        whisker,
                    )
                elif both_near:
                    _move(nodes[second], x, 100.0 * counts[second])
        if topology and n_active > 0 and n_nodes > 1 and n_seen % (2 * n_active) == 0:
            left = _delete_isolated(arrays, n_nodes)
            if left < n_nodes:
                n_nodes, n_factored, log_diversity = left, 0, 0.0
                if recount and n_nodes < n_active:
                    n_active = 0
    return taken, Tally(
        n_nodes,
        n_seen,
        clock,
        n_created,
        n_active,
        threshold,
        start_bandwidth,
        n_deleted,
        deleted_mean,
        n_factored,
        log_diversity,
    )

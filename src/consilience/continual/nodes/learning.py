"""The learning procedure, plainly: Algorithm 1 in numpy, one point at a time.

`kernels` holds the same steps compiled; the two give the same labels, and this file is the one
to read next to the paper.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.continual.nodes.bandwidth import bandwidth
from consilience.continual.nodes.correntropy import (
    TIE,
    correntropy,
    to_distance,
    two_most_alike,
)
from consilience.continual.nodes.diversity import append_node, similarity_row
from consilience.continual.nodes.edges import deletion_threshold
from consilience.continual.nodes.network import (
    MAX_START,
    MIN_START,
    Network,
)
from consilience.continual.nodes.vigilance import similarity_threshold

__all__ = ["LOWEST_DIVERSITY", "learn", "nearest"]

FloatArray = npt.NDArray[np.float64]

LOWEST_DIVERSITY = 1e-6
"""Determinant below which the nodes are diverse enough (Alg. 1, line 10)."""
BLOCK = 2**20
"""Numbers held at once while points are compared with nodes, which bounds memory."""


def learn(network: Network, X: FloatArray) -> None:
    """Present the rows of `X` to the network, once, in their order (Alg. 1).

    CAE is topology with ``similarity="cim"``, CAE_FC topology with ``"correntropy"``, CA+ no
    topology with ``"correntropy"``.

    Parameters
    ----------
    network : Network
        Changed in place; its counters go on from where they were.
    X : ndarray of shape (n, d)
        Finite points.

    Examples
    --------
    >>> from consilience.continual.nodes.profile import find_profile
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> network = Network(2, find_profile("reference"))
    >>> learn(network, X[:200])
    >>> learn(network, X[200:])
    >>> network.n_seen, network.n_nodes < 100
    (500, True)
    """
    for x in X:
        network.n_seen += 1
        if network.filling:
            _fill(network, x)
        else:
            _resonate(network, x)
        if network.n_active and network.n_seen % (2 * network.n_active) == 0:
            _forget_unused(network)
            if network.topology:
                _delete_isolated(network)
            if network.profile.recount and network.n_nodes < network.n_active:
                network.n_active = 0


def _fill(network: Network, x: FloatArray) -> None:
    """Turn the point into a node, and see whether there are now enough (lines 3-14).

    Ten nodes that are nearly all the same say nothing of what is near: copies then become wins,
    and the estimate waits for more rows. The published program estimates a threshold of zero.
    """
    network.add(x, network.start_bandwidth)
    if network.n_nodes < (network.n_active or MIN_START):
        return
    if (network.n_active or network.start_bandwidth == 0.0) and network.alike:
        network.merge_copies()
        return
    if network.n_active:
        _settle(network)
        return
    if network.start_bandwidth == 0.0:
        network.start_bandwidth = bandwidth(network.nodes[:MIN_START])
    network.bandwidths[: network.n_nodes] = network.start_bandwidth
    _measure_diversity(network)
    most = min(MAX_START, network.max_nodes)
    if network.log_diversity < np.log(LOWEST_DIVERSITY) or network.n_nodes == most:
        network.n_active = network.n_nodes
        network.factor, network.n_factored = np.zeros((0, 0)), 0
        network.log_diversity = 0.0
        _settle(network)


def _measure_diversity(network: Network) -> None:
    """Bring the factor of the similarity matrix up to all nodes (lines 8 and 9)."""
    network.reserve_factor(network.n_nodes)
    while network.n_factored < network.n_nodes and network.log_diversity > -np.inf:
        k = network.n_factored
        row = similarity_row(network.positions, k, network.start_bandwidth, network.similarity)
        pivot = append_node(network.factor, k, row)
        network.log_diversity += np.log(pivot) if pivot > 0.0 else -np.inf
        network.n_factored += 1


def _settle(network: Network) -> None:
    """Give all nodes one bandwidth and compute the similarity threshold (line 12)."""
    active = network.nodes[network.active()]
    sigma = bandwidth(active)
    network.bandwidths[: network.n_nodes] = sigma
    network.threshold = network.estimate = similarity_threshold(active, sigma)


def _resonate(network: Network, x: FloatArray) -> None:
    """Find the two winners and create or move nodes (lines 16-40)."""
    alike = correntropy(x, network.positions, network.sigma)
    first, second = two_most_alike(alike)
    distances = to_distance(alike)
    if distances[first] > network.threshold and network.n_nodes < network.max_nodes:  # Case I
        network.add(x, 0.0)
        active = network.nodes[network.active()]
        network.bandwidths[network.n_nodes - 1] = bandwidth(active)
        return
    network.seek_room(float(distances[first]))
    nodes, counts = network.nodes, network.counts
    network.win(first)  # Cases II and III
    nodes[first] += (x - nodes[first]) / counts[first]
    both_near = second != first and bool(distances[second] <= network.threshold)
    if network.topology:
        _update_edges(network, x, first, second, both_near)
    elif both_near:
        nodes[second] += (x - nodes[second]) / (100 * counts[second])  # Eq. (30)


def _update_edges(
    network: Network, x: FloatArray, first: int, second: int, both_near: bool
) -> None:
    """Age, renew and delete the edges of the winner (lines 27-40)."""
    ages, nodes = network.ages, network.nodes
    neighbours = np.flatnonzero(ages[first])
    ages[first, neighbours] += 1
    ages[neighbours, first] += 1
    if both_near:  # Case III
        network.link(first, second)
    lasts = network.renewed[first] + network.granted[first]
    stale = np.flatnonzero((ages[first] > 0) & (lasts < network.clock))
    ages[first, stale] = ages[stale, first] = 0
    neighbours = np.flatnonzero(ages[first])
    if both_near:
        nodes[neighbours] += (x - nodes[neighbours]) / (10.0 * network.counts[neighbours, None])
    limit = deletion_threshold(
        ages[first, neighbours],
        network.deleted_mean,
        network.n_deleted,
        network.profile.whisker,
    )
    for k in neighbours[ages[first, neighbours] > limit]:
        total = network.deleted_mean * network.n_deleted + ages[first, k]
        network.n_deleted += 1
        network.deleted_mean = float(total / network.n_deleted)
        ages[first, k] = ages[k, first] = 0


def _forget_unused(network: Network) -> None:
    """Drop the nodes that won nothing for long; with too few left, all is estimated again."""
    lately = network.clock - network.lifetimes[0]
    kept = np.flatnonzero(network.used[: network.n_nodes] > lately)
    if kept.size < network.n_nodes:
        network.keep(kept.astype(np.int64))
        if not network.filling:
            network.narrow()


def _delete_isolated(network: Network) -> None:
    """Every lambda = 2 n_active points, drop the nodes without an edge (lines 41-42).

    If no node has an edge nothing is dropped: a network is never left empty.
    """
    if network.n_nodes <= 1:
        return
    block = network.ages[: network.n_nodes, : network.n_nodes]
    kept = np.flatnonzero(block.any(axis=0)).astype(np.int64)
    if not 0 < kept.size < network.n_nodes:
        return
    network.keep(kept)


def nearest(X: FloatArray, Y: FloatArray, sigma: float) -> npt.NDArray[np.int64]:
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
    winners = np.empty(len(X), dtype=np.int64)
    rows = max(1, BLOCK // Y.size)
    for start in range(0, len(X), rows):
        block = X[start : start + rows]
        alike = np.exp(-((block[:, None] - Y) ** 2) / (2.0 * sigma * sigma)).mean(axis=2)
        ties = alike >= alike.max(axis=1, keepdims=True) - TIE
        winners[start : start + rows] = ties.argmax(axis=1)
    return winners

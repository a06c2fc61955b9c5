"""The state of a resonance network: nodes, edges and the lifetime counters."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from consilience.continual.nodes.bandwidth import bandwidth
from consilience.continual.nodes.diversity import Similarity
from consilience.continual.nodes.profile import Profile, find_profile

__all__ = [
    "EDGE_GRANT",
    "LIFETIME",
    "LONGEST",
    "MAX_NODES",
    "MAX_START",
    "MIN_DISTINCT",
    "MIN_START",
    "NEAR",
    "Network",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MIN_START = 10
"""The number of active nodes is not estimated from fewer nodes than this."""
MIN_DISTINCT = 5
"""Of the first ten nodes this many must differ; else nothing can be estimated from them yet."""
LIFETIME = 7
"""A node that won nothing for this many rows per node of `max_nodes` is forgotten."""
EDGE_GRANT = 2
"""Every time it is renewed an edge may stay unrenewed for so many rows per node longer."""
LONGEST = 15
"""Rows per node that any edge lasts at most, and everything in a network of the usual bound."""
NEAR = 0.97
"""Share of the rows that a network without room for another node wants to have a node near."""
MAX_START = 1024
"""Nodes at which the estimate is cut short, so that its cost stays bounded on any data."""
MAX_NODES = 4096
"""Nodes a network never exceeds unless told otherwise; no published result comes near."""
EDGES = ("ages", "renewed", "granted")
FOUND_AGAIN = ("factor", "n_factored", "log_diversity")
"""What follows from the rest of a network."""


def _zeros(*shape: int) -> FloatArray:
    return np.zeros(shape)


def _counters(*shape: int) -> IntArray:
    return np.zeros(shape, dtype=np.int64)


@dataclass
class Network:
    """Nodes in contiguous arrays that grow by doubling, and what the network has lived through.

    The first `n_nodes` rows of the arrays are in use; the rest is room to grow.

    Parameters
    ----------
    n_features : int
        Width of a node.
    profile : Profile
        Choices of the algorithm.
    topology : bool
        With edges (CAE, CAE_FC) or without (CA+).
    similarity : {"correntropy", "cim"}
        Similarity behind the diversity: Eq. (29) (CAE_FC, CA+) or Eq. (12) (CAE).
    max_nodes : int
        Nodes the network never exceeds: then the nearest node wins however far it is. A node that
        won nothing for 7 times as many rows is forgotten, and so is an edge that was not renewed
        for twice as many, once for each time that it was, up to 15. Tails without end would
        otherwise add nodes for ever, a stream that moves on leave no room for others, and a single
        row between two clouds join them for good. With the default bound all lifetimes are 15
        times as many rows, more than a published stream has. Where there is no room the threshold
        rises until 97 of 100 rows have a node near.

    Attributes
    ----------
    nodes, bandwidths, counts, used, ids, ages, renewed, granted : ndarray
        Position, bandwidth, winning count, clock of the last win, lasting number of each
        node, and the symmetric matrices of edge ages (0 is no edge), of their last renewal and of
        the rows they may last without another.
    n_active : int
        Number of active nodes, lambda / 2 in the paper; 0 while it is unknown.
    threshold, estimate : float
        Similarity threshold of the vigilance test, and what it was estimated as; above it only
        after there was no room.
    n_seen, clock, n_created, n_deleted, deleted_mean : int or float
        Points presented, wins and births, nodes ever made, edges ever deleted and their mean age.

    Examples
    --------
    >>> from consilience.continual.nodes.profile import find_profile
    >>> network = Network(2, find_profile("reference"))
    >>> network.add(np.array([1.0, 2.0]), 0.5)
    >>> network.positions.tolist(), network.filling
    ([[1.0, 2.0]], True)
    """

    n_features: int
    profile: Profile
    topology: bool = True
    similarity: Similarity = "correntropy"
    max_nodes: int = MAX_NODES
    n_nodes: int = 0
    n_seen: int = 0
    clock: int = 0
    n_created: int = 0
    n_active: int = 0
    threshold: float = 0.0
    estimate: float = 0.0
    start_bandwidth: float = 0.0
    n_deleted: int = 0
    deleted_mean: float = 0.0
    n_factored: int = 0
    log_diversity: float = 0.0
    nodes: FloatArray = field(default_factory=lambda: _zeros(0, 0))
    bandwidths: FloatArray = field(default_factory=lambda: _zeros(0))
    counts: IntArray = field(default_factory=lambda: _counters(0))
    used: IntArray = field(default_factory=lambda: _counters(0))
    ids: IntArray = field(default_factory=lambda: _counters(0))
    ages: IntArray = field(default_factory=lambda: _counters(0, 0))
    renewed: IntArray = field(default_factory=lambda: _counters(0, 0))
    granted: IntArray = field(default_factory=lambda: _counters(0, 0))
    factor: FloatArray = field(default_factory=lambda: _zeros(0, 0))

    def __post_init__(self) -> None:
        if self.renewed.shape != self.ages.shape:
            # A state of before edges were forgotten: all count as just renewed.
            self.renewed = np.full_like(self.ages, self.clock)
        if self.granted.shape != self.ages.shape:
            # All edges lasted equally long then.
            self.granted = np.full_like(self.ages, self.lifetimes[2])
        if self.estimate == 0.0:
            # A state of before thresholds rose.
            self.estimate = self.threshold
        if self.nodes.shape[1] != self.n_features:
            self.nodes = _zeros(0, self.n_features)

    @property
    def filling(self) -> bool:
        """Whether the next point becomes a node whatever it is (Alg. 1, line 3)."""
        return self.n_active == 0 or self.n_nodes < self.n_active

    @property
    def lifetimes(self) -> tuple[int, int, int]:
        """Rows that a node without a win lasts, an edge by every renewal, and an edge at most."""
        rows = self.max_nodes
        if rows >= MAX_NODES:
            return LONGEST * rows, LONGEST * rows, LONGEST * rows
        return LIFETIME * rows, EDGE_GRANT * rows, LONGEST * rows

    @property
    def positions(self) -> FloatArray:
        """Nodes in use, shape (n_nodes, n_features)."""
        return self.nodes[: self.n_nodes]

    @property
    def sigma(self) -> float:
        """Mean bandwidth of the nodes; before ten nodes, the bandwidth of what is there."""
        if self.n_active == 0 and self.n_nodes < MIN_START:
            return bandwidth(self.positions)
        return float(self.bandwidths[: self.n_nodes].mean())

    def reserve(self, capacity: int) -> None:
        """Make room for `capacity` nodes, doubling so that growth costs O(1) per node."""
        held = self.counts.size
        if capacity <= held:
            return
        capacity = max(capacity, min(max(2 * held, 16), self.max_nodes))
        extra = capacity - held
        nodes = _zeros(capacity, self.n_features)
        nodes[:held] = self.nodes
        self.nodes = nodes
        self.bandwidths = np.concatenate([self.bandwidths, _zeros(extra)])
        self.counts = np.concatenate([self.counts, _counters(extra)])
        self.used = np.concatenate([self.used, _counters(extra)])
        self.ids = np.concatenate([self.ids, _counters(extra)])
        if self.topology:
            for name in EDGES:
                grown = _counters(capacity, capacity)
                grown[:held, :held] = getattr(self, name)
                setattr(self, name, grown)

    def reserve_factor(self, capacity: int) -> None:
        """Make room in the Cholesky factor, needed only while `n_active` is unknown."""
        held = len(self.factor)
        if capacity > held:
            capacity = max(capacity, min(2 * held, self.max_nodes))
            factor = _zeros(capacity, capacity)
            factor[:held, :held] = self.factor
            self.factor = factor

    def add(self, x: FloatArray, sigma: float) -> None:
        """Make `x` the newest node (Alg. 1, lines 4-6 and 19-21)."""
        self.reserve(self.n_nodes + 1)
        k = self.n_nodes
        self.n_nodes += 1
        self.clock += 1
        self.nodes[k], self.bandwidths[k] = x, sigma
        self.counts[k], self.used[k], self.ids[k] = 1, self.clock, self.n_created
        self.n_created += 1

    def win(self, k: int) -> None:
        """Note that node `k` won a point."""
        self.clock += 1
        self.counts[k] += 1
        self.used[k] = self.clock

    def active(self) -> IntArray:
        """Return the indices of the `n_active` most recently used nodes, latest first."""
        order = np.argsort(-self.used[: self.n_nodes], kind="stable")
        return order[: self.n_active].astype(np.int64)

    def link(self, i: int, j: int) -> None:
        """Renew an edge, or make it."""
        _, grant, longest = self.lifetimes
        before = self.granted[i, j] if self.ages[i, j] else 0
        self.ages[i, j] = self.ages[j, i] = 1
        self.renewed[i, j] = self.renewed[j, i] = self.clock
        self.granted[i, j] = self.granted[j, i] = min(before + grant, longest)

    def seek_room(self, distance: float) -> None:
        """Move the threshold by a row that is so far from its nearest node.

        It rises where there is no room for the node that the row asks for, and falls back towards
        the estimate where a node is near, by steps that cancel out if `NEAR` of the rows are.
        """
        step = self.estimate / self.max_nodes
        if distance <= self.threshold:
            self.threshold = max(self.estimate, self.threshold - (1.0 - NEAR) * step)
        elif self.n_nodes == self.max_nodes:
            self.threshold += NEAR * step

    def narrow(self) -> None:
        """Renew the bandwidths that are wider than the nodes are spread.

        A node made while the stream moved elsewhere has one that spans both places. A bandwidth is
        at most the one of a single point with the spread of all nodes.
        """
        nodes = self.positions
        widest = bandwidth(nodes) * self.n_nodes ** (1.0 / (4.0 + self.n_features))
        wide = self.bandwidths[: self.n_nodes] > widest
        self.bandwidths[: self.n_nodes][wide] = bandwidth(nodes[self.active()])

    def keep(self, kept: IntArray) -> None:
        """Drop every node but those at the indices `kept`."""
        n = kept.size
        for array in (self.nodes, self.bandwidths, self.counts, self.used, self.ids):
            array[:n] = array[kept]
        if self.topology:
            for edges in (self.ages, self.renewed, self.granted):
                block = edges[np.ix_(kept, kept)]
                edges[: self.n_nodes, : self.n_nodes] = 0
                edges[:n, :n] = block
        self.n_nodes = n
        self.n_factored, self.log_diversity = 0, 0.0

    @property
    def alike(self) -> bool:
        """Whether the nodes are too few different ones to estimate anything from."""
        return len(np.unique(self.positions, axis=0)) < MIN_DISTINCT

    def merge_copies(self) -> None:
        """Let every node that equals an earlier one be a win of that one."""
        copies = (self.positions[:, None] == self.positions).all(axis=2)
        original = copies.argmax(axis=1)
        kept = np.unique(original)
        n = self.n_nodes
        self.counts[kept] = np.bincount(original, weights=self.counts[:n])[kept]
        np.maximum.at(self.used, original, self.used[:n])
        self.keep(kept.astype(np.int64))

    def edges(self) -> IntArray:
        """Return the edges as pairs of node indices, lower index first, sorted."""
        block = self.ages[: self.n_nodes, : self.n_nodes]
        return np.argwhere(np.triu(block) > 0).astype(np.int64)

    def components(self) -> IntArray:
        """Return the number of the connected component of each node, in order of nodes."""
        if not self.topology:
            return np.arange(self.n_nodes, dtype=np.int64)
        block = self.ages[: self.n_nodes, : self.n_nodes] > 0
        _, labels = connected_components(block, directed=False)
        return labels.astype(np.int64)

    def clusters(self) -> IntArray:
        """Return the cluster of each node: components numbered by points won, most first."""
        component = self.components()
        won = np.bincount(component, weights=self.counts[: self.n_nodes])
        rank = np.empty(won.size, dtype=np.int64)
        rank[np.argsort(-won, kind="stable")] = np.arange(won.size)
        return rank[component]

    def state(self) -> dict[str, Any]:
        """Return everything a network knows, as plain values and arrays.

        Examples
        --------
        >>> network = Network(2, find_profile("reference"))
        >>> network.add(np.array([1.0, 2.0]), 0.5)
        >>> Network.from_state(network.state()).positions.tolist()
        [[1.0, 2.0]]
        """
        known = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in FOUND_AGAIN}
        n = self.n_nodes
        used = {k: v[:n].copy() for k, v in known.items() if isinstance(v, np.ndarray)}
        edges = {name: getattr(self, name)[:n, :n].copy() for name in EDGES}
        return known | used | edges | {"profile": self.profile.name}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild a network from :meth:`state`."""
        own = {k: v.copy() for k, v in state.items() if isinstance(v, np.ndarray)}
        own["nodes"] = np.ascontiguousarray(own["nodes"])
        return cls(**state | own | {"profile": find_profile(state["profile"])})

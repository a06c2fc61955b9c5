"""What a lasting network has lived through: counts of every round, pictures of the last ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.continual.naming import Succession
from consilience.continual.nodes.network import Network
from consilience.continual.state import State

__all__ = ["MAX_ROUNDS", "MAX_SNAPSHOTS", "History", "Round", "Snapshot"]

IntArray = npt.NDArray[np.int64]

MAX_ROUNDS = 1000
"""Rounds whose counts are kept; a stream has no end, its history must have one."""
MAX_SNAPSHOTS = 6
"""Rounds whose nodes are kept, to be drawn beside each other."""


@dataclass(frozen=True)
class Round:
    """A round in numbers.

    Parameters
    ----------
    number : int
        From 1.
    parties : tuple of str
        Whose nodes arrived.
    n_received, n_nodes, n_edges, n_clusters : int
        Nodes that arrived; nodes, edges and clusters of the network afterwards.
    succession : Succession
        What became of the clusters.
    """

    number: int
    parties: tuple[str, ...]
    n_received: int
    n_nodes: int
    n_edges: int
    n_clusters: int
    succession: Succession


@dataclass(frozen=True)
class Snapshot:
    """The network after a round.

    Parameters
    ----------
    number : int
        Of the round.
    nodes : ndarray of shape (n_nodes, d)
    edges : ndarray of shape (n_edges, 2)
    labels : ndarray of shape (n_nodes,)
        Lasting names of the nodes' clusters.
    """

    number: int
    nodes: npt.NDArray[np.float64]
    edges: IntArray
    labels: IntArray


@dataclass
class History:
    """Rounds in order, the oldest dropped when there are too many.

    Examples
    --------
    >>> from consilience.continual.nodes.profile import find_profile
    >>> network = Network(1, find_profile("reference"))
    >>> network.add(np.array([1.0]), 0.5)
    >>> history = History()
    >>> history.add(1, {"a": 1}, network, np.array([0]), Succession((0,), births=(0,)))
    >>> history.rounds[-1].succession.births, history.snapshots[-1].nodes.tolist()
    ((0,), [[1.0]])
    """

    rounds: list[Round] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)

    def add(
        self,
        number: int,
        received: dict[str, int],
        network: Network,
        labels: IntArray,
        succession: Succession,
    ) -> None:
        """Note a round that has ended, with how many nodes arrived from each party."""
        edges = network.edges()
        self.rounds.append(
            Round(
                number,
                tuple(received),
                sum(received.values()),
                network.n_nodes,
                len(edges),
                len(np.unique(labels)),
                succession,
            )
        )
        self.snapshots.append(Snapshot(number, network.positions.copy(), edges, labels.copy()))
        del self.rounds[:-MAX_ROUNDS], self.snapshots[:-MAX_SNAPSHOTS]

    def forget_nodes(self) -> None:
        """Drop the pictures, in which nodes of a party that has withdrawn may be; keep counts."""
        self.snapshots.clear()

    def state(self) -> State:
        """Return the history as plain values and arrays."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: State) -> History:
        """Rebuild a history from :meth:`state`, whose tuples a file returns as lists."""
        rounds = []
        for row in state["rounds"]:
            news = Succession(**{name: _tuples(told) for name, told in row["succession"].items()})
            rounds.append(Round(**row | {"parties": tuple(row["parties"]), "succession": news}))
        return cls(rounds, [Snapshot(**shot) for shot in state["snapshots"]])


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value

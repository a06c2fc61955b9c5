"""What an analyst holds of one party: its nodes as last sent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.continual.state import State
from consilience.messages import NodeUpdate

__all__ = ["Holding"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass
class Holding:
    """The nodes of a party, their numbers, counts and the clusters they were in.

    Parameters
    ----------
    ids : ndarray of shape (n,)
        Sorted.
    nodes : ndarray of shape (n, d)
    counts : ndarray of shape (n,)
    labels : ndarray of shape (n,)
        Names of their clusters in the last round, -1 where there was none.

    Examples
    --------
    >>> holding = Holding.empty(1)
    >>> update = NodeUpdate(study="", sender="a", recipient="b", window=0, ids=np.array([4, 2]),
    ...                     nodes=np.array([[4.0], [2.0]]), counts=np.array([1, 1]))
    >>> holding.merge(update)
    >>> holding.ids.tolist(), holding.labels.tolist()
    ([2, 4], [-1, -1])
    """

    ids: IntArray
    nodes: FloatArray
    counts: IntArray
    labels: IntArray

    @classmethod
    def empty(cls, n_features: int) -> Holding:
        """Return a holding without nodes."""
        none = np.empty(0, dtype=np.int64)
        return cls(none, np.empty((0, n_features)), none.copy(), none.copy())

    def merge(self, update: NodeUpdate) -> None:
        """Replace the nodes that moved and add the new ones; labels stay with the ids."""
        stays = ~np.isin(self.ids, update.ids)
        labels = np.full(len(update.ids), -1, dtype=np.int64)
        if self.ids.size and update.ids.size:
            place = np.minimum(np.searchsorted(self.ids, update.ids), self.ids.size - 1)
            moved = self.ids[place] == update.ids
            labels[moved] = self.labels[place[moved]]
        ids = np.concatenate([self.ids[stays], update.ids])
        order = np.argsort(ids)
        self.ids = ids[order]
        self.nodes = np.concatenate([self.nodes[stays], update.nodes])[order]
        self.counts = np.concatenate([self.counts[stays], update.counts])[order]
        self.labels = np.concatenate([self.labels[stays], labels])[order]

    def state(self) -> State:
        """Return the holding as plain arrays."""
        arrays = {"ids": self.ids, "nodes": self.nodes, "counts": self.counts}
        return State({}, arrays | {"labels": self.labels})

    @classmethod
    def from_state(cls, state: State) -> Holding:
        """Rebuild a holding from :meth:`state`."""
        names = ("ids", "nodes", "counts", "labels")
        return cls(*(state.arrays[name] for name in names))

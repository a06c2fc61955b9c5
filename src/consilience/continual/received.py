"""What an analyst has of one party: its nodes as last sent, and the window that waits."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from consilience.continual.state import State
from consilience.exceptions import MessageError
from consilience.messages import NodeUpdate

__all__ = ["Received"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def _none() -> IntArray:
    return np.empty(0, dtype=np.int64)


@dataclass
class Received:
    """The nodes of a party, their numbers, counts and the clusters they were in.

    Parameters
    ----------
    nodes : ndarray of shape (n, d)
        Starts empty, with the width of a node.
    ids : ndarray of shape (n,)
        Sorted.
    counts : ndarray of shape (n,)
    labels : ndarray of shape (n,)
        Names of their clusters in the last round, -1 where there was none.
    touched : ndarray of shape (n,)
        The window in which each was last sent.
    windows : int
        How many windows have arrived: the number of the next one.
    digest : str
        Of the last window that arrived, by which it is known again.
    waiting : NodeUpdate, optional
        The window that counts in the next round.

    Examples
    --------
    >>> received = Received(np.empty((0, 1)))
    >>> received.take(NodeUpdate(study="", sender="a", recipient="b", window=0,
    ...     ids=np.array([4, 2]), nodes=np.array([[4.0], [2.0]]), counts=np.array([1, 1])))
    >>> received.merge(most=10)
    >>> received.ids.tolist(), received.labels.tolist()
    ([2, 4], [-1, -1])
    """

    nodes: FloatArray
    ids: IntArray = field(default_factory=_none)
    counts: IntArray = field(default_factory=_none)
    labels: IntArray = field(default_factory=_none)
    touched: IntArray = field(default_factory=_none)
    windows: int = 0
    digest: str = ""
    waiting: NodeUpdate | None = None

    def must_merge_before(self, update: NodeUpdate) -> bool:
        """Whether an earlier window must be merged before this one can be taken."""
        return self.waiting is not None and update.window == self.windows

    def take(self, update: NodeUpdate) -> None:
        """Let a window wait for the next round; one that has arrived before counts once."""
        sender, window, n_features = update.sender, update.window, self.nodes.shape[1]
        if update.nodes.shape[1] != n_features:
            raise MessageError(
                f"{sender} sent nodes of {update.nodes.shape[1]} features, the study has "
                f"{n_features}."
            )
        if self.must_merge_before(update):
            raise MessageError(
                f"{sender} sent window {window} before its window {window - 1} was merged. "
                f"Conclude the round first."
            )
        if window > self.windows:
            raise MessageError(
                f"{sender} sent window {window}, but window {self.windows} has not arrived. "
                f"Windows are merged in order; ask for the missing one."
            )
        digest = _digest(update)
        if window == self.windows - 1 and digest != self.digest:
            raise MessageError(
                f"{sender} sent window {window} again with other nodes. A window is merged once; "
                f"send the change as window {self.windows}."
            )
        if window == self.windows:
            self.waiting, self.digest = update, digest
            self.windows += 1

    def merge(self, most: int) -> None:
        """Replace the nodes that moved and add the new ones; labels stay with the ids.

        Of more than `most` those that were sent longest ago go: the party holds no more, so that
        it has forgotten them.
        """
        update, self.waiting = self.waiting, None
        if update is None:
            return
        stays = ~np.isin(self.ids, update.ids)
        labels = np.full(len(update.ids), -1, dtype=np.int64)
        if self.ids.size and update.ids.size:
            place = np.minimum(np.searchsorted(self.ids, update.ids), self.ids.size - 1)
            moved = self.ids[place] == update.ids
            labels[moved] = self.labels[place[moved]]
        ids = np.concatenate([self.ids[stays], update.ids])
        touched = np.concatenate([self.touched[stays], np.full(len(update.ids), update.window)])
        latest = np.sort(np.lexsort((-ids, -touched))[:most])
        order = latest[np.argsort(ids[latest])]
        self.ids, self.touched = ids[order], touched[order]
        self.nodes = np.concatenate([self.nodes[stays], update.nodes])[order]
        self.counts = np.concatenate([self.counts[stays], update.counts])[order]
        self.labels = np.concatenate([self.labels[stays], labels])[order]

    def state(self) -> State:
        """Return all of it as plain values and arrays."""
        return vars(self) | {"waiting": self.waiting and vars(self.waiting)}

    @classmethod
    def from_state(cls, state: State) -> Received:
        """Rebuild it from :meth:`state`."""
        waiting = state["waiting"]
        own: State = state | {"waiting": waiting and NodeUpdate(**waiting)}
        own.setdefault("touched", np.zeros(len(state["ids"]), dtype=np.int64))  # none before
        return cls(**own)


def _digest(update: NodeUpdate) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in (update.ids, update.counts, update.nodes):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()

"""The state all peers share, and how an iteration changes it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.consensus.terms import ConsensusTerms

__all__ = ["SharedState", "attach", "first_state", "from_arrays", "is_final"]

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SharedState:
    """Active rows, and the parent of each row, after an iteration.

    Parameters
    ----------
    iteration : int
        Iterations done.
    active : ndarray of int64
        The medoids left, ascending; K of Alg. 1.
    parent, joined : ndarray of shape (n_rows,), int64
        P of Alg. 1 and the iteration in which each row joined its parent, 0 if it never did.
    excluded : tuple of str
        Peers whose labels and ranks no longer count.
    """

    iteration: int
    active: Labels
    parent: Labels
    joined: Labels
    excluded: tuple[str, ...] = ()

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """How many rows each active row stands for, itself included."""
        medoid = self.parent
        while not np.array_equal(higher := medoid[medoid], medoid):
            medoid = higher
        return np.bincount(medoid, minlength=len(medoid))[self.active].astype(np.float64)

    def digest(self, members: tuple[str, ...]) -> npt.NDArray[np.uint8]:
        """Hash everything the peers must agree on."""
        text = f"{self.iteration}\n{','.join(members)}\n{','.join(self.excluded)}\n"
        hashed = hashlib.sha256(text.encode())
        for array in (self.active, self.parent, self.joined):
            hashed.update(array.astype("<i8").tobytes())
        return np.frombuffer(hashed.digest(), dtype=np.uint8)

    def to_arrays(self, prefix: str, peers: tuple[str, ...]) -> Arrays:
        """Write the state as plain arrays whose names begin alike, see :func:`from_arrays`."""
        return {
            f"{prefix}.iteration": np.array([self.iteration]),
            f"{prefix}.active": self.active,
            f"{prefix}.parent": self.parent,
            f"{prefix}.joined": self.joined,
            f"{prefix}.excluded": np.array([m in self.excluded for m in peers]),
        }


def from_arrays(arrays: Arrays, prefix: str, peers: tuple[str, ...]) -> SharedState | None:
    """Read what :meth:`SharedState.to_arrays` wrote, None if nothing was written."""
    if f"{prefix}.iteration" not in arrays:
        return None
    excluded = zip(peers, arrays[f"{prefix}.excluded"], strict=True)
    return SharedState(
        int(arrays[f"{prefix}.iteration"][0]),
        arrays[f"{prefix}.active"],
        arrays[f"{prefix}.parent"],
        arrays[f"{prefix}.joined"],
        tuple(name for name, mark in excluded if mark),
    )


def first_state(n_rows: int) -> SharedState:
    """Start with every row active and its own parent (Alg. 1, lines 1-2)."""
    rows = np.arange(n_rows, dtype=np.int64)
    return SharedState(0, rows, rows, np.zeros(n_rows, dtype=np.int64))


def attach(state: SharedState, labels: Labels, medoids: Labels) -> SharedState:
    """Attach the members of each consensus cluster to its medoid (``UpdateParents``).

    Parameters
    ----------
    state : SharedState
    labels : ndarray of shape (n_active,), int64
        Consensus clusters.
    medoids : ndarray of shape (n_clusters,), int64
        Place of each cluster's medoid in the active set.

    Examples
    --------
    >>> state = attach(first_state(4), np.array([0, 1, 0, 1]), np.array([2, 1]))
    >>> state.active, state.parent
    (array([1, 2]), array([2, 1, 2, 1]))
    """
    heads = state.active[medoids]
    parent, joined = state.parent.copy(), state.joined.copy()
    parent[state.active] = heads[labels]
    moved = state.active[parent[state.active] != state.active]
    joined[moved] = state.iteration + 1
    return replace(
        state,
        iteration=state.iteration + 1,
        active=np.sort(heads),
        parent=parent,
        joined=joined,
    )


def is_final(before: SharedState, after: SharedState, terms: ConsensusTerms) -> bool:
    """Tell whether the consensus ends: nothing joined, one row left, or enough iterations.

    With ``veto="persistent"`` it ends after the first iteration, and no later rule could end it
    elsewhere. Two consensus clusters of iteration 1 have different codes, so some peer gave all
    rows of the one another label than all rows of the other; any later fusion of the two would
    join rows that this peer had separated. Property 3.4 for good and fusions after the first
    iteration exclude each other.
    """
    return (
        len(after.active) == len(before.active)
        or len(after.active) == 1
        or after.iteration >= terms.max_iter
        or terms.veto == "persistent"
    )

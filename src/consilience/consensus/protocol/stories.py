"""Catching a peer that changes its words, or tells different peers different things."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError, PeerError
from consilience.messages import DIGEST_BYTES, Commitment

__all__ = ["PHASES", "Commitments", "compare_stories"]

Bytes = npt.NDArray[np.uint8]
PHASES = ("labels", "ranking")
NOTHING = np.zeros(DIGEST_BYTES, dtype=np.uint8)


class Commitments:
    """What each member committed to in the iteration under way.

    Labels depend on the active rows only, so a member that repeats an iteration, because someone
    was dropped in it, must commit to the same ones; otherwise it could adapt them to what it saw
    in the first attempt.
    """

    def __init__(self) -> None:
        self._heard: dict[tuple[str, str], Bytes] = {}
        self._promised: dict[tuple[int, str], Bytes] = {}

    def begin_iteration(self) -> None:
        """Forget the commitments of the last iteration."""
        self._heard = {}

    def go_back_to(self, iteration: int) -> None:
        """Keep promises of the iteration that is run again; later ones no longer hold.

        With iteration 0 the common rows themselves may change, and no promise holds.
        """
        self._promised = {
            key: digest for key, digest in self._promised.items() if key[0] == iteration > 0
        }

    def note_own(self, name: str, phase: str, digest: Bytes) -> None:
        """Note what this peer commits to."""
        self._heard[(name, phase)] = digest

    def note(self, message: Commitment) -> Bytes:
        """Note a member's commitment, unless it breaks a promise."""
        if message.phase == "labels":
            key = (message.iteration, message.sender)
            if not np.array_equal(self._promised.setdefault(key, message.digest), message.digest):
                raise MessageError("labels may not change when an iteration is run again.")
        self._heard[(message.sender, message.phase)] = message.digest
        return message.digest

    def of(self, sender: str, phase: str) -> Bytes:
        """Return a member's commitment, zeros if it made none."""
        return self._heard.get((sender, phase), NOTHING)

    def listed(self, members: tuple[str, ...]) -> Bytes:
        """List what each member committed to, as this peer heard it.

        Returns
        -------
        ndarray of shape (n_members, 2, 32), uint8
            Zeros where nothing was heard.
        """
        return np.array([[self.of(m, phase) for phase in PHASES] for m in members])


def compare_stories(
    own: Bytes, other: Bytes, members: tuple[str, ...], name: str, sender: str, iteration: int
) -> None:
    """Raise if a member committed to one thing towards one peer and another towards the next.

    Parameters
    ----------
    own, other : ndarray of shape (n_members, 2, 32), uint8
        From :meth:`Commitments.listed`, here and at the sender.
    members : tuple of str
    name, sender : str
    iteration : int

    Raises
    ------
    PeerError
        With the names of the members that told two stories.
    """
    if own.shape != other.shape:
        return
    both = own.any(axis=2) & other.any(axis=2)
    differ = (both & (own != other).any(axis=2)).any(axis=1)
    culprits = tuple(m for m, found in zip(members, differ, strict=True) if found)
    if culprits:
        raise PeerError(
            f"{', '.join(culprits)} told {name} and {sender} different stories in iteration "
            f"{iteration}, or {sender} says so. Nothing after iteration {iteration - 1} can be "
            f"trusted.",
            culprits,
        )

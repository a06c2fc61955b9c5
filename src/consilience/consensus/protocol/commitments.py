"""Commit, then reveal: nobody adapts its words to the others', or tells them different things."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import numpy.typing as npt

from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import MessageError, PeerError
from consilience.messages import (
    DIGEST_BYTES,
    NONCE_BYTES,
    Commitment,
    LocalLabels,
    Ranking,
    StateDigest,
)

__all__ = ["PHASES", "Commitments", "commit"]

Bytes = npt.NDArray[np.uint8]
PHASES = ("labels", "ranking")


def commit(message: LocalLabels | Ranking) -> Bytes:
    """Hash a message that will be revealed later, with its sender, place and nonce.

    Returns
    -------
    ndarray of shape (32,), uint8
        SHA-256. It binds the sender to the payload and, as long as the nonce is secret, says
        nothing about it.
    """
    kind = type(message).__name__
    n_labels = message.n_labels if isinstance(message, LocalLabels) else 0
    head = "\n".join(
        (kind, message.study, message.sender, str(message.iteration), str(n_labels), "")
    )
    hashed = hashlib.sha256(head.encode())
    hashed.update(message.nonce.tobytes())
    hashed.update(message.packed.tobytes())
    return np.frombuffer(hashed.digest(), dtype=np.uint8)


class Commitments:
    """What each member committed to in the iteration under way.

    Labels depend on the active rows only, so a member that repeats an iteration, because someone
    was dropped in it, must commit to the same ones; otherwise it could adapt them to what it saw
    in the first attempt.

    Parameters
    ----------
    membership : Membership
    secret : bytes
        Hides what this peer has committed to and not revealed yet.
    """

    def __init__(self, membership: Membership, secret: bytes) -> None:
        self._membership, self.secret = membership, secret
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

    def nonce(self, purpose: str) -> Bytes:
        """Derive the nonce of one message of this peer, the same after a restart."""
        digest = hmac.new(self.secret, purpose.encode(), hashlib.sha256).digest()
        return np.frombuffer(digest[:NONCE_BYTES], dtype=np.uint8)

    def note(self, name: str, phase: str, digest: Bytes) -> None:
        """Note what a member commits to, this peer included."""
        self._heard[(name, phase)] = digest

    def take(self, message: Commitment) -> Bytes:
        """Note a commitment of another member, unless it breaks a promise."""
        if message.phase == "labels":
            key = (message.iteration, message.sender)
            if not np.array_equal(self._promised.setdefault(key, message.digest), message.digest):
                raise MessageError("labels may not change when an iteration is run again.")
        self.note(message.sender, message.phase, message.digest)
        return message.digest

    def of(self, sender: str, phase: str) -> Bytes:
        """Return a member's commitment, zeros if it made none."""
        return self._heard.get((sender, phase), np.zeros(DIGEST_BYTES, dtype=np.uint8))

    @property
    def heard(self) -> Bytes:
        """What each member committed to, as this peer heard it; zeros where it heard nothing.

        Of shape (n_members, 2, 32), labels before ranking.
        """
        members = self._membership.members
        return np.array([[self.of(m, phase) for phase in PHASES] for m in members])

    def compare(self, message: Commitment | StateDigest) -> None:
        """Raise if a member committed to one thing towards one peer and another towards the next.

        Parameters
        ----------
        message : Commitment or StateDigest
            Of this iteration, with what its sender has heard.

        Raises
        ------
        PeerError
            With the names of the members that told two stories.
        """
        own, other, iteration = self.heard, message.commitments, message.iteration
        if own.shape != other.shape:
            return
        both = own.any(axis=2) & other.any(axis=2)
        differ = (both & (own != other).any(axis=2)).any(axis=1)
        members = zip(self._membership.members, differ, strict=True)
        culprits = tuple(m for m, found in members if found)
        if culprits:
            raise PeerError(
                f"{', '.join(culprits)} told {self._membership.name} and {message.sender} "
                f"different stories in iteration {iteration}, or {message.sender} says so. "
                f"Nothing after iteration {iteration - 1} can be trusted.",
                culprits,
            )

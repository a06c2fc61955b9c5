"""Commit, then reveal: nobody adapts its words to the others', or tells them different things."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import PeerError, StudyError
from consilience.messages import DIGEST_BYTES, NONCE_BYTES, Commitment, LocalLabels, Ranking

__all__ = ["PROMISED", "Commitments", "commit"]

Bytes = npt.NDArray[np.uint8]
PROMISED = ("roster", "labels", "ranking")
"""What a member is bound to, in this order."""
Promise = tuple[int, int, int, str]
"""Iteration, attempt, place of the phase in :data:`PROMISED`, and who promised."""


def commit(message: LocalLabels | Ranking) -> Bytes:
    """Hash a message that will be revealed later, with its sender, place and nonce.

    Returns
    -------
    ndarray of shape (32,), uint8
        SHA-256. It binds the sender to the payload and, as long as the nonce is secret, says
        nothing about it.
    """
    kind = type(message).__name__
    n_labels: object = message.n_labels if isinstance(message, LocalLabels) else 0
    if isinstance(message, LocalLabels) and message.n_votes is not None:
        n_labels = f"{n_labels} {message.n_votes}"
    head = "\n".join(
        (kind, message.study, message.sender, str(message.iteration), str(n_labels), "")
    )
    hashed = hashlib.sha256(head.encode())
    hashed.update(message.nonce.tobytes())
    hashed.update(message.packed.tobytes())
    return np.frombuffer(hashed.digest(), dtype=np.uint8)


class Commitments:
    """What each member committed to, and the promises that outlive a restart.

    Labels depend on the active rows only, so a member that repeats an iteration, because someone
    was dropped in it or because it was started again, must commit to the same ones; otherwise it
    could adapt them to what it has heard. A ranking holds as long as nobody is dropped, a roster
    for good. This peer is held to its own promises, too: one that computes something else after
    a restart says so before the others find it out.

    Parameters
    ----------
    membership : Membership
    secret : bytes
        Hides what this peer has committed to and not revealed yet.
    """

    def __init__(self, membership: Membership, secret: bytes) -> None:
        self._membership, self.secret = membership, secret
        self._heard: dict[tuple[str, str], Bytes] = {}
        self._promised: dict[Promise, Bytes] = {}

    def begin_iteration(self) -> None:
        """Forget the commitments of the last iteration; rosters are for good."""
        self._heard = {key: d for key, d in self._heard.items() if key[1] == "roster"}

    def go_back_to(self, iteration: int) -> None:
        """Keep promises of the iteration that is run again; later ones no longer hold.

        With iteration 0 the common rows themselves may change, and no promise but the rosters
        holds.
        """
        self._promised = {k: d for k, d in self._promised.items() if k[0] <= iteration}

    def nonce(self, purpose: str) -> Bytes:
        """Derive the nonce of one message of this peer, the same after a restart."""
        digest = hmac.new(self.secret, purpose.encode(), hashlib.sha256).digest()
        return np.frombuffer(digest[:NONCE_BYTES], dtype=np.uint8)

    def note(self, name: str, phase: str, digest: Bytes, iteration: int) -> None:
        """Note what a member commits to, this peer included, unless it breaks a promise."""
        self._hold(name, phase, digest, iteration)
        self._heard[(name, phase)] = digest

    def take(self, message: Commitment) -> Bytes:
        """Note a commitment of another member, unless it breaks a promise."""
        self.note(message.sender, message.phase, message.digest, message.iteration)
        return message.digest

    def _hold(self, name: str, phase: str, digest: Bytes, iteration: int) -> None:
        attempt = self._membership.attempt if phase == "ranking" else 0
        key = (iteration, attempt, PROMISED.index(phase), name)
        if np.array_equal(self._promised.setdefault(key, digest), digest):
            return
        if name == self._membership.name:
            raise StudyError(
                f"{name} now sends another {phase} in iteration {iteration} than it has promised "
                f"the others before: its table, its settings or its software have changed. Use "
                f"those of before, or let all peers start over with --anew."
            )
        raise PeerError(
            f"{name} promised one {phase} in iteration {iteration} and, after it was run again, "
            f"another: it may have adapted it to what it has heard meanwhile. Ask it why; only "
            f"all peers together can start over, with --anew.",
            (name,),
        )

    def of(self, sender: str, phase: str) -> Bytes:
        """Return a member's commitment, zeros if it made none."""
        return self._heard.get((sender, phase), np.zeros(DIGEST_BYTES, dtype=np.uint8))

    def promises(self) -> Arrays:
        """Write what was promised as plain arrays, to be kept before anything is revealed."""
        places = {name: k for k, name in enumerate(self._membership.peers)}
        keys = [(*key[:3], places[key[3]]) for key in self._promised]
        digests = list(self._promised.values())
        return {
            "promises": np.array(keys, dtype=np.int64).reshape(-1, 4),
            "promised": np.array(digests, dtype=np.uint8).reshape(-1, DIGEST_BYTES),
        }

    def hold_to(self, arrays: Arrays) -> None:
        """Hold everybody to what :meth:`promises` wrote."""
        peers = self._membership.peers
        for (*key, place), digest in zip(arrays["promises"], arrays["promised"], strict=True):
            iteration, attempt, phase = (int(part) for part in key)
            self._promised[(iteration, attempt, phase, peers[int(place)])] = digest
            if PROMISED[phase] == "roster":
                self._heard[(peers[int(place)], "roster")] = digest

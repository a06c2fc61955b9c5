"""Commit, then reveal: nobody adapts its words to the others', or tells them different things."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import MessageError, PeerError, StudyError
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
PROMISED = ("roster", *PHASES)
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
        self._rosters: dict[str, Bytes] = {}
        self._promised: dict[Promise, Bytes] = {}

    def begin_iteration(self) -> None:
        """Forget the commitments of the last iteration."""
        self._heard = {}

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

    def note_roster(self, name: str, pseudonyms: Bytes) -> None:
        """Note which rows a member says it holds, this peer included."""
        digest = np.frombuffer(hashlib.sha256(pseudonyms.tobytes()).digest(), dtype=np.uint8)
        self._hold(name, "roster", digest, 0)
        self._rosters[name] = digest

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

    @property
    def heard(self) -> Bytes:
        """What each member committed to, as this peer heard it; zeros where it heard nothing.

        Of shape (n_members, 2, 32), labels before ranking.
        """
        members = self._membership.members
        return np.array([[self.of(m, phase) for phase in PHASES] for m in members])

    @property
    def rosters(self) -> Bytes | None:
        """The digest of each member's roster, of shape (n_members, 32), if there were any."""
        if not self._rosters:
            return None
        nothing = np.zeros(DIGEST_BYTES, dtype=np.uint8)
        return np.array([self._rosters.get(m, nothing) for m in self._membership.members])

    def compare(self, message: Commitment | StateDigest) -> None:
        """Raise if a member told one thing to one peer and another to the next.

        Parameters
        ----------
        message : Commitment or StateDigest
            Of this iteration, with what its sender has heard.

        Raises
        ------
        MessageError
            If it is about others than the members.
        PeerError
            With the names of the members that told two stories.
        """
        own = self.heard.reshape(len(self._membership.members), len(PHASES), DIGEST_BYTES)
        other = message.commitments
        rosters = message.rosters if isinstance(message, Commitment) else None
        if rosters is not None and self.rosters is not None and len(rosters) == len(other):
            own = np.concatenate([own, self.rosters[:, None]], axis=1)
            other = np.concatenate([other, rosters[:, None]], axis=1)
        if own.shape != other.shape:
            raise MessageError(f"commitments of {len(other)} members, must be of {len(own)}.")
        both = own.any(axis=2) & other.any(axis=2)
        differ = (both & (own != other).any(axis=2)).any(axis=1)
        members = zip(self._membership.members, differ, strict=True)
        culprits = tuple(m for m, found in members if found)
        if culprits:
            raise PeerError(
                f"{', '.join(culprits)} told {self._membership.name} and {message.sender} "
                f"different stories in iteration {message.iteration}, or {message.sender} says "
                f"so. Nothing after iteration {message.iteration - 1} can be trusted.",
                culprits,
            )

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
                self._rosters[peers[int(place)]] = digest

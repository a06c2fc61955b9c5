"""Who told two stories: what members have heard from each other, compared by digests."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from consilience.consensus.protocol.commitments import PROMISED, Commitments
from consilience.consensus.protocol.log import Log
from consilience.consensus.protocol.mailbox import Outbox
from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import MessageError, PeerError
from consilience.messages import DIGEST_BYTES, Message, Witness

__all__ = ["Hearsay"]

Bytes = npt.NDArray[np.uint8]
NOTHING = np.zeros(DIGEST_BYTES, dtype=np.uint8)


class Hearsay:
    """What this peer has heard from all, held against what the others say that they have heard.

    Every commitment and every digest of a state has three digests beside it: of the rosters, the
    labels and the rankings that its sender has heard all members commit to, each once it has heard
    all. Two peers to whom everybody told the same have the same digests, and no more is said. Two
    whose digests differ tell each other the whole list, once. The lists differ in somebody, who
    told them two stories, and the run ends with the name.

    A commitment to a ranking comes with the digest of the labels heard, the digest of the state
    with that of the rankings, the first commitment with that of the rosters: so nobody's rankings
    are revealed to, and nobody goes on with the state of, who heard other labels, or rankings.

    Who can lie, and how far it gets:

    - *A member that tells two peers two things*: their digests differ, and the lists name it.
    - *A peer that lies about the digest* of what it heard has to show a list with this digest. It
      has none, and if it shows another, it is the one that is named.
    - *A peer that lies about the list*, with a digest that fits: if it puts words into the mouth
      of who reads the list, or into its own that it did not say, it is named. If it does so to a
      third, the third is named as having told two stories, "or so the liar says": nothing that is
      not signed can tell the two cases apart. The run ends, as it does when a peer says nothing.
    - *A peer that shows no list* is one that does not answer, and counts as absent.
    - *A peer that goes on claiming a difference* is told the list once in each iteration, and
      answered no more.
    - *A peer that says it has not heard all yet* keeps others from nothing: they compare what they
      heard among themselves.

    Parameters
    ----------
    membership : Membership
    commitments : Commitments
    outbox : Outbox
    log : Log
    """

    def __init__(
        self, membership: Membership, commitments: Commitments, outbox: Outbox, log: Log
    ) -> None:
        self._membership, self._commitments = membership, commitments
        self._outbox, self._log = outbox, log
        self._asked: dict[str, tuple[int, int]] = {}
        self._whole: dict[str, Bytes] = {}

    def begin_iteration(self) -> None:
        """Forget what was heard in the last iteration."""
        self._commitments.begin_iteration()
        self._whole = {}

    @property
    def doubted(self) -> set[str]:
        """The members that have yet to show what they heard."""
        now = self._membership.attempt
        return {name for name, (attempt, _) in self._asked.items() if attempt == now}

    @property
    def digests(self) -> Bytes:
        """Digests of what all members committed to, of shape (3, 32); zeros until all have."""
        return np.array([self._digest_of(phase) for phase in PROMISED])

    def agrees(self, message: Witness) -> bool:
        """Tell whether a member has heard what this peer has heard, as far as both heard all.

        Parameters
        ----------
        message : Witness
            Of this iteration.

        Raises
        ------
        MessageError
            If it is about others than the members.
        PeerError
            With the names of the members that told two stories.
        """
        if message.commitments is not None:
            self._compare_lists(message)
        if message.heard is None:
            return True
        for phase, theirs in zip(PROMISED, message.heard, strict=True):
            own = self._digest_of(phase) if theirs.any() else NOTHING
            if own.any() and not np.array_equal(own, theirs):
                return False
        return True

    def ask(self, name: str, iteration: int) -> list[Message]:
        """Tell a member all that this peer has heard, once, and wait for the same from it."""
        now = (self._membership.attempt, iteration)
        if self._asked.get(name) == now:
            return []
        self._asked[name] = now
        self._log.append(
            f"iteration {iteration}: {name} says that it has heard something else than "
            f"{self._membership.name}, and is asked what"
        )
        whole = self._lists()
        told = self._outbox.witness(name, iteration)
        return [replace(m, commitments=whole[:, 1:], rosters=whole[:, 0]) for m in told]

    def _digest_of(self, phase: str) -> Bytes:
        """Hash what all have committed to in a phase, once: nobody can commit to anything else."""
        digest = self._whole.get(phase)
        if digest is None:
            digest = self._digest(self._column(phase))
            if digest is not NOTHING:
                self._whole[phase] = digest
        return digest

    def _column(self, phase: str) -> list[Bytes]:
        return [self._commitments.of(name, phase) for name in self._membership.members]

    def _lists(self) -> Bytes:
        return np.array([self._column(phase) for phase in PROMISED]).transpose(1, 0, 2)

    def _digest(self, column: list[Bytes] | Bytes) -> Bytes:
        """Hash what was heard of all members, in the order of their names."""
        heard = [digest.tobytes() for digest in column]
        if NOTHING.tobytes() in heard:
            return NOTHING
        hashed = hashlib.sha256("\n".join((*self._membership.members, "")).encode())
        hashed.update(b"".join(heard))
        return np.frombuffer(hashed.digest(), dtype=np.uint8)

    def _compare_lists(self, message: Witness) -> None:
        """Raise if somebody told one thing to one peer and another to the next."""
        members, name, sender = self._membership.members, self._membership.name, message.sender
        assert message.commitments is not None
        theirs = np.zeros((len(message.commitments), len(PROMISED), DIGEST_BYTES), dtype=np.uint8)
        theirs[:, 1:] = message.commitments
        if len(theirs) != len(members):
            raise MessageError(f"commitments of {len(theirs)} members, must be of {len(members)}.")
        if message.rosters is not None:
            theirs[:, 0] = message.rosters
        for place, told in enumerate([] if message.heard is None else message.heard):
            if told.any() and not np.array_equal(told, self._digest(theirs[:, place])):
                raise PeerError(
                    f"{sender} shows another list of what it has heard in iteration "
                    f"{message.iteration} than the one it told {name} the digest of: it lies.",
                    (sender,),
                )
        own = self._lists()
        differ = own.any(axis=2) & theirs.any(axis=2) & (own != theirs).any(axis=2)
        culprits = [m for m, found in zip(members, differ.any(axis=1), strict=True) if found]
        if {name, sender} & set(culprits):
            raise PeerError(
                f"{sender} says that {name}, or {sender} itself, said something else in iteration "
                f"{message.iteration} than they did: it lies, or told two stories.",
                (sender,),
            )
        if culprits:
            raise PeerError(
                f"{', '.join(culprits)} told {name} and {sender} different stories in iteration "
                f"{message.iteration}, or {sender} says so. Nothing after iteration "
                f"{message.iteration - 1} can be trusted.",
                tuple(culprits),
            )

"""What members tell each other in one iteration, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.consensus.protocol.commitments import Commitments, commit
from consilience.consensus.protocol.deliberation import Deliberation
from consilience.consensus.protocol.mailbox import Outbox, Step
from consilience.consensus.protocol.membership import Membership
from consilience.consensus.protocol.payloads import pack, read_labels, read_ranking, read_roster
from consilience.consensus.protocol.rosters import CommonRows
from consilience.consensus.protocol.shared_state import SharedState, first_state
from consilience.exceptions import PeerError
from consilience.messages import (
    Commitment,
    LocalLabels,
    Message,
    PeerMessage,
    Ranking,
    Roster,
    StateDigest,
)

__all__ = ["Iteration", "Meeting", "Unmatched"]

Labels = npt.NDArray[np.int64]
Unmatched = Literal["drop", "refuse"]


class Meeting:
    """Iteration 0, in which members find the rows all of them hold.

    Parameters
    ----------
    rows : CommonRows
    membership : Membership
    commitments : Commitments
    outbox : Outbox
    unmatched : {"drop", "refuse"}
        What the study says of rows that not every member holds.

    Attributes
    ----------
    step : {"roster", "done"}
    accepted : dict of str to ndarray
        The rosters so far.
    """

    def __init__(
        self,
        rows: CommonRows,
        membership: Membership,
        commitments: Commitments,
        outbox: Outbox,
        unmatched: Unmatched = "drop",
    ) -> None:
        self._rows, self._membership, self._outbox = rows, membership, outbox
        self._commitments, self._unmatched = commitments, unmatched
        self.step: Step = "roster"
        self.accepted: dict[str, Any] = {}

    def begin(self) -> Sequence[Message]:
        """Tell the others which rows this peer holds."""
        assert self._rows.roster is not None
        self._commitments.note_roster(self._membership.name, self._rows.roster)
        return self._outbox.say(Roster, 0, pseudonyms=self._rows.roster)

    def accept(self, message: PeerMessage) -> None:
        """Take the roster of a member."""
        assert isinstance(message, Roster)
        self.accepted[message.sender] = read_roster(message)
        self._commitments.note_roster(message.sender, message.pseudonyms)

    def finish(self) -> Sequence[Message]:
        """Keep the rows that every member holds."""
        self._rows.meet(self.accepted.values())
        if not len(self._rows.places):
            raise PeerError(
                f"no row is held by all of {', '.join(self._membership.members)}: the pseudonyms "
                f"share none. Check that all peers use the same row key and the same identifier "
                f"column, and write ids alike: consilience check shows their shape, and none of "
                f"them."
            )
        if self._unmatched == "refuse":
            self._refuse_unmatched()
        self.step = "done"
        return []

    def _refuse_unmatched(self) -> None:
        assert self._rows.roster is not None
        held = {self._membership.name: self._rows.roster, **self.accepted}
        n_common = len(self._rows.places)
        more = {name: len(held[name]) - n_common for name in sorted(held)}
        if any(more.values()):
            counts = ", ".join(f"{n:,} of {name}" for name, n in more.items() if n)
            raise PeerError(
                f"{counts} are rows that not all peers hold, and the study says unmatched = "
                f"'refuse'. Correct the tables, or agree on unmatched = 'drop'.",
                tuple(name for name, n in more.items() if n),
            )

    @property
    def outcome(self) -> SharedState:
        """Every common row for itself."""
        return first_state(len(self._rows.places))


class Iteration:
    """An iteration: labels and rankings, each committed to before it is revealed, and a digest.

    Parameters
    ----------
    own : Deliberation
        What this peer computes.
    scene : str
        Names the common and the active rows.
    membership : Membership
    commitments : Commitments
    outbox : Outbox
    log : list of str
        Told which peers no longer count.

    Attributes
    ----------
    step : {"label-commit", "labels", "rank-commit", "ranking", "digest", "done"}
    accepted : dict
        What each member has said in this step.
    outcome : SharedState
        What the iteration leads to, set before its digest is sent.
    """

    outcome: SharedState

    def __init__(
        self,
        own: Deliberation,
        scene: str,
        membership: Membership,
        commitments: Commitments,
        outbox: Outbox,
        log: list[str],
    ) -> None:
        self._own, self._membership, self._log = own, membership, log
        self._commitments, self._outbox = commitments, outbox
        self._scene = f"{own.iteration} {scene}"
        self._go_to("label-commit")

    def _go_to(self, step: Step) -> None:
        self.step = step
        self.accepted: dict[str, Any] = {}

    def begin(self) -> Sequence[Message]:
        """Commit to this peer's labels."""
        self._commitments.begin_iteration()
        labels = self._own.labels
        n_labels = int(labels.max(initial=0)) + 1
        purpose = f"labels {self._scene}"
        about = {"n_labels": n_labels, "n_votes": self._own.n_votes}
        return self._commit("labels", LocalLabels, purpose, labels.ravel(), n_labels, **about)

    def accept(self, message: PeerMessage) -> None:
        """Take what a member says in this step.

        Raises
        ------
        MessageError
            If it breaks a rule.
        """
        own, read = self._own, self._commitments
        match message:
            case Commitment():
                # It may have come before this iteration began, and not have been compared yet.
                read.compare(message)
                said: Any = read.take(message)
            case LocalLabels():
                heard = read.of(message.sender, "labels")
                said = read_labels(message, heard, len(own.labels), own.n_votes)
            case Ranking():
                heard = read.of(message.sender, "ranking")
                said = read_ranking(message, heard, own.consensus, own.rows)
            case _:
                said = message
        self.accepted[message.sender] = said

    def finish(self) -> Sequence[Message]:
        """End the step: every member was heard, or those who answered suffice."""
        match self.step:
            case "label-commit" | "rank-commit":
                self._go_to("labels" if self.step == "label-commit" else "ranking")
                return self._outbox.keep(self._sealed)
            case "labels":
                return self._agree(self.accepted)
            case "ranking":
                return self._close(self.accepted)
            case _:
                self._compare(self.accepted)
                self.step = "done"
                return []

    def _commit(
        self,
        phase: str,
        kind: type[LocalLabels] | type[Ranking],
        purpose: str,
        values: Labels,
        n_values: int,
        **payload: Any,
    ) -> Sequence[Message]:
        self._sealed: list[PeerMessage] = []
        if not self._membership.others:
            return []
        payload |= {"packed": pack(values, n_values), "nonce": self._commitments.nonce(purpose)}
        self._sealed = self._outbox.write(kind, self._own.iteration, **payload)
        digest = commit(self._sealed[0])  # type: ignore[arg-type]
        self._commitments.note(self._membership.name, phase, digest, self._own.iteration)
        rosters = self._commitments.rosters
        return self._say(Commitment, phase=phase, digest=digest, rosters=rosters)

    def _say(self, kind: type[PeerMessage], **payload: Any) -> Sequence[Message]:
        heard = self._commitments.heard
        return self._outbox.say(kind, self._own.iteration, **payload, commitments=heard)

    def _agree(self, labels: dict[str, Labels]) -> Sequence[Message]:
        own = self._own
        own.agree(labels)
        for name, what in own.faults.items():
            self._log.append(f"iteration {own.iteration}: {name} {what}; it no longer counts")
        if not len(own.rows):
            return self._close({})
        self._go_to("rank-commit")
        purpose = f"ranking {self._scene} {self._membership.attempt}"
        return self._commit("ranking", Ranking, purpose, own.rank(), len(own.consensus))

    def _close(self, rankings: dict[str, Labels]) -> Sequence[Message]:
        self._go_to("digest")
        self.outcome = self._own.conclude(rankings)
        return self._say(StateDigest, digest=self.outcome.digest(self._membership.members))

    def _compare(self, digests: dict[str, StateDigest]) -> None:
        own = self.outcome.digest(self._membership.members)
        for sender, message in digests.items():
            if not np.array_equal(message.digest, own):
                raise PeerError(
                    f"{sender} made another state of the same messages in iteration "
                    f"{self._own.iteration}: its terms or its version differ, or it lies.",
                    (sender,),
                )

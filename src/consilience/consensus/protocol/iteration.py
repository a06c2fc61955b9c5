"""What members tell each other in one iteration, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.consensus.protocol.commitments import Commitments, commit
from consilience.consensus.protocol.deliberation import Deliberation
from consilience.consensus.protocol.hearsay import Hearsay
from consilience.consensus.protocol.mailbox import Outbox, Step
from consilience.consensus.protocol.membership import Membership
from consilience.consensus.protocol.payloads import pack, read_labels, read_ranking
from consilience.consensus.protocol.shared_state import SharedState
from consilience.exceptions import PeerError
from consilience.messages import (
    Commitment,
    LocalLabels,
    Message,
    PeerMessage,
    Ranking,
    StateDigest,
    Witness,
)

__all__ = ["Iteration"]

Labels = npt.NDArray[np.int64]


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
    hearsay : Hearsay
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
        hearsay: Hearsay,
        outbox: Outbox,
        log: list[str],
    ) -> None:
        self._own, self._membership, self._log = own, membership, log
        self._commitments, self._hearsay, self._outbox = commitments, hearsay, outbox
        self._scene = f"{own.iteration} {scene}"
        self._go_to("label-commit")

    def _go_to(self, step: Step) -> None:
        self.step = step
        self.accepted: dict[str, Any] = {}

    def begin(self) -> Sequence[Message]:
        """Commit to this peer's labels."""
        self._hearsay.begin_iteration()
        labels = self._own.labels
        n_labels = int(labels.max(initial=0)) + 1
        purpose = f"labels {self._scene}"
        about = {"n_labels": n_labels, "n_votes": self._own.n_votes}
        return self._commit("labels", LocalLabels, purpose, labels.ravel(), n_labels, **about)

    def accept(self, message: PeerMessage) -> Sequence[Message]:
        """Take what a member says in this step, if it heard from all what this peer heard.

        Raises
        ------
        MessageError
            If it breaks a rule.
        """
        own, read = self._own, self._commitments
        # It may have come before this peer had heard as much as its sender.
        if isinstance(message, Witness) and not self._hearsay.agrees(message):
            return self._hearsay.ask(message.sender, own.iteration)
        match message:
            case Commitment():
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
        return []

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
        return self._say(Commitment, phase=phase, digest=digest)

    def _say(self, kind: type[Witness], **payload: Any) -> Sequence[Message]:
        heard = self._hearsay.digests
        return self._outbox.say(kind, self._own.iteration, **payload, heard=heard)

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

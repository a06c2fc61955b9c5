"""The steps by which members agree on one iteration after another."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.consensus.hierarchy import Hierarchy
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.absence import Declarations
from consilience.consensus.protocol.commitment import commit, nonce
from consilience.consensus.protocol.deliberation import Deliberation
from consilience.consensus.protocol.inbox import Inbox, Step
from consilience.consensus.protocol.packing import pack
from consilience.consensus.protocol.reading import read_labels, read_ranking, read_roster
from consilience.consensus.protocol.rosters import common_rows, sort_pseudonyms
from consilience.consensus.protocol.speaker import Speaker
from consilience.consensus.protocol.state import State, first_state, is_final
from consilience.consensus.protocol.stories import Commitments, compare_stories
from consilience.consensus.protocol.terms import Terms
from consilience.exceptions import MessageError, PeerError
from consilience.messages import (
    DIGEST_BYTES,
    Commitment,
    LocalLabels,
    Message,
    PeerMessage,
    Ranking,
    Roster,
    StateDigest,
)

__all__ = ["Agreement"]

Labels = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


class Agreement:
    """A machine that goes through Alg. 1 of [Belucci2026]_ as messages of the members come in.

    ========================  ==========================================================
    step                      ends when every member has sent
    ========================  ==========================================================
    ``roster``                its pseudonyms
    ``label-commit``          a commitment to its labels; then labels are revealed
    ``labels``                its labels; then clusters are agreed and members ranked
    ``rank-commit``           a commitment to its ranking; then rankings are revealed
    ``ranking``               its ranking; then medoids are elected
    ``digest``                the digest of its state; then the next iteration begins
    ========================  ==========================================================

    Whoever is a member, what happens to the absent and how a run survives a restart is the
    business of :class:`~consilience.consensus.protocol.peer.Peer`, which is made of this.
    """

    def __init__(
        self,
        name: str,
        X: npt.NDArray[np.float64],
        terms: Terms,
        step: LocalStep,
        *,
        pseudonyms: Bytes | None = None,
        study: str = "",
        secret: bytes | None = None,
    ) -> None:
        if name not in terms.peers:
            raise ValueError(f"name == {name!r}, must be one of the peers {terms.peers}.")
        self.name, self.terms, self.study = name, terms, study
        self.members = terms.peers
        self.attempt = 0
        self.log: list[str] = []
        self.gone: set[str] = set()
        self._X, self._local = X, step
        self._secret = secrets.token_bytes(32) if secret is None else secret
        self._sorted: Bytes | None = None
        self._order: Labels = np.arange(len(X), dtype=np.int64)
        if pseudonyms is not None:
            self._sorted, self._order = sort_pseudonyms(pseudonyms)
        self._rows: Labels = self._order
        self._state: State | None = None
        self._previous: State | None = None
        self._next: State | None = None
        self._step: Step = "roster"
        self._accepted: dict[str, Any] = {}
        self._inbox = Inbox()
        self._commitments = Commitments()
        self._speaker = Speaker(name, study)
        self._declared = Declarations(name, self.members)
        self._last_heard = np.zeros((len(self.members), 2, DIGEST_BYTES), dtype=np.uint8)

    @property
    def done(self) -> bool:
        """Whether the consensus has ended."""
        return self._step == "done"

    @property
    def iteration(self) -> int:
        """The iteration under way; 0 while the peers find their common rows."""
        return 0 if self._state is None else self._state.iteration + (not self.done)

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """The members whose message this step needs and has not."""
        return () if self.done else tuple(m for m in self._others() if m not in self._accepted)

    @property
    def hierarchy(self) -> Hierarchy:
        """The Cluster Fusion Hierarchy over the common rows, in their agreed order."""
        assert self._state is not None
        return Hierarchy(self._state.parent, self._state.joined)

    @property
    def labels(self) -> Labels:
        """A label for each row of X; -1 for rows that not all peers hold."""
        labels = np.full(len(self._X), -1, dtype=np.int64)
        labels[self._rows] = self.hierarchy.cut()
        return labels

    def begin(self) -> list[Message]:
        """Start, or go on after :meth:`restore`."""
        if self._state is not None:
            again = self._digest_again()
            return again if self.done else again + self._begin_iteration() + self._advance()
        if self._sorted is None:
            self._state = first_state(len(self._X))
            return self._begin_iteration() + self._advance()
        return self._begin_roster() + self._advance()

    def _keep(self, message: PeerMessage) -> list[Message]:
        if self.done:
            return []
        now = (message.attempt, message.iteration) == (self.attempt, self.iteration)
        if now and isinstance(message, (Commitment, StateDigest)):
            compare_stories(
                self._commitments.listed(self.members),
                message.commitments,
                self.members,
                self.name,
                message.sender,
                self.iteration,
            )
        try:
            new = self._inbox.keep(message, self.attempt, self.iteration)
        except MessageError as error:
            return self._refuse(message, str(error))
        return self._advance() if new else []

    def _advance(self) -> list[Message]:
        """Go on as far as the messages at hand allow."""
        out: list[Message] = []
        while not self.done:
            for message in self._inbox.take(self.attempt, self.iteration, self._step):
                try:
                    self._accepted[message.sender] = self._read(message)
                except MessageError as error:
                    self._inbox.forget(message)
                    out += self._refuse(message, str(error))
            if self.waiting_for:
                break
            out += self._finish_step()
        return out

    def _read(self, message: PeerMessage) -> Any:
        sender = message.sender
        if isinstance(message, Roster):
            return read_roster(message)
        if isinstance(message, Commitment):
            return self._commitments.note(message)
        if isinstance(message, LocalLabels):
            commitment = self._commitments.of(sender, "labels")
            return read_labels(message, commitment, len(self._current.active))
        if isinstance(message, Ranking):
            commitment = self._commitments.of(sender, "ranking")
            return read_ranking(message, commitment, self._round.consensus, self._round.rows)
        assert isinstance(message, StateDigest)
        return message

    def _refuse(self, message: Message, reason: str) -> list[Message]:
        self.log.append(f"refused a {type(message).__name__} of {message.sender}: {reason}")
        return self._speaker.refuse(message, reason)

    @property
    def _current(self) -> State:
        assert self._state is not None
        return self._state

    def _others(self) -> list[str]:
        return [m for m in self.members if m != self.name]

    def _place(self) -> dict[str, Any]:
        return {"iteration": self.iteration, "attempt": self.attempt}

    def _say(self, kind: type[PeerMessage], **payload: Any) -> list[Message]:
        return self._speaker.say(kind, self._others(), self._place(), **payload)

    def _to(self, step: Step) -> None:
        self._step = step
        self._accepted = {}

    def _begin_roster(self) -> list[Message]:
        self._to("roster")
        return self._say(Roster, pseudonyms=self._sorted)

    def _begin_iteration(self) -> list[Message]:
        state = self._current
        self._to("label-commit")
        self._speaker.forget_before(state.iteration)
        self._inbox.drop_before(self.attempt, self.iteration)
        self._commitments.begin_iteration()
        X = self._X[self._rows[state.active]]
        self._round = Deliberation(X, self._local, self.terms, self.name, state)
        n_labels = int(self._round.labels.max(initial=0)) + 1
        payload = {"n_labels": n_labels, "packed": self._pack(self._round.labels, n_labels)}
        return self._commit("labels", LocalLabels, f"labels {self._scene()}", payload)

    def _scene(self) -> str:
        """Name the rows and active rows of this iteration: a nonce never serves two of them."""
        hashed = hashlib.sha256(self._current.active.tobytes())
        if self._sorted is not None:
            hashed.update(self._shared.tobytes())
        return f"{self.iteration} {hashed.hexdigest()}"

    def _commit(
        self,
        phase: Literal["labels", "ranking"],
        kind: type[LocalLabels] | type[Ranking],
        purpose: str,
        payload: dict[str, Any],
    ) -> list[Message]:
        if not self._others():
            return []
        self._reveal = kind, payload | {"nonce": nonce(self._secret, purpose)}
        sealed = kind(**self._speaker.header(""), **self._place(), **self._reveal[1])
        digest = commit(sealed)
        self._commitments.note_own(self.name, phase, digest)
        heard = self._commitments.listed(self.members)
        return self._say(Commitment, phase=phase, digest=digest, commitments=heard)

    def _pack(self, values: Labels, n_values: int) -> Bytes:
        return pack(values, n_values) if self._others() else np.zeros(0, dtype=np.uint8)

    def _finish_step(self) -> list[Message]:
        accepted = self._accepted
        match self._step:
            case "roster":
                return self._meet(accepted)
            case "label-commit" | "rank-commit":
                self._to("labels" if self._step == "label-commit" else "ranking")
                kind, payload = self._reveal if self._others() else (PeerMessage, {})
                return self._say(kind, **payload)
            case "labels":
                return self._agree(accepted)
            case "ranking":
                return self._close(accepted)
            case _:
                return self._compare(accepted)

    def _meet(self, rosters: dict[str, Bytes]) -> list[Message]:
        assert self._sorted is not None
        common = common_rows(self._sorted, list(rosters.values()))
        if not len(common):
            raise PeerError(
                f"no row is held by all of {', '.join(self.members)}: the pseudonyms share none. "
                f"Check that all peers use the same row key and the same identifier column."
            )
        self._rows, self._shared = self._order[common], self._sorted[common]
        self._state = first_state(len(common))
        return self._begin_iteration()

    def _agree(self, labels: dict[str, Labels]) -> list[Message]:
        self._round.agree(labels)
        for name, what in self._round.faults.items():
            self.log.append(f"iteration {self.iteration}: {name} {what}; it no longer counts")
        if not len(self._round.rows):
            return self._close({})
        self._to("rank-commit")
        payload = {"packed": self._pack(self._round.rank(), len(self._round.consensus))}
        purpose = f"ranking {self._scene()} {self.attempt}"
        return self._commit("ranking", Ranking, purpose, payload)

    def _close(self, rankings: dict[str, Labels]) -> list[Message]:
        self._to("digest")
        self._next = self._round.conclude(rankings)
        heard = self._commitments.listed(self.members)
        return self._say(StateDigest, digest=self._next.digest(self.members), commitments=heard)

    def _digest_again(self) -> list[Message]:
        """Repeat the digest of the last finished iteration, which a restart may have cut off."""
        state = self._current
        if not state.iteration:
            return []
        return self._speaker.tell(
            StateDigest,
            self._others(),
            {"iteration": state.iteration, "attempt": self.attempt},
            digest=state.digest(self.members),
            commitments=self._last_heard,
        )

    def _compare(self, digests: dict[str, StateDigest]) -> list[Message]:
        assert self._next is not None
        own = self._next.digest(self.members)
        for sender, message in digests.items():
            if np.array_equal(message.digest, own):
                continue
            raise PeerError(
                f"{sender} made another state of the same messages in iteration "
                f"{self.iteration}: its terms or its version differ, or it lies.",
                (sender,),
            )
        before, self._previous = self._current, self._current
        self._state, self._next = self._next, None
        self._last_heard = self._commitments.listed(self.members)
        self._declared = Declarations(self.name, self.members)
        if is_final(before, self._state, self.terms):
            self._to("done")
            return []
        return self._begin_iteration()

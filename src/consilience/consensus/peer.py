"""A peer: it holds some columns, exchanges labels and ranks, and obeys nobody."""

from __future__ import annotations

import secrets
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.consensus.absence import Declarations
from consilience.consensus.checkpoint import Arrays, Memory, from_arrays, to_arrays
from consilience.consensus.commitment import commit, nonce
from consilience.consensus.deliberation import Deliberation
from consilience.consensus.hierarchy import Hierarchy
from consilience.consensus.inbox import Inbox, Step
from consilience.consensus.local_step import LocalStep
from consilience.consensus.packing import pack
from consilience.consensus.reading import read_labels, read_ranking, read_roster
from consilience.consensus.rosters import common_rows, sort_pseudonyms
from consilience.consensus.state import State, first_state, is_final
from consilience.consensus.stories import compare_stories, list_commitments
from consilience.consensus.terms import Terms
from consilience.exceptions import MessageError, PeerError
from consilience.messages import (
    DIGEST_BYTES,
    Absence,
    Commitment,
    Failure,
    Farewell,
    LocalLabels,
    Message,
    PeerMessage,
    Ranking,
    Rejoin,
    Roster,
    StateDigest,
)

__all__ = ["Peer"]

Labels = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
NO_DIGEST = np.zeros(DIGEST_BYTES, dtype=np.uint8)


class Peer:
    """One peer of a consensus (Alg. 1 of [Belucci2026]_), as a machine from message to message.

    Parameters
    ----------
    name : str
        One of ``terms.peers``.
    X : ndarray of shape (n_rows, n_features)
        The peer's own columns. They never leave.
    terms : Terms
        What all peers agreed on.
    step : LocalStep
        How this peer clusters and ranks; nobody else needs to know.
    pseudonyms : ndarray of shape (n_rows, 16), uint8, or None
        Keyed pseudonyms of the rows; the peers go on with the rows all of them hold. None if
        every peer holds the same rows in the same order.
    study : str
        Digest of the study.
    secret : bytes or None
        Hides what was committed but not yet revealed. A peer that must survive a restart keeps
        it; None draws one.

    Notes
    -----
    *Sends* pseudonyms, once; in each iteration a commitment, labels of the active rows, a
    commitment, the order of the members of each cluster, and a digest of the state. *Keeps* its
    features, distances and everything computed from them. *Learns* which rows each other peer
    finds alike and how it orders them, and the clusters.

    What others send is checked before use. A message that breaks a rule is refused with a
    ``Failure`` and otherwise has no effect: its sender counts as not having answered.

    Examples
    --------
    Two peers, and a queue between them:

    >>> from sklearn.cluster import KMeans
    >>> from consilience.transports import deliver
    >>> terms = Terms(("bank", "insurer"))
    >>> ages, sums = np.array([[20.0], [21], [60], [61]]), np.array([[5.0], [9], [5], [5]])
    >>> roles = {"bank": Peer("bank", ages, terms, LocalStep(KMeans(2), similarity="euclidean")),
    ...          "insurer": Peer("insurer", sums, terms, LocalStep(KMeans(2)))}
    >>> deliver([m for role in roles.values() for m in role.begin()], roles)
    >>> roles["bank"].labels, roles["insurer"].labels
    (array([0, 1, 2, 2]), array([0, 1, 2, 2]))
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
        self._promised: dict[tuple[int, str], Bytes] = {}
        self._commitments: dict[tuple[str, str], Bytes] = {}
        self._outbox: list[PeerMessage] = []
        self._declared = Declarations(name, self.members)
        self._last_echo = np.zeros((len(self.members), 2, DIGEST_BYTES), dtype=np.uint8)

    # What a peer says of itself.

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

    @property
    def shared_rows(self) -> Labels:
        """The places in X of the common rows, in their agreed order."""
        return self._rows

    # What a peer does.

    def begin(self) -> list[Message]:
        """Start, or go on after :meth:`restore`."""
        if self._state is not None:
            again = self._digest_again()
            return again if self.done else again + self._begin_iteration() + self._advance()
        if self._sorted is None:
            self._state = first_state(len(self._X))
            return self._begin_iteration() + self._advance()
        return self._begin_roster() + self._advance()

    def rejoin(self) -> list[Message]:
        """Ask the others for what this peer may have missed."""
        return [
            Rejoin(**self._header(m), iteration=self.iteration, attempt=self.attempt)
            for m in self._others()
        ]

    def farewell(self) -> list[Message]:
        """Tell the others that this peer has the result."""
        return [
            Farewell(**self._header(m), iteration=self.iteration, attempt=self.attempt)
            for m in self._others()
        ]

    def receive(self, message: Message) -> list[Message]:
        """Take one message and return what follows from it."""
        if message.study != self.study:
            raise MessageError(
                f"{self.name} received a message of study {message.study[:12]!r}, but takes part "
                f"in {self.study[:12]!r}."
            )
        if message.recipient != self.name:
            raise MessageError(f"{self.name} received a message for {message.recipient!r}.")
        if message.sender not in self.terms.peers or message.sender == self.name:
            raise MessageError(f"{message.sender!r} is not another peer of this study.")
        if isinstance(message, Failure):
            self.log.append(f"{message.sender} refused: {message.reason}")
            return []
        if not isinstance(message, PeerMessage):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        if message.sender not in self.members:
            return self._refuse(message, "the others have gone on without you")
        if isinstance(message, Rejoin):
            return [
                m
                for m in self._outbox
                if m.recipient == message.sender and m.iteration >= message.iteration - 1
            ]
        if isinstance(message, Farewell):
            self.gone.add(message.sender)
            return []
        if isinstance(message, Absence):
            return self._hear_absence(message)
        return self._keep(message)

    def give_up(self) -> list[Message]:
        """Do what the terms say about members that do not answer in time.

        Called by whoever keeps the clock. The first call declares them absent, if the terms allow
        to go on without; a second call without agreement in between ends the run.
        """
        missing = self.waiting_for
        if not missing:
            return []
        names = ", ".join(missing)
        if self.terms.when_absent == "abort":
            raise PeerError(
                f"{names} did not answer in iteration {self.iteration}, and the terms say abort. "
                f"Start the peer again to go on, or agree on 'go on without'.",
                missing,
            )
        if self._declared.own is not None:
            raise PeerError(
                f"{names} did not answer in iteration {self.iteration}, and fewer than two peers "
                f"agree on going on without. Start the missing peers and run again.",
                missing,
            )
        self.log.append(f"iteration {self.iteration}: no answer from {names}")
        self._declared.declare(missing, self.iteration)
        return self._tell_absence() + self._drop_if_agreed()

    # Keeping and checking messages.

    def _keep(self, message: PeerMessage) -> list[Message]:
        if self.done:
            return []
        now = (message.attempt, message.iteration) == (self.attempt, self.iteration)
        if now and isinstance(message, (Commitment, StateDigest)):
            compare_stories(
                self._echo(),
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
            promised = self._promised.get((message.iteration, sender))
            if message.phase == "labels":
                if promised is not None and not np.array_equal(promised, message.digest):
                    raise MessageError("labels may not change when an iteration is run again")
                self._promised[(message.iteration, sender)] = message.digest
            self._commitments[(sender, message.phase)] = message.digest
            return message.digest
        if isinstance(message, LocalLabels):
            commitment = self._commitments.get((sender, "labels"), NO_DIGEST)
            return read_labels(message, commitment, len(self._current.active))
        if isinstance(message, Ranking):
            commitment = self._commitments.get((sender, "ranking"), NO_DIGEST)
            return read_ranking(message, commitment, self._round.consensus, self._round.rows)
        assert isinstance(message, StateDigest)
        return message

    def _refuse(self, message: Message, reason: str) -> list[Message]:
        self.log.append(f"refused a {type(message).__name__} of {message.sender}: {reason}")
        return [Failure(**self._header(message.sender), reason=reason)]

    # The steps of an iteration.

    @property
    def _current(self) -> State:
        assert self._state is not None
        return self._state

    def _others(self) -> list[str]:
        return [m for m in self.members if m != self.name]

    def _header(self, recipient: str) -> dict[str, Any]:
        return {"study": self.study, "sender": self.name, "recipient": recipient}

    def _say(self, kind: type[PeerMessage], **payload: Any) -> list[Message]:
        messages = [
            kind(**self._header(m), iteration=self.iteration, attempt=self.attempt, **payload)
            for m in self._others()
        ]
        self._outbox += messages
        return list(messages)

    def _to(self, step: Step) -> None:
        self._step = step
        self._accepted = {}

    def _begin_roster(self) -> list[Message]:
        self._to("roster")
        return self._say(Roster, pseudonyms=self._sorted)

    def _begin_iteration(self) -> list[Message]:
        state = self._current
        self._to("label-commit")
        self._outbox = [m for m in self._outbox if m.iteration >= state.iteration]
        self._inbox.drop_before(self.attempt, self.iteration)
        self._commitments = {}
        X = self._X[self._rows[state.active]]
        self._round = Deliberation(X, self._local, self.terms, self.name, state)
        n_labels = int(self._round.labels.max(initial=0)) + 1
        payload = {"n_labels": n_labels, "packed": self._pack(self._round.labels, n_labels)}
        return self._commit("labels", LocalLabels, f"labels {self.iteration}", payload)

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
        sealed = kind(
            **self._header(""), iteration=self.iteration, attempt=self.attempt, **self._reveal[1]
        )
        digest = self._commitments[(self.name, phase)] = commit(sealed)
        return self._say(Commitment, phase=phase, digest=digest, commitments=self._echo())

    def _pack(self, values: Labels, n_values: int) -> Bytes:
        return pack(values, n_values) if self._others() else NO_DIGEST

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
        self._rows = self._order[common]
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
        purpose = f"ranking {self.iteration} {self.attempt}"
        return self._commit("ranking", Ranking, purpose, payload)

    def _close(self, rankings: dict[str, Labels]) -> list[Message]:
        self._to("digest")
        self._next = self._round.conclude(rankings)
        return self._say(
            StateDigest, digest=self._next.digest(self.members), commitments=self._echo()
        )

    def _echo(self) -> Bytes:
        return list_commitments(self._commitments, self.members)

    def _digest_again(self) -> list[Message]:
        """Repeat the digest of the last finished iteration, which a restart may have cut off."""
        state = self._current
        if not state.iteration:
            return []
        return [
            StateDigest(
                **self._header(m),
                iteration=state.iteration,
                attempt=self.attempt,
                digest=state.digest(self.members),
                commitments=self._last_echo,
            )
            for m in self._others()
        ]

    def _compare(self, digests: dict[str, StateDigest]) -> list[Message]:
        assert self._next is not None
        own, echo = self._next.digest(self.members), self._echo()
        for sender, message in digests.items():
            if np.array_equal(message.digest, own):
                continue
            raise PeerError(
                f"{sender} made another state of the same messages in iteration "
                f"{self.iteration}: its terms or its version differ, or it lies.",
                (sender,),
            )
        before, self._previous, self._last_echo = self._current, self._current, echo
        self._state, self._next = self._next, None
        if is_final(before, self._state, self.terms):
            self._to("done")
            return []
        return self._begin_iteration()

    # Going on without someone.

    def _tell_absence(self) -> list[Message]:
        missing = self._declared.own or ()
        return [
            Absence(
                **self._header(m),
                iteration=self._declared.iterations[self.name],
                attempt=self.attempt,
                missing=",".join(missing),
            )
            for m in self._others()
            if m not in missing
        ]

    def _hear_absence(self, message: Absence) -> list[Message]:
        missing = tuple(name for name in message.missing.split(",") if name)
        if message.attempt != self.attempt or not set(missing) <= set(self.members):
            return []
        before = self._declared.own
        self._declared.hear(message.sender, missing, message.iteration)
        told = self._tell_absence() if self._declared.own != before else []
        return told + self._drop_if_agreed()

    def _drop_if_agreed(self) -> list[Message]:
        decision = self._declared.decision()
        if decision is None:
            return []
        iteration, missing = decision
        self.log.append(
            f"iteration {iteration}: going on without {', '.join(missing)}, whose veto is lost"
        )
        self.members = tuple(m for m in self.members if m not in missing)
        self.attempt += 1
        self._declared = Declarations(self.name, self.members)
        self._outbox = []
        if iteration == 0:
            self._state, begun = None, self._begin_roster()
        else:
            if iteration < self.iteration:
                self._state = self._previous
            begun = self._begin_iteration()
        return begun + self._advance()

    # Surviving a restart.

    def checkpoint(self) -> Arrays:
        """Give what a restarted peer needs: to be written before anything more is sent."""
        memory = Memory(
            self._secret,
            self.attempt,
            self.members,
            self.done,
            self._rows,
            self._last_echo,
            self._state,
            self._previous,
        )
        return to_arrays(memory, self.terms.peers)

    def restore(self, arrays: Arrays) -> None:
        """Take up a checkpoint of the same peer; call :meth:`begin` and :meth:`rejoin` next."""
        memory = from_arrays(arrays, self.terms.peers)
        self._secret, self.attempt, self.members = memory.secret, memory.attempt, memory.members
        self._state, self._previous = memory.state, memory.previous
        self._rows, self._last_echo = memory.rows, memory.commitments
        self._declared = Declarations(self.name, self.members)
        self._step = "done" if memory.done else "roster"

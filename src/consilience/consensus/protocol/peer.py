"""A peer: it holds some columns, exchanges labels and ranks, and obeys nobody."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from consilience.consensus.hierarchy import Hierarchy
from consilience.consensus.local_step import LocalStep, settings_of, settle
from consilience.consensus.protocol.commitments import Commitments
from consilience.consensus.protocol.deliberation import Deliberation
from consilience.consensus.protocol.hearsay import Hearsay
from consilience.consensus.protocol.iteration import Iteration
from consilience.consensus.protocol.log import Log, quoted
from consilience.consensus.protocol.mailbox import Inbox, Outbox
from consilience.consensus.protocol.manners import Manners
from consilience.consensus.protocol.meeting import Meeting, Unmatched
from consilience.consensus.protocol.membership import Membership
from consilience.consensus.protocol.memory import Memory
from consilience.consensus.protocol.rosters import CommonRows
from consilience.consensus.protocol.shared_state import SharedState, first_state, is_final
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import MessageError, PeerError, StudyError
from consilience.messages import Absence, Failure, Farewell, Message, PeerMessage, Rejoin, Witness

__all__ = ["Peer"]

Labels = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


class Peer:
    """One peer of a consensus (Alg. 1 of [Belucci2026]_), as a machine from message to message.

    ========================  ==========================================================
    step                      ends when every member has sent
    ========================  ==========================================================
    ``outline``               a digest of its rows, and sums over parts of them
    ``roster``                its pseudonyms, in the parts in which it differs from this peer
    ``label-commit``          a commitment to its labels; then labels are revealed
    ``labels``                its labels; then clusters are agreed and members ranked
    ``rank-commit``           a commitment to its ranking; then rankings are revealed
    ``ranking``               its ranking; then medoids are elected
    ``digest``                the digest of its state; then the next iteration begins
    ========================  ==========================================================

    Parameters
    ----------
    name : str
        One of `peers`.
    peers : tuple of str
        The names of all peers.
    X : ndarray of shape (n_rows, n_features)
        The peer's own columns. They never leave.
    terms : ConsensusTerms
        What all peers agreed on: the same at every peer, or their states would differ.
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
    unmatched : {"drop", "refuse"}, default="drop"
        Leave out rows that not every peer holds, or end the run with the names of who holds them.

    Notes
    -----
    *Sends* pseudonyms, where rows differ; in each iteration a commitment, labels of the active
    rows, a commitment, the order of the members of each cluster, and a digest of the state. *Keeps*
    its features, distances and everything computed from them. *Learns* which rows each other peer
    holds, finds alike and how it orders them, and the clusters.

    What others send is checked before use. A message that breaks a rule is refused with a
    ``Failure`` and otherwise has no effect: its sender counts as not having answered.

    Examples
    --------
    Two peers, and a queue between them:

    >>> from sklearn.cluster import KMeans
    >>> from consilience.transports import deliver
    >>> names, terms = ("bank", "insurer"), ConsensusTerms()
    >>> ages, sums = np.array([[20.0], [21], [60], [61]]), np.array([[5.0], [9], [5], [5]])
    >>> steps = LocalStep(KMeans(2), similarity="euclidean"), LocalStep(KMeans(2))
    >>> roles = {"bank": Peer("bank", names, ages, terms, steps[0]),
    ...          "insurer": Peer("insurer", names, sums, terms, steps[1])}
    >>> deliver([m for role in roles.values() for m in role.begin()], roles)
    >>> roles["bank"].labels, roles["insurer"].labels
    (array([0, 1, 2, 2]), array([0, 1, 2, 2]))
    """

    def __init__(
        self,
        name: str,
        peers: tuple[str, ...],
        X: npt.NDArray[np.float64],
        terms: ConsensusTerms,
        step: LocalStep,
        *,
        pseudonyms: Bytes | None = None,
        study: str = "",
        secret: bytes | None = None,
        unmatched: Unmatched = "drop",
    ) -> None:
        self.name, self.terms, self.study = name, terms, study
        self.log = Log()
        self.gone: set[str] = set()
        self.done = False
        self._membership = Membership(name, peers)
        self._rows, self._local = CommonRows(X, pseudonyms), step
        self._inbox, self._outbox = Inbox(), Outbox(self._membership, study)
        secret = secrets.token_bytes(32) if secret is None else secret
        self.commitments = Commitments(self._membership, secret)
        self.hearsay = Hearsay(self._membership, self.commitments, self._outbox, self.log)
        self._manners = Manners(study, self._outbox, self.log)
        self.strangers = self._manners.strangers
        self._unmatched = unmatched
        self._step: LocalStep | None = None
        self._state: SharedState | None = None
        self._previous: SharedState | None = None
        self._now: Meeting | Iteration = self._meet()

    @property
    def peers(self) -> tuple[str, ...]:
        """All peers of the study."""
        return self._membership.peers

    @property
    def members(self) -> tuple[str, ...]:
        """The peers that still take part."""
        return self._membership.members

    @property
    def without(self) -> list[str]:
        """The peers that the members have gone on without."""
        return [name for name in self._membership.peers if name not in self.members]

    @property
    def attempt(self) -> int:
        """How often the members have gone on without someone."""
        return self._membership.attempt

    @property
    def iteration(self) -> int:
        """The iteration under way; 0 while the peers find their common rows."""
        return 0 if self._state is None else self._state.iteration + (not self.done)

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """The members whose message this step needs and has not."""
        missing = (m for m in self._membership.others if m not in self._now.accepted)
        return () if self.done else tuple(missing)

    @property
    def hierarchy(self) -> Hierarchy:
        """The Cluster Fusion Hierarchy over the common rows, in their agreed order."""
        assert self._state is not None
        return Hierarchy(self._state.parent, self._state.joined)

    @property
    def labels(self) -> Labels:
        """A label for each row of X; -1 for rows that not all peers hold."""
        return self.labels_at(None)

    def labels_at(self, level: int | None) -> Labels:
        """Return the labels after an iteration, see :meth:`Hierarchy.cut`."""
        return self._rows.spread(self.hierarchy.cut(level))

    def begin(self) -> list[Message]:
        """Start, or go on after :meth:`restore`: then all that was said lately is said again.

        Whoever asked for it may have been answered by a process that died before it could send.
        """
        again: list[Message] = [*self._outbox.said]
        if self.done:
            return again
        if self._state is None and self._rows.roster is not None:
            return [*again, *self._now.begin(), *self._advance()]
        if self._state is None:
            self._state = first_state(len(self._rows.places))
        return [*again, *self._begin_iteration(), *self._advance()]

    def rejoin(self) -> list[Message]:
        """Ask the others for what this peer may have missed."""
        return [*self._outbox.write(Rejoin, self.iteration)]

    def farewell(self) -> list[Message]:
        """Tell the others that this peer has the result."""
        return [*self._outbox.write(Farewell, self.iteration)]

    def receive(self, message: Message) -> list[Message]:
        """Take one message and return what follows from it."""
        self._manners.check_study(message, self.peers)
        if message.recipient != self.name:
            raise MessageError(f"{self.name} received a message for {message.recipient!r}.")
        if message.sender not in self._membership.peers or message.sender == self.name:
            raise MessageError(f"{message.sender!r} is not another peer of this study.")
        if isinstance(message, Failure):
            self.log.append(f"{message.sender} refused: {quoted(message.reason)}")
            return []
        if not isinstance(message, PeerMessage):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        if message.sender not in self.members:
            return self._manners.refuse(message, "the others have gone on without you")
        if isinstance(message, Rejoin):
            return self._manners.repeat(message)
        if isinstance(message, Farewell):
            self.gone.add(message.sender)
            return []
        if isinstance(message, Absence):
            return self._hear_absence(message)
        return self._keep(message)

    def give_up(self, absent: Collection[str] | None = None) -> list[Message]:
        """Do what the terms say about members that do not answer in time.

        Called by whoever keeps the clock. The first call declares them absent, if the terms allow
        to go on without; a second call without agreement in between ends the run.

        Parameters
        ----------
        absent : collection of str or None, default=None
            Those of whom nothing is heard; others are only slow. None: all it waits for.
        """
        missing = tuple(m for m in self.waiting_for if absent is None or m in absent)
        if not missing:
            return []
        names = self._manners.describe(missing)
        if self.terms.when_absent == "abort":
            raise PeerError(
                f"{names} did not answer in iteration {self.iteration}, and the terms say abort. "
                f"Start the peer again to go on, or agree on 'go on without'.",
                missing,
            )
        if self._membership.declared is not None:
            if self._now.step == "digest" and self._now.accepted:
                # Those who answered hold this state already; only confirmations are missing.
                self.log.append(f"iteration {self.iteration}: not confirmed by {names}")
                return [*self._finish_step(), *self._advance()]
            raise PeerError(
                f"{names} did not answer in iteration {self.iteration}, and fewer than two peers "
                f"agree on going on without. Start the missing peers and run again.",
                missing,
            )
        self.log.append(f"iteration {self.iteration}: no answer from {names}")
        self._membership.declare(missing, self.iteration)
        return [*self._tell_absence(), *self._drop_if_agreed()]

    @property
    def progress(self) -> tuple[int, int, int, bool]:
        """How far this peer has come; when it changes, a new checkpoint is due before it speaks."""
        revealed = {"labels": 1, "rank-commit": 1, "ranking": 2, "digest": 2}
        return self.attempt, self.iteration, revealed.get(self._now.step, 0), self.done

    def remember(self) -> Memory:
        """Give what a restarted peer needs: to be written before anything more is sent."""
        return Memory(
            table=self._rows.digest(),
            settings=self._settings,
            secret=self.commitments.secret,
            members=self.members,
            attempt=self.attempt,
            done=self.done,
            places=self._rows.places,
            promises=self.commitments.promises(),
            state=self._state,
            previous=self._previous,
            said=self._outbox.said,
        )

    def restore(self, memory: Memory) -> None:
        """Take up where the same peer was; call :meth:`begin` and :meth:`rejoin` next."""
        same_table = memory.table == self._rows.digest()
        if not same_table or memory.settings != self._settings:
            raise StudyError(
                f"the checkpoint of {self.name} was made with "
                f"{'other settings' if same_table else 'another table'}: go on with those of "
                f"before, or let all peers start over with --anew."
            )
        self._membership.go_on(memory.members, memory.attempt)
        self._state, self._previous, self.done = memory.state, memory.previous, memory.done
        self._rows.places, self.commitments.secret = memory.places, memory.secret
        self.commitments.hold_to(memory.promises)
        self._outbox.keep(list(memory.said))

    @property
    def _settings(self) -> bytes:
        agreed = self.terms.model_dump_json(exclude={"places", "timeout", "deadline", "profile"})
        return f"{self.study}\n{agreed}\n{settings_of(self._local)}".encode()

    def _meet(self) -> Meeting:
        book = (self._membership, self.commitments, self._outbox)
        return Meeting(self._rows, *book, self._unmatched)

    def _keep(self, message: PeerMessage) -> list[Message]:
        if self.done:
            return []
        now = (message.attempt, message.iteration) == (self.attempt, self.iteration)
        try:
            if now and isinstance(message, Witness) and not self.hearsay.agrees(message):
                return self.hearsay.ask(message.sender, self.iteration)
            new = self._inbox.keep(message, self.attempt, self.iteration)
        except MessageError as error:
            return self._manners.refuse(message, str(error))
        return self._advance() if new else []

    def _advance(self) -> list[Message]:
        """Go on as far as the messages at hand allow."""
        out: list[Message] = []
        while not self.done:
            for message in self._inbox.take(self.attempt, self.iteration, self._now.step):
                try:
                    out += self._now.accept(message)
                except MessageError as error:
                    self._inbox.forget(message)
                    out += self._manners.refuse(message, str(error))
            if self.waiting_for:
                break
            out += self._finish_step()
        return out

    def _finish_step(self) -> Sequence[Message]:
        said = self._now.finish()
        self._manners.renew()
        if self._now.step != "done":
            return said
        before, self._state = self._state, self._now.outcome
        if before is not None:
            self._previous = before
            self._membership.settle()
            self.done = is_final(before, self._state, self.terms)
        return [] if self.done else self._begin_iteration()

    def _begin_iteration(self) -> Sequence[Message]:
        assert self._state is not None
        self._outbox.forget(before=self._state.iteration)
        self._inbox.drop_before(self.attempt, self.iteration)
        own, scene = self._deliberate(self._state), self._rows.scene(self._state.active)
        book = (self._membership, self.commitments, self.hearsay, self._outbox)
        self._now = Iteration(own, scene, *book, self.log)
        return self._now.begin()

    def _deliberate(self, state: SharedState) -> Deliberation:
        if self._step is None or not state.iteration:
            self._step = settle(self._local, self._rows.common)
        X, peers = self._rows.of(state.active), self._membership.peers
        return Deliberation(self.name, peers, X, self.terms, self._step, state)

    def _tell_absence(self) -> Sequence[Message]:
        missing = self._membership.declared or ()
        alive = [m for m in self._membership.others if m not in missing]
        since = self._membership.since
        return self._outbox.write(Absence, since, alive, missing=",".join(missing))

    def _hear_absence(self, message: Absence) -> list[Message]:
        missing = tuple(name for name in message.missing.split(",") if name)
        late = message.iteration < self.iteration - 1
        if late or message.attempt != self.attempt or not set(missing) <= set(self.members):
            return []
        before = self._membership.declared
        self._membership.hear(message.sender, missing, message.iteration)
        told = self._tell_absence() if self._membership.declared != before else []
        return [*told, *self._drop_if_agreed()]

    def _drop_if_agreed(self) -> list[Message]:
        decision = self._membership.decision()
        if decision is None:
            return []
        iteration, missing = decision
        self.log.append(
            f"iteration {iteration}: going on without {', '.join(missing)}, whose veto is lost"
        )
        rest = tuple(m for m in self.members if m not in missing)
        told = [m for m in self._tell_absence() if isinstance(m, PeerMessage)]
        self._membership.go_on(rest, self.attempt + 1)
        self._outbox.forget()
        # A member that is started again before it could agree must hear this again.
        self._outbox.keep(told)
        self.commitments.go_back_to(iteration)
        if iteration == 0:
            self._state = None
            self._now = self._meet()
            return [*self._now.begin(), *self._advance()]
        if iteration < self.iteration:
            self._state = self._previous
        return [*self._begin_iteration(), *self._advance()]

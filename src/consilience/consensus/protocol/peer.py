"""A peer: it holds some columns, exchanges labels and ranks, and obeys nobody."""

from __future__ import annotations

import hashlib

import numpy as np

from consilience.arrays import Arrays
from consilience.consensus.protocol.absence import Declarations
from consilience.consensus.protocol.agreement import Agreement
from consilience.consensus.protocol.checkpoint import Memory, from_arrays, to_arrays
from consilience.exceptions import MessageError, PeerError, StudyError
from consilience.messages import Absence, Failure, Farewell, Message, PeerMessage, Rejoin

__all__ = ["Peer"]


class Peer(Agreement):
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
    >>> from consilience.consensus.local_step import LocalStep
    >>> from consilience.consensus.protocol.terms import Terms
    >>> from consilience.transports import deliver
    >>> terms = Terms(("bank", "insurer"))
    >>> ages, sums = np.array([[20.0], [21], [60], [61]]), np.array([[5.0], [9], [5], [5]])
    >>> roles = {"bank": Peer("bank", ages, terms, LocalStep(KMeans(2), similarity="euclidean")),
    ...          "insurer": Peer("insurer", sums, terms, LocalStep(KMeans(2)))}
    >>> deliver([m for role in roles.values() for m in role.begin()], roles)
    >>> roles["bank"].labels, roles["insurer"].labels
    (array([0, 1, 2, 2]), array([0, 1, 2, 2]))
    """

    def rejoin(self) -> list[Message]:
        """Ask the others for what this peer may have missed."""
        return self._speaker.tell(Rejoin, self._others(), self._place())

    def farewell(self) -> list[Message]:
        """Tell the others that this peer has the result."""
        return self._speaker.tell(Farewell, self._others(), self._place())

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
            return self._speaker.again(message.sender, message.iteration - 1)
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
            if self._step == "digest" and self._accepted:
                # Those who answered hold this state already; only confirmations are missing.
                self.log.append(f"iteration {self.iteration}: not confirmed by {names}")
                return self._compare(self._accepted) + self._advance()
            raise PeerError(
                f"{names} did not answer in iteration {self.iteration}, and fewer than two peers "
                f"agree on going on without. Start the missing peers and run again.",
                missing,
            )
        self.log.append(f"iteration {self.iteration}: no answer from {names}")
        self._declared.declare(missing, self.iteration)
        return self._tell_absence() + self._drop_if_agreed()

    def _tell_absence(self) -> list[Message]:
        missing = self._declared.own or ()
        place = {"iteration": self._declared.iterations[self.name], "attempt": self.attempt}
        alive = [m for m in self._others() if m not in missing]
        return self._speaker.tell(Absence, alive, place, missing=",".join(missing))

    def _hear_absence(self, message: Absence) -> list[Message]:
        missing = tuple(name for name in message.missing.split(",") if name)
        late = message.iteration < self.iteration - 1
        if late or message.attempt != self.attempt or not set(missing) <= set(self.members):
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
        self._speaker.forget_before(None)
        self._commitments.go_back_to(iteration)
        if iteration == 0:
            self._state, begun = None, self._begin_roster()
        else:
            if iteration < self.iteration:
                self._state = self._previous
            begun = self._begin_iteration()
        return begun + self._advance()

    def checkpoint(self) -> Arrays:
        """Give what a restarted peer needs: to be written before anything more is sent."""
        memory = Memory(
            self._secret,
            self.attempt,
            self.members,
            self.done,
            self._table_digest(),
            self._rows,
            self._last_heard,
            self._state,
            self._previous,
        )
        return to_arrays(memory, self.terms.peers)

    def restore(self, arrays: Arrays) -> None:
        """Take up a checkpoint of the same peer; call :meth:`begin` and :meth:`rejoin` next."""
        memory = from_arrays(arrays, self.terms.peers)
        if memory.table != self._table_digest():
            raise StudyError(
                f"the checkpoint of {self.name} was made with another table: delete it to start "
                f"over, or use the table it was made with."
            )
        self._secret, self.attempt, self.members = memory.secret, memory.attempt, memory.members
        self._state, self._previous = memory.state, memory.previous
        self._rows, self._last_heard = memory.rows, memory.commitments
        if self._sorted is not None and self._state is not None:
            self._shared = self._sorted[np.isin(self._order, self._rows)]
        self._declared = Declarations(self.name, self.members)
        self._step = "done" if memory.done else "roster"

    def _table_digest(self) -> bytes:
        shape = str(self._X.shape).encode()
        return hashlib.sha256(shape + np.ascontiguousarray(self._X).tobytes()).digest()

"""A party of a continual study: it holds a stream and sends nodes."""

from __future__ import annotations

import hashlib
import secrets

import numpy as np
import numpy.typing as npt

from consilience.continual.nodes import compute
from consilience.continual.nodes.network import MAX_NODES, Network
from consilience.continual.nodes.profile import Profile, find_profile
from consilience.continual.state import State
from consilience.continual.units import Units
from consilience.exceptions import MessageError, StudyError
from consilience.messages import ClusterUpdate, Failure, Message, NodeUpdate
from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise
from consilience.privacy.release import Account, release
from consilience.privacy.stand_ins import StandIns

__all__ = ["Party"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Party:
    """Learns its stream window by window with CA+ and sends the nodes that changed.

    Parameters
    ----------
    name : str
    n_features : int
    profile : Profile, optional
    noise : LaplaceNoise or StandIns, optional
        What hides the rows before anything is learnt from them (Alg. 2, line 2): noise on each, or
        centres that stand in for them.
    budget : Budget or Accountant, optional
        The party's privacy account.
    units : Units, optional
        Units in which nodes are made and sent.
    resend : {"changed", "all"}
        Send the nodes that are new or have moved since the last window, or all of them.
    seed : int
        For the order of the rows, in profiles that shuffle.
    max_nodes : int
        Nodes it never exceeds; one that won nothing for 7 times as many rows is forgotten.
    study, analyst : str
        Digest of the agreed terms, and whom it sends to.

    Notes
    -----
    *Sends* nodes, their winning counts and numbers. *Keeps* its rows, its network and its budget.
    *Learns* the cluster of each of its nodes, and the analyst's nodes if the study says so.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> party = Party("clinic", 2)
    >>> update, = party.begin(rng.normal(size=(300, 2)))
    >>> update.window, len(update.nodes) < 100
    (0, True)
    >>> again, = party.begin(rng.normal(size=(50, 2)))
    >>> again.window, len(again.nodes) < len(update.nodes)
    (1, True)
    """

    def __init__(
        self,
        name: str,
        n_features: int,
        *,
        profile: Profile | None = None,
        noise: LaplaceNoise | StandIns | None = None,
        budget: Account | None = None,
        units: Units | None = None,
        resend: str = "changed",
        seed: int = 0,
        max_nodes: int = MAX_NODES,
        study: str = "",
        analyst: str = "analyst",
    ) -> None:
        if noise is not None and noise.n_features != n_features:
            raise StudyError(
                f"{name} has {n_features} features but bounds for {noise.n_features}; noise needs "
                f"one pair of bounds per feature."
            )
        if resend not in ("changed", "all"):
            raise ValueError(f"resend == {resend!r}, must be 'changed' or 'all'.")
        self.name = name
        self.network = Network(
            n_features,
            profile or find_profile("reference"),
            topology=False,
            max_nodes=max_nodes,
        )
        self.budget: Account = Budget() if budget is None else budget
        self.window = 0
        self.clusters: ClusterUpdate | None = None
        self.noise, self._resend, self._seed = noise, resend, seed
        self._units = Units() if units is None else units
        self._study, self._analyst = study, analyst
        self._sent_ids: IntArray = np.empty(0, dtype=np.int64)
        self._sent: FloatArray = np.empty((0, n_features))
        self._last: NodeUpdate | None = None
        # Of what was learnt last, if it had a number; salted, so that nobody can look it up.
        self._last_digest, self._salt = "", secrets.token_hex(16)
        self._answered = -1

    def begin(self, X: FloatArray, window: int | None = None) -> list[Message]:
        """Learn a window of rows and send the nodes that changed.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Finite values, at least one row.
        window : int, optional
            Number of the window; None takes the next. The window before that one is answered
            with the very message that was sent for it: nothing is learnt, drawn or charged
            twice. Any other number is refused.
        """
        digest = "" if window is None else self._digest(X)
        if window is not None and window != self.window:
            return [self._repeat(window, digest)]
        rng = np.random.default_rng([self._seed, self.window])
        rows = X[rng.permutation(len(X))] if self.network.profile.shuffle else X

        def build(noisy: FloatArray) -> NodeUpdate:
            compute.path().learn(self.network, self._units.scale(noisy))
            return self._update()

        update = release(rows, self.noise, self.budget, build, f"window {self.window}")
        self.window += 1
        self._last, self._last_digest = update, digest
        return [update]

    def receive(self, message: Message) -> list[Message]:
        """Take the analyst's clusters; say nothing in turn."""
        if message.study != self._study:
            raise MessageError(
                f"{self.name} received an answer to study {message.study[:12]!r}, but takes part "
                f"in {self._study[:12]!r}."
            )
        if isinstance(message, Failure):
            raise MessageError(f"{message.sender} refused: {message.reason}")
        if not isinstance(message, ClusterUpdate):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        self._check(message)
        self.clusters, self._answered = message, message.window
        return []

    def label(self, X: FloatArray) -> IntArray:
        """Return the cluster of each row, found at home from the last answer.

        With the analyst's nodes, that of the nearest of them; otherwise that of the party's own
        nearest node among those the analyst knows.
        """
        if self.clusters is None:
            raise MessageError(f"{self.name} has no answer yet: contribute a window first.")
        if self.clusters.nodes is not None and self.clusters.node_labels is not None:
            nodes, labels = self.clusters.nodes, self.clusters.node_labels
            sigma = self.clusters.bandwidth
        else:
            known = np.isin(self.network.ids[: self.network.n_nodes], self.clusters.ids)
            if not known.any():
                raise MessageError(
                    f"{self.name} has forgotten all nodes that the last answer is about. Send the "
                    f"next window, and label with the answer to it."
                )
            nodes, sigma = self.network.positions[known], self.network.sigma
            ids = self.network.ids[: self.network.n_nodes][known]
            order = np.argsort(self.clusters.ids)
            place = order[np.searchsorted(self.clusters.ids, ids, sorter=order)]
            labels = self.clusters.labels[place]
        winners: IntArray = compute.path().nearest(self._units.scale(X), nodes, sigma)
        return labels[winners]

    def _update(self) -> NodeUpdate:
        n = self.network.n_nodes
        ids, nodes = self.network.ids[:n], self.network.positions
        changed = np.ones(n, dtype=bool)
        if self._resend == "changed" and self._sent_ids.size:
            order = np.argsort(self._sent_ids)
            after = np.searchsorted(self._sent_ids, ids, sorter=order)
            place = order[np.minimum(after, order.size - 1)]
            changed = (self._sent_ids[place] != ids) | (nodes != self._sent[place]).any(axis=1)
        self._sent_ids, self._sent = ids.copy(), nodes.copy()
        return NodeUpdate(
            study=self._study,
            sender=self.name,
            recipient=self._analyst,
            window=self.window,
            nodes=np.ascontiguousarray(nodes[changed]),
            counts=self.network.counts[:n][changed],
            ids=ids[changed],
        )

    def _check(self, answer: ClusterUpdate) -> None:
        """Refuse an answer to somebody else, to nodes never sent, or older than the last one."""
        if (answer.sender, answer.recipient) != (self._analyst, self.name):
            raise MessageError(
                f"{self.name} received an answer of {answer.sender!r} to {answer.recipient!r}; it "
                f"takes those of {self._analyst!r} to itself."
            )
        if answer.window < self._answered:
            raise MessageError(
                f"{self.name} received the answer of round {answer.window + 1}, but has had that "
                f"of round {self._answered + 1}. Use the latest."
            )
        known = np.isin(answer.ids, self._sent_ids)
        if not known.all():
            known |= self._forgotten(answer.ids)
        if not known.all() or len(np.unique(answer.ids)) < len(answer.ids):
            raise MessageError(
                f"{self.name} received clusters of {len(answer.ids)} nodes, {known.sum()} of them "
                f"nodes it has sent; every one must be, and stand once. The answer is to another "
                f"party, or to nodes of another state: ask the analyst for the right one."
            )
        most = self.network.max_nodes
        if answer.n_clusters > most or (answer.nodes is not None and len(answer.nodes) > most):
            raise MessageError(
                f"{self.name} received {answer.n_clusters} clusters, must be at most {most}, the "
                f"nodes that the analyst may have (max_nodes)."
            )
        for names in (answer.labels, answer.node_labels):
            if names is None:
                continue
            if (names < 0).any() or len(np.unique(names)) > answer.n_clusters:
                raise MessageError(
                    f"{self.name} received {len(np.unique(names))} names of clusters, must be at "
                    f"most the {answer.n_clusters} there are, none of them below 0."
                )
        if answer.nodes is not None and answer.nodes.shape[1] != self.network.n_features:
            raise MessageError(
                f"{self.name} received nodes of {answer.nodes.shape[1]} features, its own have "
                f"{self.network.n_features}."
            )

    def _forgotten(self, ids: IntArray) -> npt.NDArray[np.bool_]:
        """Return which numbers were given to nodes that are there no longer."""
        held = np.isin(ids, self.network.ids[: self.network.n_nodes])
        forgotten: npt.NDArray[np.bool_] = (ids >= 0) & (ids < self.network.n_created) & ~held
        return forgotten

    def _digest(self, X: FloatArray) -> str:
        salted = hashlib.blake2b(bytes.fromhex(self._salt), digest_size=16)
        salted.update(np.ascontiguousarray(X).tobytes())
        return salted.hexdigest()

    def _repeat(self, window: int, digest: str) -> NodeUpdate:
        if self._last is None or window != self._last.window:
            raise StudyError(
                f"{self.name} was given window {window}, but the next one is {self.window}. "
                f"Windows are learnt in order, each once."
            )
        if digest != self._last_digest:
            raise StudyError(
                f"{self.name} has learnt window {window} already, from other rows. A window is "
                f"never learnt again; give the new rows the number {self.window}."
            )
        return self._last

    def state(self) -> State:
        """Return what must survive between two windows.

        What an account that outlives the party knows is not part of it.
        """
        own = self.budget if isinstance(self.budget, Budget) else Budget()
        return {
            "name": self.name,
            "window": self.window,
            "limit": own.limit,
            "charges": own.rows(),
            "network": self.network.state(),
            "sent_ids": self._sent_ids,
            "sent": self._sent,
            "last": self._last and vars(self._last),
            "digest": self._last_digest,
            "salt": self._salt,
            "answered": self._answered,
        }

    def restore(self, state: State) -> None:
        """Go on from a state of :meth:`state`."""
        if state["name"] != self.name:
            raise StudyError(f"{self.name} was given the state of {state['name']}.")
        network = Network.from_state(state["network"])
        if network.n_features != self.network.n_features:
            raise StudyError(
                f"the state of {self.name} has {network.n_features} features, the study has "
                f"{self.network.n_features}."
            )
        self.network, self.window = network, state["window"]
        if isinstance(self.budget, Budget):
            limit = state["limit"] if self.budget.limit is None else self.budget.limit
            self.budget = Budget.from_rows(limit, state["charges"])
        self._sent_ids, self._sent = state["sent_ids"], state["sent"]
        self._last = state["last"] and NodeUpdate(**state["last"])
        self._last_digest, self._answered = state["digest"], state["answered"]
        self._salt = state.get("salt", "")  # an earlier version had none

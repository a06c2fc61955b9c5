"""The analyst of a continual study: it merges the parties' nodes into one lasting network."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt

from consilience.continual import compute
from consilience.continual.absorption import absorb_small
from consilience.continual.history import History
from consilience.continual.holding import Holding
from consilience.continual.naming import Succession, name_clusters
from consilience.continual.network import MAX_NODES, Network
from consilience.continual.panel import Panel
from consilience.continual.profile import Profile, find_profile
from consilience.continual.state import State
from consilience.exceptions import MessageError, StudyError
from consilience.messages import ClusterUpdate, Message, NodeUpdate

__all__ = ["Analyst"]

IntArray = npt.NDArray[np.int64]


class Analyst:
    """Feeds the nodes of all parties to CAE_FC and tells each party its clusters.

    Parameters
    ----------
    parties : iterable of str
        Who takes part from the start.
    n_features : int
    profile : Profile, optional
    seed : int
        For the order in which nodes are presented (Alg. 3).
    answer : {"labels", "nodes"}
        Tell a party the clusters of its own nodes only, or the analyst's nodes as well: rows
        are then labelled as in the paper, and everyone sees where others have data.
    min_cluster_size : int
        Points a cluster must have won not to be absorbed by its nearest neighbour.
    max_nodes : int
        Nodes a network of the panel never exceeds.
    study, name : str

    Attributes
    ----------
    panel : Panel
        The lasting networks, one unless the profile asks for more.
    network : Network
        The one that speaks for all.
    node_labels : ndarray of shape (n_nodes,)
        Lasting name of the cluster of each of its nodes.
    rounds : int
        Rounds concluded.
    succession : Succession
        Births, splits, merges and deaths of the last round.
    history : History
        Counts of the rounds so far, and the nodes, edges and clusters of the last few.

    Notes
    -----
    *Sends* to each party the clusters of its nodes (and its own nodes, with ``answer="nodes"``).
    *Keeps* the network, as it is and as it was after the last few rounds, and every party's nodes
    as last sent. *Learns* where each party has data,
    to the precision its noise allows, and how its nodes change from window to window.

    Examples
    --------
    >>> from consilience.continual.party import Party
    >>> rng = np.random.default_rng(0)
    >>> analyst = Analyst(["a", "b"], 2)
    >>> for name in "ab":
    ...     for message in Party(name, 2).begin(rng.normal(size=(200, 2))):
    ...         _ = analyst.receive(message)
    >>> [answer.recipient for answer in analyst.solve()], analyst.rounds
    (['a', 'b'], 1)
    """

    def __init__(
        self,
        parties: Iterable[str],
        n_features: int,
        *,
        profile: Profile | None = None,
        seed: int = 0,
        answer: Literal["labels", "nodes"] = "labels",
        min_cluster_size: int = 1,
        max_nodes: int = MAX_NODES,
        study: str = "",
        name: str = "analyst",
    ) -> None:
        if answer not in ("labels", "nodes"):
            raise ValueError(f"answer == {answer!r}, must be 'labels' or 'nodes'.")
        self.name = name
        self.panel = Panel(
            n_features, profile or find_profile("reference"), seed, max_nodes=max_nodes
        )
        self.node_labels: IntArray = np.empty(0, dtype=np.int64)
        self.rounds = 0
        self.succession = Succession(())
        self.history = History()
        self._answer, self._study = answer, study
        self._min_cluster_size = min_cluster_size
        self._next_name = 0
        self._holdings = {party: Holding.empty(n_features) for party in parties}
        self._next_window = dict.fromkeys(self._holdings, 0)
        self._digests = dict.fromkeys(self._holdings, "")
        self._waiting: dict[str, NodeUpdate] = {}

    @property
    def network(self) -> Network:
        """The network that speaks for all."""
        return self.panel.network

    @property
    def parties(self) -> list[str]:
        """Who takes part, in the order of joining."""
        return list(self._holdings)

    @property
    def waiting(self) -> list[str]:
        """The parties whose nodes have arrived since the last round."""
        return list(self._waiting)

    @property
    def windows(self) -> dict[str, int]:
        """How many windows of each party have arrived."""
        return dict(self._next_window)

    @property
    def n_held(self) -> dict[str, int]:
        """How many nodes of each party are known."""
        return {party: len(holding.ids) for party, holding in self._holdings.items()}

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the last round."""
        return len(np.unique(self.node_labels))

    def join(self, party: str) -> None:
        """Let a new party take part from now on."""
        if party in self._holdings:
            raise StudyError(f"{party!r} takes part already.")
        self._holdings[party] = Holding.empty(self.network.n_features)
        self._next_window[party], self._digests[party] = 0, ""

    def leave(self, party: str, *, withdraw: bool = False) -> None:
        """Let a party go.

        Parameters
        ----------
        party : str
        withdraw : bool
            Whether its nodes must go too. The network then is built again from the nodes of the
            others; otherwise what was learnt from the party stays learnt.
        """
        self._check_sender(party)
        if withdraw and len(self._holdings) == 1:
            raise StudyError(f"{party!r} is the only party: without it there is no study.")
        for record in (self._holdings, self._next_window, self._digests, self._waiting):
            record.pop(party, None)
        if withdraw and self.rounds:
            self.history.forget_nodes()
            self.panel = Panel(
                self.panel.n_features,
                self.panel.profile,
                self.panel.seed,
                max_nodes=self.panel.max_nodes,
            )
            held = [h for h in self._holdings.values() if len(h.ids)]
            if held:
                self.panel.learn([h.nodes for h in held], [h.counts for h in held])
                self._name()
            else:
                self.node_labels = self.node_labels[:0]

    def receive(self, message: Message) -> list[Message]:
        """Take a party's nodes; they count once :meth:`solve` is called.

        A window that has arrived before is recognised and not counted again.
        """
        if message.study != self._study:
            raise MessageError(
                f"{message.sender} sent a {type(message).__name__} for study "
                f"{message.study[:12]!r}, but this one is {self._study[:12]!r}."
            )
        self._check_sender(message.sender)
        if not isinstance(message, NodeUpdate):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        if message.nodes.shape[1] != self.network.n_features:
            raise MessageError(
                f"{message.sender} sent nodes of {message.nodes.shape[1]} features, the study has "
                f"{self.network.n_features}."
            )
        if self.waits_for_round(message):
            raise MessageError(
                f"{message.sender} sent window {message.window} before its window "
                f"{message.window - 1} was merged. Conclude the round first."
            )
        if self._is_new(message):
            self._waiting[message.sender] = message
            self._next_window[message.sender] += 1
            self._digests[message.sender] = _digest(message)
        return []

    def waits_for_round(self, message: NodeUpdate) -> bool:
        """Whether an earlier window of the same party must be merged before this one."""
        sender = message.sender
        return sender in self._waiting and message.window == self._next_window[sender]

    def solve(self) -> list[Message]:
        """Merge what has arrived, name the clusters and answer every party (Alg. 2, lines 4-5)."""
        if not self._waiting:
            raise MessageError("no window has arrived since the last round: nothing to merge.")
        updates = [self._waiting[party] for party in self._holdings if party in self._waiting]
        for update in updates:
            self._holdings[update.sender].merge(update)
        self._waiting = {}
        self.panel.learn([u.nodes for u in updates], [u.counts for u in updates])
        if self.network.n_nodes == 0:
            raise MessageError("no party has sent a node yet: there is nothing to cluster.")
        self._name()
        self.rounds += 1
        received = {update.sender: len(update.nodes) for update in updates}
        self.history.add(self.rounds, received, self.network, self.node_labels, self.succession)
        return self.answers()

    def answers(self) -> list[Message]:
        """Return what every party with nodes may know of the last round."""
        found: list[Message] = []
        for party, holding in self._holdings.items():
            if not len(holding.ids):
                continue
            answer = ClusterUpdate(
                study=self._study,
                sender=self.name,
                recipient=party,
                window=max(self.rounds - 1, 0),
                ids=holding.ids,
                labels=holding.labels,
                n_clusters=self.n_clusters,
            )
            if self._answer == "nodes":
                answer = ClusterUpdate(
                    **vars(answer)
                    | {
                        "nodes": np.ascontiguousarray(self.network.positions),
                        "node_labels": self.node_labels,
                        "bandwidth": self.network.sigma,
                    }
                )
            found.append(answer)
        return found

    def _name(self) -> None:
        """Find the clusters and hand on their names by the parties' nodes they share."""
        holdings = list(self._holdings.values())
        held = np.concatenate([h.nodes for h in holdings])
        self.panel.choose(held)
        network = self.network
        clusters = absorb_small(
            network.positions,
            network.clusters(),
            network.counts[: network.n_nodes],
            network.sigma,
            self._min_cluster_size,
        )
        after = clusters[compute.path().nearest(held, network.positions, network.sigma)]
        known = np.unique(
            np.concatenate([self.node_labels, *(h.labels[h.labels >= 0] for h in holdings)])
        )
        self.succession = name_clusters(
            np.concatenate([h.labels for h in holdings]),
            after,
            np.concatenate([h.counts for h in holdings]).astype(np.float64),
            int(clusters.max()) + 1,
            known,
            self._next_name,
        )
        names = np.array(self.succession.names, dtype=np.int64)
        self._next_name = max(self._next_name, int(names.max()) + 1)
        self.node_labels = names[clusters]
        start = 0
        for holding in holdings:
            end = start + len(holding.ids)
            holding.labels = names[after[start:end]]
            start = end

    def _is_new(self, message: NodeUpdate) -> bool:
        expected = self._next_window[message.sender]
        if message.window == expected:
            return True
        if message.window > expected:
            raise MessageError(
                f"{message.sender} sent window {message.window}, but window {expected} has not "
                f"arrived. Windows are merged in order; ask for the missing one."
            )
        if message.window == expected - 1 and _digest(message) != self._digests[message.sender]:
            raise MessageError(
                f"{message.sender} sent window {message.window} again with other nodes. A window "
                f"is merged once; send the change as window {expected}."
            )
        return False

    def _check_sender(self, party: str) -> None:
        if party not in self._holdings:
            raise MessageError(
                f"{party!r} does not take part; the parties are {self.parties}. Let it join first."
            )

    def state(self) -> State:
        """Return what must survive between two rounds."""
        state = State(
            {
                "rounds": self.rounds,
                "next_name": self._next_name,
                "parties": self.parties,
                "next_window": self._next_window,
                "digests": self._digests,
                "waiting": {party: update.window for party, update in self._waiting.items()},
            },
            {"node_labels": self.node_labels},
        )
        state.put("panel", self.panel.state())
        state.put("history", self.history.state())
        for number, holding in enumerate(self._holdings.values()):
            state.put(f"holding-{number}", holding.state())
        for number, update in enumerate(self._waiting.values()):
            arrays = {"nodes": update.nodes, "counts": update.counts, "ids": update.ids}
            state.put(f"waiting-{number}", State({}, arrays))
        return state

    def restore(self, state: State) -> None:
        """Go on from a state of :meth:`state`."""
        facts = state.facts
        panel = Panel.from_state(state.take("panel"))
        if panel.n_features != self.panel.n_features:
            raise StudyError(
                f"the state has {panel.n_features} features, the study has {self.panel.n_features}."
            )
        self.panel, self.node_labels = panel, state.arrays["node_labels"]
        self.rounds, self._next_name = facts["rounds"], facts["next_name"]
        self.history = History.from_state(state.take("history"))
        if self.history.rounds:
            self.succession = self.history.rounds[-1].succession
        self._holdings = {
            party: Holding.from_state(state.take(f"holding-{number}"))
            for number, party in enumerate(facts["parties"])
        }
        self._next_window, self._digests = dict(facts["next_window"]), dict(facts["digests"])
        self._waiting = {
            party: NodeUpdate(
                study=self._study,
                sender=party,
                recipient=self.name,
                window=window,
                **state.take(f"waiting-{number}").arrays,
            )
            for number, (party, window) in enumerate(facts["waiting"].items())
        }


def _digest(update: NodeUpdate) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in (update.ids, update.counts, update.nodes):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()

"""The analyst of a continual study: it merges the parties' nodes into one lasting network."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from consilience.continual.history import History
from consilience.continual.lasting import LastingClusters
from consilience.continual.nodes.network import MAX_NODES, Network
from consilience.continual.nodes.profile import Profile, find_profile
from consilience.continual.panel import Panel
from consilience.continual.received import Received
from consilience.continual.state import State
from consilience.exceptions import MessageError, StudyError
from consilience.messages import ClusterUpdate, Message, NodeUpdate

__all__ = ["Analyst"]


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
        Nodes a network of the panel never exceeds, nor what is kept of a party.
    study, name : str

    Attributes
    ----------
    received : dict of str to Received
        What has arrived of each party, in the order of joining.
    clusters : LastingClusters
        The lasting networks, the clusters and their names.
    rounds : int
        Rounds concluded.
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
        panel = Panel(n_features, profile or find_profile("reference"), seed, max_nodes=max_nodes)
        self.name = name
        self.received = {party: Received(np.empty((0, n_features))) for party in parties}
        self.clusters = LastingClusters(panel, min_cluster_size)
        self.rounds = 0
        self.history = History()
        self._answer, self._study = answer, study

    @property
    def network(self) -> Network:
        """The network that speaks for all."""
        return self.clusters.network

    @property
    def waiting(self) -> list[str]:
        """The parties whose nodes have arrived since the last round."""
        return [name for name, party in self.received.items() if party.waiting is not None]

    def join(self, party: str) -> None:
        """Let a new party take part from now on."""
        if party in self.received:
            raise StudyError(f"{party!r} takes part already.")
        self.received[party] = Received(np.empty((0, self.network.n_features)))

    def leave(self, party: str, *, withdraw: bool = False) -> None:
        """Let a party go.

        Parameters
        ----------
        party : str
        withdraw : bool
            Whether its nodes must go too. The network then is built again from the nodes of the
            others; otherwise what was learnt from the party stays learnt.
        """
        self._of(party)
        if withdraw and len(self.received) == 1:
            raise StudyError(f"{party!r} is the only party: without it there is no study.")
        del self.received[party]
        if withdraw and self.rounds:
            self.history.forget_nodes()
            self.clusters.rebuild(list(self.received.values()))

    def receive(self, message: Message) -> list[Message]:
        """Take a party's nodes; they count once :meth:`solve` is called.

        A window that has arrived before is recognised and not counted again.
        """
        if message.study != self._study:
            raise MessageError(
                f"{message.sender} sent a {type(message).__name__} for study "
                f"{message.study[:12]!r}, but this one is {self._study[:12]!r}."
            )
        received = self._of(message.sender)
        if not isinstance(message, NodeUpdate):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        most = self.network.max_nodes
        if message.recipient != self.name or len(message.nodes) > most:
            raise MessageError(
                f"{message.sender} sent {len(message.nodes)} nodes to {message.recipient!r}, must "
                f"be at most {most} (max_nodes), to {self.name!r}."
            )
        received.take(message)
        return []

    def solve(self) -> list[Message]:
        """Merge what has arrived, name the clusters and answer every party (Alg. 2, lines 4-5)."""
        updates = [party.waiting for party in self.received.values() if party.waiting is not None]
        if not updates:
            raise MessageError("no window has arrived since the last round: nothing to merge.")
        received = list(self.received.values())
        for party in received:
            party.merge(self.network.max_nodes)
        self.clusters.panel.learn([u.nodes for u in updates], [u.counts for u in updates])
        if self.network.n_nodes == 0:
            raise MessageError("no party has sent a node yet: there is nothing to cluster.")
        self.clusters.name(received)
        self.rounds += 1
        sent = {update.sender: len(update.nodes) for update in updates}
        clusters = self.clusters
        self.history.add(self.rounds, sent, self.network, clusters.node_labels, clusters.succession)
        return self.answers()

    def answers(self) -> list[Message]:
        """Return what every party with nodes may know of the last round."""
        common: dict[str, Any] = {}
        if self._answer == "nodes":
            common = {
                "nodes": np.ascontiguousarray(self.network.positions),
                "node_labels": self.clusters.node_labels,
                "bandwidth": self.network.sigma,
            }
        return [
            ClusterUpdate(
                study=self._study,
                sender=self.name,
                recipient=party,
                window=max(self.rounds - 1, 0),
                ids=received.ids,
                labels=received.labels,
                n_clusters=self.clusters.n_clusters,
                **common,
            )
            for party, received in self.received.items()
            if len(received.ids)
        ]

    def _of(self, party: str) -> Received:
        """Return what has arrived of a party, or refuse a stranger."""
        if party not in self.received:
            raise MessageError(
                f"{party!r} does not take part; the parties are {list(self.received)}. Let it join "
                f"first."
            )
        return self.received[party]

    def state(self) -> State:
        """Return what must survive between two rounds."""
        return {
            "rounds": self.rounds,
            "parties": list(self.received),
            "received": [received.state() for received in self.received.values()],
            "clusters": self.clusters.state(),
            "history": self.history.state(),
        }

    def restore(self, state: State) -> None:
        """Go on from a state of :meth:`state`."""
        n_features = self.network.n_features
        self.clusters.restore(state["clusters"])
        if self.network.n_features != n_features:
            raise StudyError(
                f"the state has {self.network.n_features} features, the study has {n_features}."
            )
        self.rounds, self.history = state["rounds"], History.from_state(state["history"])
        if self.history.rounds:
            self.clusters.succession = self.history.rounds[-1].succession
        received = map(Received.from_state, state["received"])
        self.received = dict(zip(state["parties"], received, strict=True))

"""The clusters of a study without an end: networks that go on learning, and names that last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consilience.continual.absorption import absorb_small
from consilience.continual.naming import Succession, name_clusters
from consilience.continual.nodes import compute
from consilience.continual.nodes.network import Network
from consilience.continual.panel import Panel
from consilience.continual.received import Received
from consilience.continual.state import State

__all__ = ["LastingClusters"]


class LastingClusters:
    """What the analyst has learnt from the nodes of all parties.

    Parameters
    ----------
    panel : Panel
        Its networks, one unless the profile asks for more.
    min_cluster_size : int
        Points a cluster must have won not to be absorbed by its nearest neighbour.

    Attributes
    ----------
    node_labels : ndarray of shape (n_nodes,)
        Lasting name of the cluster of each node of the network that speaks for all.
    succession : Succession
        Births, splits, merges and deaths of the last round.

    Examples
    --------
    >>> from consilience.continual.nodes.profile import find_profile
    >>> clusters = LastingClusters(Panel(1, find_profile("reference")))
    >>> clusters.n_clusters
    0
    """

    def __init__(self, panel: Panel, min_cluster_size: int = 1) -> None:
        self.panel = panel
        self.node_labels: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.succession = Succession(())
        self._min_cluster_size = min_cluster_size
        self._next_name = 0

    @property
    def network(self) -> Network:
        """The network that speaks for all."""
        return self.panel.network

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the last round."""
        return len(np.unique(self.node_labels))

    def rebuild(self, received: Sequence[Received]) -> None:
        """Learn again, from the nodes of these parties alone."""
        self.panel = self.panel.fresh()
        held = [party for party in received if len(party.ids)]
        if held:
            self.panel.learn([party.nodes for party in held], [party.counts for party in held])
            self.name(held)
        else:
            self.node_labels = self.node_labels[:0]

    def name(self, received: Sequence[Received]) -> None:
        """Find the clusters and hand on their names by the parties' nodes they share."""
        held = np.concatenate([party.nodes for party in received])
        before = np.concatenate([party.labels for party in received])
        weights = np.concatenate([party.counts for party in received]).astype(np.float64)
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
        known = np.unique(np.concatenate([self.node_labels, before[before >= 0]]))
        self.succession = name_clusters(
            before, after, weights, int(clusters.max()) + 1, known, self._next_name
        )
        names = np.array(self.succession.names, dtype=np.int64)
        self._next_name = max(self._next_name, int(names.max()) + 1)
        self.node_labels = names[clusters]
        starts = np.cumsum([len(party.ids) for party in received[:-1]], dtype=np.int64)
        for party, labels in zip(received, np.split(names[after], starts), strict=True):
            party.labels = labels

    def state(self) -> State:
        """Return what must survive between two rounds."""
        return {
            "panel": self.panel.state(),
            "node_labels": self.node_labels,
            "next_name": self._next_name,
        }

    def restore(self, state: State) -> None:
        """Go on from a state of :meth:`state`."""
        self.panel = Panel.from_state(state["panel"])
        self.node_labels, self._next_name = state["node_labels"], state["next_name"]

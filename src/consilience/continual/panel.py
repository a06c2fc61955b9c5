"""Several networks that saw the same nodes in different orders, and the one that speaks for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from consilience.continual.nodes import compute
from consilience.continual.nodes.network import MAX_NODES, Network
from consilience.continual.nodes.profile import Profile
from consilience.continual.ordering import sort_by_wins
from consilience.continual.state import State

__all__ = ["Panel"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass
class Panel:
    """The analyst's networks. One is CAE_FC as published; more make the result less of a lottery.

    A network depends on the order of its input, and the published order is a draw. A panel learns
    `profile.panel` orders side by side and lets the network speak whose clusters agree most, on
    average, with those of the others.

    Parameters
    ----------
    n_features : int
    profile : Profile
    seed : int
        Network k presents nodes in the order drawn from ``seed + k``.
    max_nodes : int
        Nodes a network never exceeds.

    Examples
    --------
    >>> from consilience.continual.nodes.profile import find_profile
    >>> panel = Panel(1, find_profile("reference"))
    >>> panel.learn([np.array([[0.0], [1.0]])], [np.array([1, 1])])
    >>> panel.network.n_nodes
    2
    """

    n_features: int
    profile: Profile
    seed: int = 0
    chosen: int = 0
    networks: list[Network] = field(default_factory=list)
    max_nodes: int = MAX_NODES

    def __post_init__(self) -> None:
        if not self.networks:
            self.networks = [
                Network(self.n_features, self.profile, max_nodes=self.max_nodes)
                for _ in range(self.profile.panel)
            ]

    @property
    def network(self) -> Network:
        """The network that speaks for all."""
        return self.networks[self.chosen]

    def learn(self, nodes: Sequence[FloatArray], counts: Sequence[IntArray]) -> None:
        """Present the nodes of all parties to every network (Alg. 3, then Alg. 1)."""
        if not any(len(Y) for Y in nodes):
            return
        for k, network in enumerate(self.networks):
            rows = sort_by_wins(nodes, counts, np.random.RandomState(self.seed + k))
            compute.path().learn(network, rows)

    def choose(self, points: FloatArray) -> None:
        """Let the network speak whose clusters of `points` agree most with the others'."""
        if len(self.networks) == 1:
            return
        nearest = compute.path().nearest
        labels = [n.clusters()[nearest(points, n.positions, n.sigma)] for n in self.networks]
        agreement = np.zeros(len(labels))
        for i, mine in enumerate(labels):
            for j in range(i):
                value = adjusted_rand_score(mine, labels[j])
                agreement[[i, j]] += value
        self.chosen = int(agreement.argmax())

    def fresh(self) -> Panel:
        """Return a panel of the same settings that has learnt nothing."""
        return Panel(self.n_features, self.profile, self.seed, max_nodes=self.max_nodes)

    def state(self) -> State:
        """Return what must survive between two rounds."""
        networks = [network.state() for network in self.networks]
        return {"chosen": self.chosen, "seed": self.seed, "networks": networks}

    @classmethod
    def from_state(cls, state: State) -> Panel:
        """Rebuild a panel from :meth:`state`."""
        networks = [Network.from_state(network) for network in state["networks"]]
        n_features, profile, max_nodes = (
            getattr(networks[0], name) for name in ("n_features", "profile", "max_nodes")
        )
        return cls(n_features, profile, state["seed"], state["chosen"], networks, max_nodes)

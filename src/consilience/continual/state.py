"""The lasting state of a role: plain facts and arrays, ready to be stored and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.continual.network import MAX_NODES, Network
from consilience.continual.profile import find_profile

__all__ = ["State", "network_state", "restore_network"]

COUNTERS = (
    "n_nodes",
    "n_seen",
    "clock",
    "n_created",
    "n_active",
    "threshold",
    "start_bandwidth",
    "n_deleted",
    "deleted_mean",
)
ARRAYS = ("nodes", "bandwidths", "counts", "used", "ids", "ages")


@dataclass
class State:
    """Facts that JSON can hold and arrays that safetensors can hold; nothing else.

    Parameters
    ----------
    facts : dict
        Numbers, texts, lists and dictionaries of these.
    arrays : dict of str to ndarray

    Examples
    --------
    >>> whole = State({"rounds": 3})
    >>> whole.put("party", State({"name": "a"}, {"nodes": np.zeros((2, 1))}))
    >>> sorted(whole.arrays), whole.take("party").facts
    (['party/nodes'], {'name': 'a'})
    """

    facts: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    def put(self, place: str, part: State) -> None:
        """Store a part under a name."""
        self.facts[place] = part.facts
        self.arrays.update({f"{place}/{key}": value for key, value in part.arrays.items()})

    def take(self, place: str) -> State:
        """Return the part stored under a name."""
        start = f"{place}/"
        arrays = {k[len(start) :]: v for k, v in self.arrays.items() if k.startswith(start)}
        return State(self.facts[place], arrays)


def network_state(network: Network) -> State:
    """Return everything a network knows; the rest of it follows from this.

    Parameters
    ----------
    network : Network

    Examples
    --------
    >>> network = Network(2, find_profile("reference"))
    >>> network.add(np.array([1.0, 2.0]), 0.5)
    >>> restore_network(network_state(network)).positions.tolist()
    [[1.0, 2.0]]
    """
    n = network.n_nodes
    facts: dict[str, Any] = {name: getattr(network, name) for name in COUNTERS}
    facts |= {
        "n_features": network.n_features,
        "profile": network.profile.name,
        "topology": network.topology,
        "similarity": network.similarity,
        "max_nodes": network.max_nodes,
    }
    arrays = {name: np.ascontiguousarray(getattr(network, name)[:n]) for name in ARRAYS[:-1]}
    if network.topology:
        arrays["ages"] = np.ascontiguousarray(network.ages[:n, :n])
    return State(facts, arrays)


def restore_network(state: State) -> Network:
    """Rebuild a network from :func:`network_state`.

    Parameters
    ----------
    state : State
    """
    facts: Mapping[str, Any] = state.facts
    network = Network(
        facts["n_features"],
        find_profile(facts["profile"]),
        topology=facts["topology"],
        similarity=facts["similarity"],
        max_nodes=facts.get("max_nodes", MAX_NODES),
    )
    n = facts["n_nodes"]
    network.reserve(n)
    for name in ARRAYS[:-1]:
        getattr(network, name)[:n] = state.arrays[name]
    if network.topology:
        network.ages[:n, :n] = state.arrays["ages"]
    for name in COUNTERS:
        setattr(network, name, facts[name])
    return network

"""States that an earlier version wrote: format 2, told in the words of today's."""

from __future__ import annotations

from typing import Any

from consilience.arrays import Arrays

__all__ = ["OLDER_VERSION", "read_older"]

OLDER_VERSION = 2
PARAMETERS = (
    *("epsilon", "budget", "profile", "resend"),
    *("min_cluster_size", "max_nodes", "random_state"),
)


def read_older(kind: str, facts: dict[str, Any], arrays: Arrays, study: str) -> dict[str, Any]:
    """Return what a state file of format 2 means.

    Arrays stood beside the facts, named by their places; parts of a list were numbered by name.

    Examples
    --------
    >>> import numpy as np
    >>> facts = {"name": "a", "window": 0, "network": {"n_nodes": 0}}
    >>> state = read_older("continual party", facts, {"network/nodes": np.empty((0, 2))}, "")
    >>> state["network"]["nodes"].shape, state["last"]
    ((0, 2), None)
    """
    for place, array in arrays.items():
        part = facts
        *path, name = place.split("/")
        for step in path:
            part = part[step]
        part[name] = array
    if kind == "continual party":
        return _party(facts, study)
    if kind == "continual analyst":
        return _analyst(facts, study)
    return _model(facts)


def _party(state: dict[str, Any], study: str) -> dict[str, Any]:
    last = None
    if state.pop("last", False):
        last = {name: state.pop(f"last_{name}") for name in ("nodes", "counts", "ids")}
        last |= _header(state["name"], study, state["window"] - 1)
    return state | {"last": last, "answered": -1}


def _analyst(state: dict[str, Any], study: str) -> dict[str, Any]:
    panel, history, waiting = state["panel"], state["history"], state["waiting"]
    late = dict(zip(waiting, _numbered(state, "waiting-", len(waiting)), strict=True))
    received = []
    for name, part in zip(
        state["parties"], _numbered(state, "holding-", len(state["parties"])), strict=True
    ):
        part |= {"windows": state["next_window"][name], "digest": state["digests"][name]}
        header = _header(name, study, waiting.get(name, 0))
        received.append(part | {"waiting": late[name] | header if name in late else None})
    networks = _numbered(panel, "network-", panel["n"])
    numbers = history["snapshots"]
    shots = _numbered(history, "snapshot-", len(numbers))
    return {
        "rounds": state["rounds"],
        "parties": state["parties"],
        "received": received,
        "clusters": {
            "panel": {"chosen": panel["chosen"], "seed": panel["seed"], "networks": networks},
            "node_labels": state["node_labels"],
            "next_name": state["next_name"],
        },
        "history": {
            "rounds": history["rounds"],
            "snapshots": [{"number": n} | s for n, s in zip(numbers, shots, strict=True)],
        },
    }


def _model(state: dict[str, Any]) -> dict[str, Any]:
    parties = _numbered(state, "party-", len(state["names"]))
    return {
        "parameters": {name: state[name] for name in PARAMETERS} | {"bounds": state.get("bounds")},
        "fitted": {
            "n_features_in_": state["n_features"],
            "labels_": state["labels"],
            "copies_": state["copies"],
            "n_sent_": state["n_sent"],
        },
        "feature_names": state.get("feature_names"),
        "seed": state["seed"],
        "analyst": _analyst(state["analyst"], ""),
        "parties": [_party(party, "") for party in parties],
    }


def _numbered(state: dict[str, Any], start: str, n: int) -> list[dict[str, Any]]:
    return [state[f"{start}{k}"] for k in range(n)]


def _header(sender: str, study: str, window: int) -> dict[str, Any]:
    return {"study": study, "sender": sender, "recipient": "analyst", "window": window}

"""Find the clusters and train the models of data that must not be pooled."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consilience.collaboration import (
        ClusteredCollaborationClassifier,
        CollaborationClassifier,
        CollaborationClustering,
        CollaborationRegressor,
        InterpretableCollaboration,
    )
    from consilience.consensus import CoHiRF, ConsensusClustering
    from consilience.continual import ContinualClustering, ResonanceClustering
    from consilience.hybrid import HybridConsensusClustering

__all__ = [
    "ClusteredCollaborationClassifier",
    "CoHiRF",
    "CollaborationClassifier",
    "CollaborationClustering",
    "CollaborationRegressor",
    "ConsensusClustering",
    "ContinualClustering",
    "HybridConsensusClustering",
    "InterpretableCollaboration",
    "ResonanceClustering",
]

_HOMES = {
    "CoHiRF": "consensus",
    "ConsensusClustering": "consensus",
    "ContinualClustering": "continual",
    "HybridConsensusClustering": "hybrid",
    "ResonanceClustering": "continual",
}


def __getattr__(name: str) -> Any:
    """Load an estimator when it is asked for, so that a command loads only what it uses."""
    if name not in __all__:
        raise AttributeError(f"module 'consilience' has no attribute {name!r}")
    home = import_module(f"consilience.{_HOMES.get(name, 'collaboration')}")
    return getattr(home, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

"""Find the clusters and train the models of data that must not be pooled."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consilience.collaboration.estimator import CollaborationClustering
    from consilience.collaboration.learning.classifier import CollaborationClassifier
    from consilience.collaboration.learning.groups.estimator import ClusteredCollaborationClassifier
    from consilience.collaboration.learning.interpretable import InterpretableCollaboration
    from consilience.collaboration.learning.regressor import CollaborationRegressor
    from consilience.comparison.compare import compare
    from consilience.consensus.cohirf import CoHiRF
    from consilience.consensus.estimator import ConsensusClustering
    from consilience.continual.estimator import ContinualClustering
    from consilience.continual.resonance import ResonanceClustering
    from consilience.hybrid import HybridConsensusClustering
    from consilience.summaries.classifier import SummaryClassifier
    from consilience.summaries.estimator import SummaryClustering

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
    "SummaryClassifier",
    "SummaryClustering",
    "compare",
]

_HOMES = {
    "ClusteredCollaborationClassifier": "collaboration.learning.groups.estimator",
    "CoHiRF": "consensus.cohirf",
    "CollaborationClassifier": "collaboration.learning.classifier",
    "CollaborationClustering": "collaboration.estimator",
    "CollaborationRegressor": "collaboration.learning.regressor",
    "ConsensusClustering": "consensus.estimator",
    "ContinualClustering": "continual.estimator",
    "HybridConsensusClustering": "hybrid",
    "InterpretableCollaboration": "collaboration.learning.interpretable",
    "ResonanceClustering": "continual.resonance",
    "SummaryClassifier": "summaries.classifier",
    "SummaryClustering": "summaries.estimator",
    "compare": "comparison.compare",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is asked for, so that a command loads only what it uses."""
    if name == "__version__":
        return import_module("importlib.metadata").version("consilience")
    if name not in _HOMES:
        raise AttributeError(f"module 'consilience' has no attribute {name!r}")
    return getattr(import_module(f"consilience.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

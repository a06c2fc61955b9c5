"""Find the clusters and train the models of data that must not be pooled."""

from consilience.collaboration import (
    CollaborationClassifier,
    CollaborationClustering,
    CollaborationRegressor,
    InterpretableCollaboration,
)
from consilience.consensus import CoHiRF, ConsensusClustering
from consilience.hybrid import HybridConsensusClustering

__all__ = [
    "CoHiRF",
    "CollaborationClassifier",
    "CollaborationClustering",
    "CollaborationRegressor",
    "ConsensusClustering",
    "HybridConsensusClustering",
    "InterpretableCollaboration",
]

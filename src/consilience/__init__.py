"""Find the clusters and train the models of data that must not be pooled."""

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

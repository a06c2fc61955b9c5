"""Find the clusters and train the models of data that must not be pooled."""

from consilience.collaboration import (
    ClusteredCollaborationClassifier,
    CollaborationClassifier,
    CollaborationClustering,
    CollaborationRegressor,
    InterpretableCollaboration,
)
from consilience.continual import ContinualClustering, ResonanceClustering

__all__ = [
    "ClusteredCollaborationClassifier",
    "CollaborationClassifier",
    "CollaborationClustering",
    "CollaborationRegressor",
    "ContinualClustering",
    "InterpretableCollaboration",
    "ResonanceClustering",
]

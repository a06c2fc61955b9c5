"""Find the clusters and train the models of data that must not be pooled."""

from consilience.collaboration import (
    ClusteredCollaborationClassifier,
    CollaborationClassifier,
    CollaborationClustering,
    CollaborationRegressor,
    InterpretableCollaboration,
)

__all__ = [
    "ClusteredCollaborationClassifier",
    "CollaborationClassifier",
    "CollaborationClustering",
    "CollaborationRegressor",
    "InterpretableCollaboration",
]

"""Find the clusters and train the models of data that must not be pooled."""

from consilience.collaboration import (
    CollaborationClassifier,
    CollaborationClustering,
    CollaborationRegressor,
    InterpretableCollaboration,
)

__all__ = [
    "CollaborationClassifier",
    "CollaborationClustering",
    "CollaborationRegressor",
    "InterpretableCollaboration",
]

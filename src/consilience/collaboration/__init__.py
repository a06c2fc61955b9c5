"""Data collaboration: one round, data split by rows and columns."""

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.estimator import CollaborationClustering
from consilience.collaboration.learning import (
    CollaborationClassifier,
    CollaborationRegressor,
    InterpretableCollaboration,
)
from consilience.collaboration.learning.groups import ClusteredCollaborationClassifier
from consilience.collaboration.party import Party

__all__ = [
    "Analyst",
    "ClusteredCollaborationClassifier",
    "CollaborationClassifier",
    "CollaborationClustering",
    "CollaborationRegressor",
    "InterpretableCollaboration",
    "Party",
]

"""Learning from data collaboration: classes, values, and models a party can read."""

from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.classifier import CollaborationClassifier
from consilience.collaboration.learning.importance import feature_importance
from consilience.collaboration.learning.interpretable import InterpretableCollaboration
from consilience.collaboration.learning.party import LearningParty
from consilience.collaboration.learning.regressor import CollaborationRegressor
from consilience.collaboration.learning.surrogate import Surrogate, fit_surrogate

__all__ = [
    "CollaborationClassifier",
    "CollaborationRegressor",
    "InterpretableCollaboration",
    "LearningAnalyst",
    "LearningParty",
    "Surrogate",
    "feature_importance",
    "fit_surrogate",
]

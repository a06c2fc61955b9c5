"""DC-CFL: one round, one model per group of institutions with similar label mixes."""

from consilience.collaboration.clustered.analyst import ClusteredAnalyst
from consilience.collaboration.clustered.coordinator import GroupingAnalyst
from consilience.collaboration.clustered.estimator import ClusteredCollaborationClassifier
from consilience.collaboration.clustered.grouping import (
    group_parties,
    label_distributions,
    nearest_group,
    total_variation,
)

__all__ = [
    "ClusteredAnalyst",
    "ClusteredCollaborationClassifier",
    "GroupingAnalyst",
    "group_parties",
    "label_distributions",
    "nearest_group",
    "total_variation",
]

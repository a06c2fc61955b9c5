"""DC-CFL: one round, one model per group of institutions with similar label mixes."""

from consilience.collaboration.learning.groups.clustered_analyst import ClusteredAnalyst
from consilience.collaboration.learning.groups.estimator import ClusteredCollaborationClassifier
from consilience.collaboration.learning.groups.grouping import (
    group_parties,
    label_distributions,
    nearest_group,
    total_variation,
)
from consilience.collaboration.learning.groups.grouping_analyst import GroupingAnalyst

__all__ = [
    "ClusteredAnalyst",
    "ClusteredCollaborationClassifier",
    "GroupingAnalyst",
    "group_parties",
    "label_distributions",
    "nearest_group",
    "total_variation",
]

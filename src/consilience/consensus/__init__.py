"""VertCoHiRF: peers agree on clusters by labels and ranks, and nobody is in charge."""

from consilience.consensus.bases import BASES
from consilience.consensus.cohirf import CoHiRF
from consilience.consensus.estimator import ConsensusClustering
from consilience.consensus.hierarchy import Hierarchy
from consilience.consensus.kernel_kmeans import KernelKMeans
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.protocol.terms import Terms
from consilience.consensus.srgf import SubspaceGraphClustering

__all__ = [
    "BASES",
    "CoHiRF",
    "ConsensusClustering",
    "Hierarchy",
    "KernelKMeans",
    "LocalStep",
    "Peer",
    "SubspaceGraphClustering",
    "Terms",
]

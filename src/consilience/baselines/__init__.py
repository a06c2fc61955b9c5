"""The methods Consilience is compared with, one published method per file.

They run on the rows of all parties in one process, for benchmarks only: no roles, no messages.
The pooled clustering is `LocalClustering` without parties, or scikit-learn's own clusterers.
"""

from consilience.baselines.ding import DistributedKMeans
from consilience.baselines.ditto import Ditto
from consilience.baselines.fedavg import FedAvg
from consilience.baselines.fedclust import FedClust
from consilience.baselines.fedfcm import FedFCM
from consilience.baselines.fedprox import FedProx
from consilience.baselines.hernandez_pereira import HernandezPereiraSpectral
from consilience.baselines.huang import CoresetKMeans
from consilience.baselines.kfed import KFed
from consilience.baselines.kumar import KumarKMeans
from consilience.baselines.li import PrivateClusters, dpfmps
from consilience.baselines.local import LocalClustering
from consilience.baselines.local_networks import LocalNetworks
from consilience.baselines.mufc import MUFC

__all__ = [
    "MUFC",
    "CoresetKMeans",
    "DistributedKMeans",
    "Ditto",
    "FedAvg",
    "FedClust",
    "FedFCM",
    "FedProx",
    "HernandezPereiraSpectral",
    "KFed",
    "KumarKMeans",
    "LocalClustering",
    "LocalNetworks",
    "PrivateClusters",
    "dpfmps",
]

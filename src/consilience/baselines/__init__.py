"""The methods Consilience is compared with, one published method per file."""

from consilience.baselines.ding import DistributedKMeans
from consilience.baselines.huang import CoresetKMeans
from consilience.baselines.li import PrivateClusters, dpfmps

__all__ = ["CoresetKMeans", "DistributedKMeans", "PrivateClusters", "dpfmps"]

"""Continual clustering (FCAC): streams at many parties, no number of clusters, no restart."""

from consilience.continual.analyst import Analyst
from consilience.continual.estimator import ContinualClustering
from consilience.continual.party import Party
from consilience.continual.resonance import ResonanceClustering

__all__ = ["Analyst", "ContinualClustering", "Party", "ResonanceClustering"]

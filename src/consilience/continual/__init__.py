"""Continual clustering (FCAC): streams at many parties, no number of clusters, no restart."""

from consilience.continual.resonance import ResonanceClustering

__all__ = ["ResonanceClustering"]

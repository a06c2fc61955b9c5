"""Continual clustering (FCAC): streams at many parties, no number of clusters, no restart."""

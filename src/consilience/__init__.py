"""Find the clusters and train the models of data that must not be pooled."""

from consilience.collaboration import CollaborationClustering

__all__ = ["CollaborationClustering"]

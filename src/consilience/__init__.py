"""Find the clusters and train the models of data that must not be pooled."""

"""CoHiRF for data in one place: the consensus of one peer with itself."""

from __future__ import annotations

from typing import Any

from consilience.consensus.estimator import ConsensusClustering

__all__ = ["CoHiRF"]

KEPT_OUT = ("self", "__class__")


class CoHiRF(ConsensusClustering):
    """Cluster by the consensus of repetitions on random columns [Meziani2025]_.

    The same peer as in :class:`ConsensusClustering`, alone with all columns: repetitions of a base
    clusterer on random column subsets keep rows together only where all repetitions do, medoids
    stand for the groups, and so on until nothing joins.

    Parameters
    ----------
    base : str, clusterer or LocalStep, default="kmeans"
    n_groups : int, default=3
        Groups of each repetition, for bases given by name.
    n_repeats : int, default=5
    feature_fraction : float, default=0.6
        In (0, 1].
    projection, relaxed, similarity, max_candidates, max_iter, n_jobs, random_state
        As in :class:`ConsensusClustering`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
    n_clusters_ : int
    hierarchy_ : Hierarchy
    n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(300, n_features=20, centers=4, cluster_std=0.5, random_state=0)
    >>> model = CoHiRF(n_groups=4, n_repeats=4, feature_fraction=0.5, random_state=0).fit(X)
    >>> model.n_clusters_
    4
    """

    def __init__(
        self,
        base: Any = "kmeans",
        *,
        n_groups: int = 3,
        n_repeats: int = 5,
        feature_fraction: float = 0.6,
        projection: Any = None,
        relaxed: bool | float = False,
        similarity: str = "cosine",
        max_candidates: int | None = None,
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in KEPT_OUT}
        super().__init__(**given, profile="paper")

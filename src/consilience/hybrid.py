"""Rows and columns split at once: data collaboration along the rows, consensus across columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from consilience.collaboration.estimator import CollaborationClustering
from consilience.consensus.estimator import ConsensusClustering
from consilience.consensus.views import column_views

__all__ = ["HybridConsensusClustering"]


@dataclass(eq=False, repr=False)
class HybridConsensusClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows of which institutions hold some rows and some columns each, by consensus.

    VertCoHiRF leaves this split to future work. Here the institutions that hold the same columns
    of different rows first align what they hold by an anchor, as in DC-Clustering
    [Kawamata2025]_; each column group then acts as one peer over all rows, and the peers agree as
    in VertCoHiRF [Belucci2026]_. No column group learns anything of another but labels and ranks.

    Parameters
    ----------
    base : str, clusterer, LocalStep, or a list of them, or None, default=None
        One for all column groups or one per group, see :class:`ConsensusClustering`.
    columns : list of lists of int or str, or None, default=None
        The columns of each group; None means one group.
    n_components : int, list, or None, default=None
        Dimensions each institution of a group keeps, one number or one per group. None keeps all:
        the alignment then loses nothing, and whoever aligns a group together with one of its
        institutions can undo it. Fewer protect more; see the threat model.
    n_groups : int or None, default=None
        For bases given by name.
    profile : {"steady", "paper"}, default="steady"
        As in :class:`ConsensusClustering`.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
    n_clusters_ : int
    hierarchy_ : Hierarchy
    n_features_in_ : int

    Notes
    -----
    Who sees what: inside a column group, whoever aligns it sees the reduced rows of the group's
    institutions, as an analyst of DC-Clustering does. Across groups, only labels and ranks.
    Each group's aligned rows are centred. With all dimensions kept and columns centred beforehand
    the result is that of :class:`ConsensusClustering` on the same rows in one place, up to
    rounding.

    Examples
    --------
    Two hospitals with different patients, each with a ward and a laboratory:

    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(200, n_features=4, centers=3, random_state=0)
    >>> model = HybridConsensusClustering(columns=[[0, 1], [2, 3]], random_state=0)
    >>> len(model.fit_predict(X, parties=np.arange(200) % 2))
    200
    """

    base: Any = None
    _: KW_ONLY
    columns: Sequence[Sequence[Any]] | None = None
    n_components: Any = None
    n_groups: int | None = None
    profile: str = "steady"
    random_state: Any = None

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Align each column group along its rows, then let the groups agree.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : None
            Ignored.
        parties : array-like of shape (n_rows,), or None, default=None
            The institution, or row of the grid, that holds each row; None means one.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        groups = column_views(self.columns, X.shape[1], getattr(self, "feature_names_in_", None))
        kept = self._kept([len(group) for group in groups])
        parts = [
            CollaborationClustering(
                1, n_components=components, target="scaled", random_state=self.random_state
            )
            .fit(X[:, group], parties=parties)
            .representation_
            for group, components in zip(groups, kept, strict=True)
        ]
        # Ranking by cosine looks from the origin, which an alignment puts anywhere.
        parts = [part - part.mean(axis=0) for part in parts]
        ends = np.cumsum([part.shape[1] for part in parts])
        views = [list(range(e - p.shape[1], e)) for e, p in zip(ends, parts, strict=True)]
        model = ConsensusClustering(
            self.base,
            columns=views,
            n_groups=self.n_groups,
            profile=self.profile,
            random_state=self.random_state,
        ).fit(np.hstack(parts))
        self.labels_, self.n_clusters_ = model.labels_, model.n_clusters_
        self.hierarchy_ = model.hierarchy_
        return self

    def _kept(self, widths: list[int]) -> list[int]:
        given = self.n_components
        if given is None:
            return widths
        listed = list(given) if isinstance(given, (list, tuple)) else [given] * len(widths)
        if len(listed) != len(widths):
            raise ValueError(
                f"n_components has {len(listed)} entries, must be one number, or {len(widths)}: "
                f"one per column group."
            )
        return [min(int(k), width) for k, width in zip(listed, widths, strict=True)]

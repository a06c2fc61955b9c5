"""The estimator of DC-Clustering: the real roles, driven inside one process."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClusterMixin
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.axes import SUPERVISED
from consilience.collaboration.grid_estimator import Columns, GridEstimator
from consilience.collaboration.party import Party
from consilience.collaboration.represented import Represented
from consilience.holdings import Holdings

__all__ = ["CollaborationClustering"]


@dataclass(eq=False, repr=False)
class CollaborationClustering(
    ClusterMixin,  # type: ignore[misc]
    Represented,
    GridEstimator[Party, Analyst],
):
    """Cluster rows that several institutions hold, some rows and some columns each.

    DC-Clustering [Kawamata2025]_: each institution reduces its part privately, the analyst aligns
    the reduced parts by an anchor and clusters once. One round of communication.

    Parameters
    ----------
    n_clusters : int or "auto", default 8
    method : {"kmeans", "spectral", "landmarks", "hierarchical", "mixture"} or clusterer, \
default "kmeans"
        Any scikit-learn clusterer works; it then decides the number of clusters itself.
    columns : list of lists of int or str, optional
        The columns each column group holds. None means every institution holds all columns.
    reducer : {"pca", "svd", "random", "lpp", "nmf", "lda", "lfda"} or transformer, default "pca"
        The private reduction. ``"lda"`` and ``"lfda"`` use ``y``.
    n_components : int or list of int, optional
        Dimensions each institution keeps, or one number per column group. None keeps one less
        than it has, as in the paper. That is weak against an analyst who colludes with a party:
        see the threat model, and consider half.
    scaling : {"none", "local", "bounds", "spread"}, default "none"
        Units before reduction; see :func:`~consilience.collaboration.reduction.fit_reduction`.
    bounds : pair of array-like of shape (n_features,), optional
        Public lower and upper bounds of the columns, for the anchor and for ``scaling="bounds"``.
        None takes the least and largest value of each column of ``X``, as in the paper. Between
        real institutions they are public terms of the study, never read from the data.
    spreads : array-like of shape (n_features,), optional
        Public typical standard deviations, for ``scaling="spread"``; None takes those of ``X``. Of
        a table with categories, ``Schema(...).ranges`` has them, see
        :class:`~consilience.study.schema.Schema`.
    rotate : bool, default False
        Whether each institution also rotates what it sends.
    rounding : float or "auto", default 1 / 64
        Share of their spread to which coordinates are rounded before they leave, see
        :mod:`~consilience.collaboration.rounding`; with ``"auto"`` each institution chooses it by
        what its rows hold. None sends them in double precision, as the paper does.
    anchor : {"gaussian", "uniform", "rotated"}, Smote, LowRank, callable or array, default \
"gaussian"
        See :mod:`consilience.collaboration.anchors`. An array has shape (n_anchor, n_features); a
        callable makes one from ``(lower, upper, n_anchor, rng)``.
    n_anchor : int, optional
        Rows of the anchor; None means 400, or 4 a column if that is more, but at most 600 more
        than columns. The paper takes ``anchor="uniform"`` and as many rows as the data has.
    target : {"population", "scaled", "orthonormal"}, default "population"
        What an institution dropped of a row: expected from the rows of all, see
        :mod:`~consilience.collaboration.population`; or, as in the paper, put at the middle of the
        anchor, see :func:`~consilience.collaboration.alignment.align`. Estimators that learn
        classes or values have the paper's ``"scaled"`` as their default.
    affine : bool, default True
        Whether the maps of the paper may have an offset.
    min_singular_value : float, optional
        For the targets of the paper: the shared space has the dimensions of singular values at
        least as large; None keeps as many as the widest institution sends.
    n_neighbors : int, default 20
        For the graph of spectral clustering. The paper has 10, with which small differences between
        the rows of a study and the pooled ones change the clusters more often.
    trim : float, optional
        For k-means: the share of rows that may lie apart and move no centre, below 1/2, see
        :mod:`~consilience.collaboration.trimming`.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
        Clusters are numbered by size, the largest first.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters_, n_dimensions)
        Means in the collaboration representation.
    representation_ : ndarray of shape (n_rows, n_dimensions)
        The collaboration representation of the rows.
    memberships_ : ndarray of shape (n_rows, n_clusters_)
        With ``method="mixture"``: how far each row belongs to each cluster.
    tree_ : ndarray of shape (n_clusters_ - 1, 3)
        With ``method="hierarchical"``: how clusters join into larger ones. A line has the two that
        are joined, a cluster or ``n_clusters_`` plus the line of an earlier joint, and the height.
    scores_ : dict of int to float
        With ``n_clusters="auto"``, the score of each number of clusters tried.
    anchor_ : ndarray of shape (n_anchor, n_features)
        The anchor that was drawn; the analyst does not see it.
    parties_ : list
        The institutions that hold rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> hospitals = np.arange(150) % 3                       # three of them, 50 patients each
    >>> model = CollaborationClustering(3, columns=[[0, 1], [2, 3]], random_state=0)
    >>> labels = model.fit_predict(X, parties=hospitals)
    >>> np.bincount(labels).tolist()
    [62, 50, 38]
    >>> model.transform(X[:6], parties=hospitals[:6]).shape  # coordinates that all share
    (6, 4)
    """

    n_clusters: int | str = 8
    _: KW_ONLY
    method: Any = "kmeans"
    n_neighbors: int = 20
    target: str = "population"
    trim: float | None = None

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Cluster the rows of all institutions together.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,), optional
            Labels each institution knows of its rows; used by the supervised reducers only.
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self._check_parameters(len(X))
        self._federate(X, parties)
        supervised = y is not None and isinstance(self.reducer, str) and self.reducer in SUPERVISED
        self._federation.contribute(X, np.asarray(y) if supervised else None)
        self.labels_ = self._federation.collect(self._federation.grid)
        partition = self._federation.analyst.partition
        self.n_clusters_, self.scores_ = partition.n_clusters, partition.scores
        self.cluster_centers_ = partition.centers
        if partition.memberships is not None:
            self.memberships_ = self._in_table_order(partition.memberships)
        if partition.tree is not None:
            self.tree_ = partition.tree
        return self

    def _make_analyst(self, grid: Holdings, **settings: Any) -> Analyst:
        clustering = {
            "method": self.method,
            "n_clusters": self.n_clusters,
            "n_neighbors": self.n_neighbors,
            "trim": self.trim,
        }
        return Analyst(grid.row_names, grid.column_names, **clustering, **settings)

    def _make_party(
        self, name: str, columns: Columns, group: int, *, seed: int, **settings: Any
    ) -> Party:
        return Party(name, **settings)

    @property
    def representation_(self) -> npt.NDArray[np.float64]:
        """The collaboration representation of the rows, put in the order of the table."""
        check_is_fitted(self)
        return self._in_table_order(self._federation.analyst.representation)

    def _in_table_order(self, found: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if len(self.parties_) == 1:
            return found
        ordered = np.empty_like(found)
        ordered[np.concatenate(self._federation.grid.rows)] = found
        return ordered

    def predict(self, X: Any, parties: Any = None) -> npt.NDArray[np.int64]:
        """Label rows that were not in the fit, through f, g and the clusters found.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        parties : array-like of shape (n_rows,), optional
            The institution each row belongs to, one of ``parties_``: a representation is only
            comparable through the map of the institution that made it.
        """
        return self._ask(X, parties)

    def _check_parameters(self, n_rows: int) -> None:
        check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)
        if self.trim is not None:
            check_scalar(
                self.trim, "trim", Real, min_val=0, max_val=0.5, include_boundaries="neither"
            )
        if self.n_clusters == "auto":
            return
        check_scalar(self.n_clusters, "n_clusters", Integral, min_val=1)
        if isinstance(self.method, str) and int(self.n_clusters) > n_rows:
            raise ValueError(
                f"n_clusters == {self.n_clusters}, must be <= {n_rows}, the number of rows of all "
                f"institutions together (n_samples={n_rows}). Lower n_clusters."
            )

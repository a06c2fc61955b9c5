"""The estimator of DC-Clustering: the real roles, driven inside one process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.anchors import default_n_anchor, draw_anchor
from consilience.collaboration.grid import Grid, column_groups, row_groups
from consilience.collaboration.pages import take_part
from consilience.collaboration.party import Party
from consilience.messages import Message
from consilience.study.keys import KEY_BYTES
from consilience.transports import deliver

__all__ = ["CollaborationClustering"]

Array = npt.NDArray[np.float64]


class CollaborationClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows that several institutions hold, some rows and some columns each.

    DC-Clustering [Kawamata2025]_: each institution reduces its part privately, the analyst aligns
    the reduced parts by an anchor and clusters once. One round of communication.

    Parameters
    ----------
    n_clusters : int or "auto", default 8
    method : {"kmeans", "spectral"} or clusterer, default "kmeans"
        Any scikit-learn clusterer works; it then decides the number of clusters itself.
    columns : list of lists of int or str, optional
        The columns each column group holds. None means every institution holds all columns.
    reducer : {"pca", "svd", "random", "lpp", "nmf", "lda"} or transformer, default "pca"
        The private reduction. ``"lda"`` uses ``y``.
    n_components : int or list of int, optional
        Dimensions each institution keeps, or one number per column group. None keeps one less
        than it has, as in the paper. That is weak against an analyst who colludes with a party:
        see the threat model, and consider half.
    scaling : {"none", "local", "bounds"}, default "none"
        Units before reduction; see :func:`~consilience.collaboration.reduction.fit_reduction`.
    bounds : pair of array-like of shape (n_features,), optional
        Public lower and upper bounds of the columns, for the anchor and for ``scaling="bounds"``.
        None takes the least and largest value of each column of ``X``, as in the paper. Between
        real institutions they are public terms of the study, never read from the data.
    rotate : bool, default False
        Whether each institution also rotates what it sends.
    anchor : {"gaussian", "uniform"} or array of shape (n_anchor, n_features), default "gaussian"
    n_anchor : int, optional
        Rows of the anchor; None means 400, or 4 a column if that is more. The paper takes
        ``anchor="uniform"`` and as many rows as the data has.
    target : {"scaled", "orthonormal"}, default "scaled"
    affine : bool, default True
        The alignment, see :func:`~consilience.collaboration.alignment.align`.
    n_neighbors : int, default 10
        For the graph of spectral clustering.
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
    scores_ : dict of int to float
        With ``n_clusters="auto"``, the score of each number of clusters tried.
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
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        method: Any = "kmeans",
        columns: Sequence[Any] | None = None,
        reducer: Any = "pca",
        n_components: int | Sequence[int] | None = None,
        scaling: str = "none",
        bounds: tuple[Any, Any] | None = None,
        rotate: bool = False,
        anchor: Any = "gaussian",
        n_anchor: int | None = None,
        target: str = "scaled",
        affine: bool = True,
        n_neighbors: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.columns = columns
        self.reducer = reducer
        self.n_components = n_components
        self.scaling = scaling
        self.bounds = bounds
        self.rotate = rotate
        self.anchor = anchor
        self.n_anchor = n_anchor
        self.target = target
        self.affine = affine
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Cluster the rows of all institutions together.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,), optional
            Labels each institution knows of its rows; used by ``reducer="lda"`` only.
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self._check_parameters(len(X))
        names = getattr(self, "feature_names_in_", None)
        columns = column_groups(self.columns, X.shape[1], names)
        grid = Grid(*row_groups(parties, len(X)), columns)
        random_state = check_random_state(self.random_state)
        anchor, bounds = self._draw_anchor(X, grid, random_state)
        analyst = Analyst(
            grid.row_names,
            grid.column_names,
            method=self.method,
            n_clusters=self.n_clusters,
            n_neighbors=self.n_neighbors,
            target=self.target,  # type: ignore[arg-type]
            affine=self.affine,
            seed=_seed(self.random_state),
        )
        rngs = np.random.default_rng(random_state.randint(2**31)).spawn(
            len(grid.rows) * len(columns)
        )
        roles = {
            name: Party(
                name,
                anchor[:, columns[j]],
                reducer=self.reducer,
                n_components=self._n_components(columns)[j],
                scaling=self.scaling,  # type: ignore[arg-type]
                bounds=(bounds[0][columns[j]], bounds[1][columns[j]]),
                rotate=self.rotate,
                rng=rng,
            )
            for (name, _, j), rng in zip(grid.cells(), rngs, strict=True)
        }
        labels = None if y is None or self.reducer != "lda" else np.asarray(y)

        def contributions() -> Iterator[Message]:
            for name, i, j in grid.cells():
                own = None if labels is None else labels[grid.rows[i]]
                part = take_part(X, grid.rows[i], columns[j])
                messages = roles[name].begin(part, y=own)
                del part
                while messages:
                    yield messages.pop()

        deliver(contributions(), {**roles, analyst.name: analyst})
        self._roles: dict[str, Party] = roles
        self._analyst, self._grid = analyst, grid
        self.parties_ = grid.names
        self.labels_ = self._collect(grid, len(X))
        self.n_clusters_ = analyst.partition.n_clusters
        self.cluster_centers_ = analyst.partition.centers
        self.scores_ = analyst.partition.scores
        return self

    @property
    def representation_(self) -> Array:
        """The collaboration representation of the rows, put in the order of the table."""
        check_is_fitted(self)
        if len(self.parties_) == 1:
            return self._analyst.representation
        representation = np.empty_like(self._analyst.representation)
        representation[np.concatenate(self._grid.rows)] = self._analyst.representation
        return representation

    def predict(self, X: Any, parties: Any = None) -> npt.NDArray[np.int64]:
        """Label rows that were not in the fit, through f, g and the clusters found.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        parties : array-like of shape (n_rows,), optional
            The institution each row belongs to, one of ``parties_``: a representation is only
            comparable through the map of the institution that made it.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if parties is None and len(self.parties_) == 1:
            names, rows = self.parties_, [np.arange(len(X))]
        elif parties is None:
            raise ValueError(
                f"parties is None, but the model was fitted with {len(self.parties_)} "
                f"institutions. Name the institution of each row."
            )
        else:
            names, rows = row_groups(parties, len(X))
        unknown = [name for name in names if name not in self.parties_]
        if unknown:
            raise ValueError(
                f"parties names {unknown}, but the model was fitted with {self.parties_}."
            )
        # The roles keep their places: an institution without new rows says nothing.
        place = {name: k for k, name in enumerate(names)}
        none = np.empty(0, dtype=np.intp)
        all_rows = [rows[place[p]] if p in place else none for p in self.parties_]
        grid = Grid(self.parties_, all_rows, self._grid.columns)
        queries = (
            query
            for name, i, j in grid.cells()
            if len(grid.rows[i])
            for query in self._roles[name].ask(take_part(X, grid.rows[i], grid.columns[j]))
        )
        deliver(queries, {**self._roles, self._analyst.name: self._analyst})
        return self._collect(grid, len(X))

    def _collect(self, grid: Grid, n_rows: int) -> npt.NDArray[np.int64]:
        """Put together the labels each institution received, in the order of the table."""
        labels = np.empty(n_rows, dtype=np.int64)
        for name, i, j in grid.cells():
            if j == 0 and len(grid.rows[i]):
                answer = self._roles[name].answer
                assert answer is not None, "deliver() ends only when every party was answered"
                labels[grid.rows[i]] = answer.labels
        return labels

    def _draw_anchor(
        self, X: Array, grid: Grid, random_state: np.random.RandomState
    ) -> tuple[Array, tuple[Array, Array]]:
        bounds = self._bounds(X)
        if not isinstance(self.anchor, str):
            anchor = np.asarray(self.anchor, dtype=np.float64)
            if anchor.ndim != 2 or anchor.shape[1] != X.shape[1] or not len(anchor):
                raise ValueError(
                    f"anchor has shape {anchor.shape}, must be (n_anchor, {X.shape[1]}) with at "
                    f"least one row: the columns of X."
                )
            if not np.isfinite(anchor).all():
                raise ValueError("anchor has NaN or infinite values; every value must be finite.")
            return anchor, bounds
        n_anchor = self.n_anchor or default_n_anchor(X.shape[1])
        anchor = np.empty((n_anchor, X.shape[1]))
        for columns in grid.columns:
            low, high = bounds[0][columns], bounds[1][columns]
            key = random_state.bytes(KEY_BYTES)
            anchor[:, columns] = draw_anchor(self.anchor, key, low, high, n_anchor)
        return anchor, bounds

    def _bounds(self, X: Array) -> tuple[Array, Array]:
        if self.bounds is None:
            return X.min(axis=0), X.max(axis=0)
        lower, upper = (np.asarray(b, dtype=np.float64) for b in self.bounds)
        if not lower.shape == upper.shape == (X.shape[1],) or not (lower <= upper).all():
            raise ValueError(
                f"bounds have shapes {lower.shape} and {upper.shape}, must be two arrays of "
                f"{X.shape[1]} numbers, the lower ones first."
            )
        return lower, upper

    def _n_components(self, columns: Sequence[npt.NDArray[np.intp]]) -> Sequence[int | None]:
        given: Any = self.n_components
        if given is None or isinstance(given, Integral):
            return [None if given is None else int(given)] * len(columns)
        if len(given) != len(columns):
            raise ValueError(
                f"n_components has {len(given)} entries, must be one number, or {len(columns)}: "
                f"one per column group."
            )
        return list(given)

    def _check_parameters(self, n_rows: int) -> None:
        check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)
        if self.n_anchor is not None:
            check_scalar(self.n_anchor, "n_anchor", Integral, min_val=1)
        if self.n_clusters == "auto":
            return
        check_scalar(self.n_clusters, "n_clusters", Integral, min_val=1)
        if isinstance(self.method, str) and int(self.n_clusters) > n_rows:
            raise ValueError(
                f"n_clusters == {self.n_clusters}, must be <= {n_rows}, the number of rows of all "
                f"institutions together (n_samples={n_rows}). Lower n_clusters."
            )


def _seed(random_state: Any) -> int:
    """Return the seed of the clustering: the user's own number where there is one."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))

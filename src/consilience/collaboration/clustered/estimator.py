"""The estimator of DC-CFL: the real roles, driven inside one process."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from consilience.collaboration.clustered.analyst import ClusteredAnalyst
from consilience.collaboration.clustered.grouping import nearest_group, total_variation
from consilience.collaboration.clustered.network import fixed_epochs, paper_network
from consilience.collaboration.grid import Grid
from consilience.collaboration.learning.classifier import CollaborationClassifier
from consilience.collaboration.learning.targets import encode_classes

__all__ = ["ClusteredCollaborationClassifier"]

Array = npt.NDArray[np.float64]


class ClusteredCollaborationClassifier(CollaborationClassifier):
    """Learn one model per group of institutions with similar label mixes, in one round.

    DC-CFL [Sugawara2026]_: institutions are grouped by the total-variation distance of their label
    distributions, and data collaboration analysis is run within each group.

    Parameters
    ----------
    estimator : classifier or regressor, optional
        What the analyst fits for each group. None is the paper's network on standardised
        coordinates.
    threshold : float, "auto" or "gap", default "auto"
        t: no two institutions of a group are farther apart. ``"auto"`` tries .1 to .9 on rows held
        out by the analyst; ``"gap"`` cuts in the largest gap between merges, without any.
    answer, columns, reducer, n_components, scaling, bounds, rotate, anchor, n_anchor, target, \
affine, random_state
        As of :class:`~consilience.collaboration.learning.classifier.CollaborationClassifier`.

    Attributes
    ----------
    groups_ : dict
        Institution to the number of its group.
    threshold_ : float
    thresholds_ : dict of float to float
        With ``"auto"``: the accuracy of each threshold tried on the rows held out.
    distances_ : ndarray of shape (n_parties, n_parties)
        Total-variation distances, in the order of ``parties_``.
    tree_ : ndarray of shape (n_parties - 1, 4)
        Merges of complete linkage, as scipy's dendrogram takes them.
    classes_ : ndarray of shape (n_classes,)
    parties_ : list
    anchor_ : ndarray of shape (n_anchor, n_features)
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> clinics = np.where(y == 0, "a", np.where(np.arange(150) % 2, "b", "c"))
    >>> model = ClusteredCollaborationClassifier(LogisticRegression(), threshold=0.3,
    ...                                          random_state=0)
    >>> model.fit(X, y, parties=clinics).groups_
    {'a': 0, 'b': 1, 'c': 1}
    """

    def __init__(
        self,
        estimator: Any = None,
        threshold: float | str = "auto",
        *,
        answer: str = "labels",
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
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            answer=answer,
            columns=columns,
            reducer=reducer,
            n_components=n_components,
            scaling=scaling,
            bounds=bounds,
            rotate=rotate,
            anchor=anchor,
            n_anchor=n_anchor,
            target=target,
            affine=affine,
            random_state=random_state,
        )
        self.threshold = threshold

    def fit(self, X: Any, y: Any, parties: Any = None) -> Self:
        """Group the institutions and learn a model for each group.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            The class of each row.
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        self._check_threshold()
        X, y = self._check_fit(X, y)
        self._federation = self._build(X, parties)
        with fixed_epochs() if self.estimator is None else nullcontext():
            self._federation.contribute(X, y)
        analyst = self._federation.analyst
        assert isinstance(analyst, ClusteredAnalyst)
        self.parties_ = self._federation.grid.names
        self.groups_ = {
            name: analyst.groups[row]
            for name, row in zip(self.parties_, self._federation.grid.row_names, strict=True)
        }
        self.threshold_, self.thresholds_ = analyst.threshold, analyst.scores
        self.distances_ = total_variation(analyst.distributions)
        self.tree_ = analyst.tree
        self._distributions = analyst.distributions
        return self

    def group_of(self, y: Any) -> int:
        """Return the group a new institution belongs to, by the classes of its rows."""
        check_is_fitted(self)
        counts = encode_classes(np.asarray(y), self.classes_).sum(axis=0)
        if not counts.any():
            raise ValueError("y has no known class: the label mix of the institution is not known.")
        groups = np.array([self.groups_[name] for name in self.parties_])
        return nearest_group(counts / counts.sum(), self._distributions, groups)

    def _make_analyst(self, grid: Grid, **settings: Any) -> ClusteredAnalyst:
        if self.estimator is None:
            settings["estimator"] = make_pipeline(StandardScaler(), paper_network(settings["seed"]))
        threshold: Any = self.threshold
        return ClusteredAnalyst(grid.row_names, grid.column_names, threshold=threshold, **settings)

    def _check_threshold(self) -> None:
        t = self.threshold
        known = t in ("auto", "gap") if isinstance(t, str) else 0 <= t <= 1
        if not known:
            raise ValueError(
                f"threshold == {t!r}, must be a number between 0 and 1, 'auto' or 'gap'."
            )

"""Interpretable data collaboration: each institution gets a model it can read."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.collaboration.learning.classifier import CollaborationClassifier
from consilience.collaboration.learning.surrogate import Surrogate
from consilience.collaboration.paging import take_part

__all__ = ["InterpretableCollaboration"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False, repr=False)
class InterpretableCollaboration(CollaborationClassifier):
    """Learn together, and read the result in one's own features (Alg. 1 of [Imakura2023]_).

    The analyst fits a model to the collaboration representation and predicts the anchor; each
    institution fits a readable model to these predictions in original features. ``predict`` is the
    readable model's.

    Parameters
    ----------
    estimator : classifier or regressor, optional
        What the analyst fits; None is ridge regression on the binary matrix of the classes.
    surrogate : estimator, optional
        The readable model; None is a decision tree with at most 5 splits.
    anchor_scope : {"all", "column"}, default "all"
        ``all``: every party holds the anchor of all columns and explains in all features, as in
        the paper; whoever colludes with the analyst can then attack every column. ``column``: a
        party holds the anchor of its own columns and explains in those; there is one model per
        party, and ``predict`` takes the mean of the scores of a row's parties.
    imitate : {"anchor", "rows"}, default "anchor"
        What readable models are fitted to: the anchor, as in the paper, or an institution's own
        rows and what the analyst predicted for them, as by files. Rows need
        ``anchor_scope="column"``, or one column group.
    answer, prior, columns, reducer, n_components, scaling, bounds, spreads, rotate, anchor, \
n_anchor, target, affine, min_singular_value, random_state
        As of :class:`~consilience.collaboration.learning.classifier.CollaborationClassifier`.

    Attributes
    ----------
    surrogates_ : dict
        Institution to :class:`~consilience.collaboration.learning.surrogate.Surrogate`; with
        ``anchor_scope="column"``, (institution, number of the column group) to it.
    anchor_ : ndarray of shape (n_anchor, n_features)
        The anchor that was drawn; every party holds it, or its own columns of it.
    classes_ : ndarray of shape (n_classes,)
    model_ : estimator
        The analyst's fitted model, on the collaboration representation.
    parties_ : list
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clinics = np.arange(150) % 2
    >>> model = InterpretableCollaboration(random_state=0).fit(X, y, parties=clinics)
    >>> model.surrogates_[0].top_features(1)
    ['petal length (cm)']
    """

    surrogate: Any = None
    _: KW_ONLY
    anchor_scope: str = "all"
    imitate: str = "anchor"

    def fit(self, X: Any, y: Any, parties: Any = None) -> Self:
        """Learn from the rows of all institutions together, and explain to each.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            The class of each row.
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        if self.anchor_scope not in ("all", "column"):
            raise ValueError(f"anchor_scope == {self.anchor_scope!r}, must be 'all' or 'column'.")
        if self.imitate not in ("anchor", "rows"):
            raise ValueError(f"imitate == {self.imitate!r}, must be 'anchor' or 'rows'.")
        super().fit(X, y, parties)
        grid = self._federation.grid
        if self.imitate == "rows" and self.anchor_scope == "all" and len(grid.columns) > 1:
            raise ValueError(
                "imitate == 'rows' with anchor_scope == 'all': nobody holds all columns of a row. "
                "Choose anchor_scope = 'column'."
            )
        self.surrogates_: dict[Any, Surrogate] = {}
        rows = np.asarray(X, dtype=np.float64)
        for name, i, j in grid.cells():
            # With the anchor of all columns, all parties of a row would fit the same model.
            if self.anchor_scope == "all" and j > 0:
                continue
            party = self._federation.parties[name]
            key = (self.parties_[i], j) if self.anchor_scope == "column" else self.parties_[i]
            if self.imitate == "rows":
                part = take_part(rows, grid.rows[i], grid.columns[j])
                self.surrogates_[key] = party.explain(part, party.told)
            else:
                self.surrogates_[key] = party.surrogate
        return self

    def _ask(self, X: Any, parties: Any) -> Array:
        """Predict by the readable models: nothing is asked of the analyst."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        grid = self._federation.place(len(X), parties)
        votes = np.zeros((len(X), len(self.classes_)))
        for key, surrogate in self.surrogates_.items():
            name, columns = key, slice(None)
            if self.anchor_scope == "column":
                name, columns = key[0], grid.columns[key[1]]
            rows = grid.rows[self.parties_.index(name)]
            if len(rows):
                votes[rows] += surrogate.fitted.predict(X[rows][:, columns])
        n_models = 1 if self.anchor_scope == "all" else len(grid.columns)
        return votes / n_models

    def predict_by_model(self, X: Any, parties: Any = None) -> npt.NDArray[Any]:
        """Classify rows by the analyst's model instead: what the readable ones imitate."""
        values = super()._ask(X, parties)
        return np.asarray(self.classes_[values.argmax(axis=1)])

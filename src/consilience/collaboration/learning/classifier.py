"""A classifier for rows and columns that several institutions hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.collaboration.learning.learner import Learner, LearningFederation, read_prediction
from consilience.collaboration.learning.targets import decode_classes

__all__ = ["CollaborationClassifier"]

Array = npt.NDArray[np.float64]


def _shows_probabilities(self: CollaborationClassifier) -> bool:
    return self.answer == "scores" and hasattr(self.estimator, "predict_proba")


class CollaborationClassifier(ClassifierMixin, Learner, BaseEstimator):  # type: ignore[misc]
    """Learn to classify from rows and columns that several institutions hold.

    Data collaboration analysis: each institution reduces its part privately and sends it with its
    labels, the analyst aligns the parts by an anchor and fits one model. One round.

    Parameters
    ----------
    estimator : classifier or regressor, optional
        What the analyst fits. A regressor learns the binary matrix of the classes; None is ridge
        regression on it, as in [Imakura2023]_.
    answer : {"labels", "scores"}, default "labels"
        What institutions receive: the class alone, or the model's scores.
    columns : list of lists of int or str, optional
        The columns each column group holds. None means every institution holds all columns.
    reducer : {"pca", "svd", "random", "lpp", "nmf", "lda", "lfda"} or transformer, default "pca"
        The private reduction; ``"lda"`` and ``"lfda"`` use the labels at home.
    n_components : int or list of int, optional
        Dimensions each institution keeps, or one number per column group. None keeps one less
        than it has, as in the paper, which is weak against collusion: see the threat model.
    scaling : {"none", "local", "bounds"}, default "none"
    bounds : pair of array-like of shape (n_features,), optional
        Public lower and upper bounds of the columns, for the anchor and for ``scaling="bounds"``.
        None takes the least and largest value of each column of ``X``, as in the paper. Between
        real institutions they are public terms of the study, never read from the data.
    rotate : bool, default False
        Whether each institution also rotates what it sends.
    anchor : {"gaussian", "uniform", "rotated"}, Smote, LowRank or array, default "gaussian"
        See :mod:`consilience.collaboration.anchors`. An array has shape (n_anchor, n_features).
    n_anchor : int, optional
        Rows of the anchor; None means 400, or 4 a column if that is more.
    target : {"population", "scaled", "orthonormal"}, default "scaled"
    affine : bool, default True
        The alignment, see :func:`~consilience.collaboration.alignment.align`.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    model_ : estimator
        The analyst's fitted model, on the collaboration representation.
    anchor_ : ndarray of shape (n_anchor, n_features)
        The anchor that was drawn; the analyst does not see it.
    parties_ : list
        The institutions that hold rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The analyst learns the class of every row: labels travel.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> hospitals = np.arange(len(X)) % 3
    >>> model = CollaborationClassifier(columns=[range(6), range(6, 13)], random_state=0)
    >>> round(model.fit(X, y, parties=hospitals).score(X, y, parties=hospitals), 2)
    0.99
    """

    def __init__(
        self,
        estimator: Any = None,
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
        self.estimator = estimator
        self.answer = answer
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
        self.random_state = random_state

    def fit(self, X: Any, y: Any, parties: Any = None) -> Self:
        """Learn from the rows of all institutions together.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            The class of each row.
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        X, y = self._check_fit(X, y)
        self._federation = self._build(X, parties)
        self._federation.contribute(X, y)
        self.parties_ = self._federation.grid.names
        self.model_ = self._federation.analyst.model.estimator
        return self

    def _build(self, X: Array, parties: Any) -> LearningFederation:
        return self._make_federation(
            X, parties, task="classification", classes=self.classes_, answer=self.answer
        )

    def _check_fit(self, X: Any, y: Any) -> tuple[Array, npt.NDArray[Any]]:
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        if self.answer not in ("labels", "scores"):
            raise ValueError(f"answer == {self.answer!r}, must be 'labels' or 'scores'.")
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(
                "y has 1 class, must have at least 2: there is nothing to tell apart. Check that "
                "y is the column meant."
            )
        return X, y

    def predict(self, X: Any, parties: Any = None) -> npt.NDArray[Any]:
        """Classify rows, each through the maps of the institution that holds it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        parties : array-like of shape (n_rows,), optional
            The institution each row belongs to, one of ``parties_``.
        """
        return decode_classes(self._ask(X, parties), self.classes_)

    @available_if(_shows_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, parties: Any = None) -> Array:
        """Return the probability of each class, where ``answer="scores"`` and the model has it."""
        return self._ask(X, parties)

    def score(self, X: Any, y: Any, parties: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy on rows of known class."""
        return float(accuracy_score(y, self.predict(X, parties), sample_weight=sample_weight))

    def _ask(self, X: Any, parties: Any) -> Array:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        grid = self._federation.ask(X, parties)
        return np.asarray(self._federation.collect(grid, read_prediction))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Of two columns one dimension is kept, which ridge cannot cut into three classes.
        tags.classifier_tags.poor_score = True
        return tags

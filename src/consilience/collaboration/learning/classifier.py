"""A classifier for rows and columns that several institutions hold."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from consilience.collaboration.learning.estimator import LearningEstimator
from consilience.collaboration.learning.targets import decode_classes
from consilience.collaboration.represented import Represented

__all__ = ["CollaborationClassifier", "GridClassifier"]

Array = npt.NDArray[np.float64]


def _shows_probabilities(self: GridClassifier) -> bool:
    return self.answer == "scores" and hasattr(self.estimator, "predict_proba")


@dataclass(eq=False, repr=False)
class GridClassifier(ClassifierMixin, LearningEstimator):  # type: ignore[misc]
    """What classifiers of a grid share, whether all institutions have one model or groups theirs.

    Parameters
    ----------
    estimator : classifier or regressor, optional
    answer : {"labels", "scores"}
    prior : {"pooled", "own"}
    """

    estimator: Any = None
    _: KW_ONLY
    answer: str = "labels"
    prior: str = "pooled"

    def _check_fit(self, X: Any, y: Any) -> tuple[Array, npt.NDArray[Any]]:
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        if self.answer not in ("labels", "scores"):
            raise ValueError(f"answer == {self.answer!r}, must be 'labels' or 'scores'.")
        if self.prior not in ("pooled", "own"):
            raise ValueError(f"prior == {self.prior!r}, must be 'pooled' or 'own'.")
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Of two columns one dimension is kept, which ridge cannot cut into three classes.
        tags.classifier_tags.poor_score = True
        return tags


@dataclass(eq=False, repr=False)
class CollaborationClassifier(Represented, GridClassifier):
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
    prior : {"pooled", "own"}, default "pooled"
        Which mix of classes rows are expected to have: that of all labelled rows together, or that
        of the labelled rows of their own institution. ``"own"`` is right where institutions differ
        in how often they see a class and later rows come from the same institution; where mixes
        are alike it changes nothing.
    columns, reducer, n_components, scaling, bounds, spreads, rotate, anchor, n_anchor, \
target, affine, min_singular_value, random_state
        As of :class:`~consilience.collaboration.estimator.CollaborationClustering`; the reducers
        ``"lda"`` and ``"lfda"`` use the labels at home.

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

    Each hospital sees two of three classes and knows it:

    >>> hospitals = (y + np.arange(len(y)) % 2) % 3
    >>> model = CollaborationClassifier(n_components=2, prior="own", random_state=0)
    >>> round(model.fit(X, y, parties=hospitals).score(X, y, parties=hospitals), 2)
    0.97
    """

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
        self._learn(*self._check_fit(X, y), parties)
        return self

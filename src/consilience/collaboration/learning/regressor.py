"""A regressor for rows and columns that several institutions hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import validate_data

from consilience.collaboration.learning.estimator import LearningEstimator
from consilience.collaboration.learning.model import Task
from consilience.collaboration.represented import Represented

__all__ = ["CollaborationRegressor"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False, repr=False)
class CollaborationRegressor(RegressorMixin, Represented, LearningEstimator):  # type: ignore[misc]
    """Learn values from rows and columns that several institutions hold.

    As :class:`~consilience.collaboration.learning.classifier.CollaborationClassifier`, with values
    in place of classes.

    Parameters
    ----------
    estimator : regressor, optional
        What the analyst fits; None is ridge regression.
    columns, reducer, n_components, scaling, bounds, spreads, rotate, anchor, n_anchor, \
target, affine, min_singular_value, random_state
        As of the classifier.

    Attributes
    ----------
    model_ : estimator
    anchor_ : ndarray of shape (n_anchor, n_features)
    parties_ : list
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 4))
    >>> y = X[:, 0] + X[:, 1]
    >>> model = CollaborationRegressor(n_components=4, random_state=0)
    >>> round(model.fit(X, y, parties=np.arange(90) % 3).score(X, y, parties=np.arange(90) % 3), 2)
    1.0
    """

    task: ClassVar[Task] = "regression"
    estimator: Any = None

    def fit(self, X: Any, y: Any, parties: Any = None) -> Self:
        """Learn from the rows of all institutions together.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        self._learn(X, y, parties)
        return self

    def predict(self, X: Any, parties: Any = None) -> Array:
        """Predict values of rows, each through the maps of the institution that holds it."""
        return np.asarray(self._ask(X, parties)[:, 0])

    def score(self, X: Any, y: Any, parties: Any = None, sample_weight: Any = None) -> float:
        """Return the coefficient of determination."""
        return float(r2_score(y, self.predict(X, parties), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One dimension less than there are columns is kept, whatever the values depend on.
        tags.regressor_tags.poor_score = True
        return tags

"""The estimator of classes from summaries: the real roles, inside one process."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.holdings import row_groups
from consilience.messages import Message, Summary
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.summaries.classes import ClassAnalyst, learn_at_home
from consilience.summaries.party import Party
from consilience.summaries.settings import check_min_rows, make_units

__all__ = ["SummaryClassifier"]

WITHOUT_NOISE = 2


class SummaryClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn classes from rows of several institutions of which only private summaries leave.

    Every institution sends a few centres of its rows of each class; the analyst hands the centres
    of all to everybody; every institution learns at home from them and its own rows, by the kind of
    model that is most often right on rows held out. No row, pseudonym or prediction leaves.

    Parameters
    ----------
    epsilon, delta : float, default 1.0 and 1e-6
        What a summary may cost a row. ``epsilon=None`` adds no noise, for comparison: the rows
        behind a mean then all have one class, which protects nobody among them.
    bounds, spreads
        As of :class:`~consilience.summaries.estimator.SummaryClustering`.
    min_rows : int, optional
        The fewest rows behind a centre. With noise None promises nothing, without it it is 2.
    random_state : int, RandomState instance or None
        For the forests. It never touches the noise.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    parties_ : list
        The institutions.
    models_ : list of HomeModel
        That of each institution, in their order.
    n_centers_ : int
        Centres sent by all institutions.
    n_features_in_ : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(3000) % 3
    >>> X = rng.normal(size=(3000, 2)) / 4 + np.array([[-2, 0], [2, 0], [0, 3]])[y]
    >>> model = SummaryClassifier(epsilon=None, min_rows=10, random_state=0)
    >>> model.fit(X, y, parties=np.arange(3000) // 1000).score(X, y)
    1.0
    """

    def __init__(
        self,
        *,
        epsilon: float | None = 1.0,
        delta: float = 1e-6,
        bounds: Any = None,
        spreads: Any = None,
        min_rows: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.spreads = spreads
        self.min_rows = min_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any, parties: Any = None) -> Self:
        """Let every institution summarise its rows of each class, and learn from all summaries.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        codes = codes.astype(np.int64)
        min_rows = check_min_rows(self.min_rows, self.epsilon, WITHOUT_NOISE)
        units = make_units(self.bounds, self.spreads, X.shape[1])
        self.parties_, rows = row_groups(parties, len(X))
        names = [str(k) for k in range(len(rows))]
        analyst = ClassAnalyst(names, units, len(self.classes_))
        answers: list[Message] = []
        for name, held in zip(names, rows, strict=True):
            noise = None if self.epsilon is None else ConcentratedNoise(self.epsilon, self.delta)
            party = Party(name, units, noise=noise, min_rows=min_rows)
            [sent] = party.begin(X[held], codes[held], len(self.classes_))
            answers = analyst.receive(sent)
        seed = int(check_random_state(self.random_state).randint(2**31))
        self.models_ = []
        for answer, held in zip(answers, rows, strict=True):
            assert isinstance(answer, Summary)
            self.models_.append(learn_at_home(units, answer, X[held], codes[held], seed))
        self.n_centers_ = len(analyst.centers)
        return self

    def predict(self, X: Any, parties: Any = None) -> npt.NDArray[Any]:
        """Return the class of each row, by the model of the institution that holds it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; where nothing is said, the first predicts.
        """
        check_is_fitted(self, "models_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if parties is None:
            found: npt.NDArray[Any] = self.classes_[self.models_[0].predict(X)]
            return found
        asked, rows = row_groups(parties, len(X))
        unknown = sorted(set(asked) - set(self.parties_))
        if unknown:
            raise ValueError(f"parties has {unknown}, must be among {self.parties_}.")
        codes = np.empty(len(X), dtype=np.int64)
        for party, held in zip(asked, rows, strict=True):
            codes[held] = self.models_[self.parties_.index(party)].predict(X[held])
        found = self.classes_[codes]
        return found

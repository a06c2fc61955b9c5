"""Classes from summaries: the analyst hands out labelled centres, every party learns at home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from consilience.exceptions import MessageError
from consilience.messages import Message, Summary
from consilience.summaries.analyst import Analyst
from consilience.summaries.units import Units

__all__ = ["ClassAnalyst", "HomeModel", "learn_at_home"]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

Rows = tuple[Any, ...]
"""Rows in the units of the study, their classes, and how much each counts."""

MAX_JUDGED = 2_000
"""Of its own rows, by which a party chooses its model."""
LEARNERS: Mapping[str, Callable[[int], Any]] = {
    "logistic regression": lambda seed: LogisticRegression(C=100.0, max_iter=1_000),
    "support vector machine": lambda seed: SVC(C=10.0),
    "forest": lambda seed: RandomForestClassifier(100, random_state=seed),
}


class ClassAnalyst(Analyst):
    """Puts the labelled centres of all parties together and gives them to everybody.

    Parameters
    ----------
    n_classes : int
    parties, units, seed, study, name
        As of :class:`~consilience.summaries.analyst.Analyst`.

    Notes
    -----
    *Sends* to everybody all centres with their classes, in an order that tells no sender. *Keeps*
    the summaries. *Learns* of each party where its rows of each class lie, as far as the guarantee
    of the study lets it.
    """

    def __init__(self, parties: Any, units: Units, n_classes: int, **settings: Any) -> None:
        super().__init__(parties, units, **settings)
        self._n_classes = n_classes

    def receive(self, message: Message) -> list[Message]:
        """Take a labelled summary; answer everybody once the last has come."""
        if isinstance(message, Summary):
            check_classes(message, self._n_classes)
        return super().receive(message)

    def solve(self) -> list[Message]:
        """Put together what has arrived, and answer who sent it."""
        Z, weights, errors = self._gather()
        held = np.concatenate([s.weights for s in self.summaries.values()]) > 0
        classes = np.concatenate([_classes_of(s) for s in self.summaries.values()])[held]
        order = np.lexsort(Z.T)
        self.centers = np.ascontiguousarray(self._units.unscale(Z[order]))
        self.classes = classes[order]
        counted = {"minlength": self._n_classes}
        self.sizes = np.bincount(classes, weights, **counted).astype(np.float64)
        self.errors = np.sqrt(np.bincount(classes, errors**2, **counted))
        return [
            Summary(
                study=self._study,
                sender=self.name,
                recipient=party,
                centers=self.centers,
                weights=weights[order],
                errors=errors[order],
                classes=self.classes,
            )
            for party in self.summaries
        ]


class HomeModel:
    """What a party predicts with: a model of labelled centres, in the units of the study.

    Parameters
    ----------
    units : Units
    estimator : classifier
        Fitted.
    by : str
        What kind of model was chosen, and what it learnt from.
    right : float or None
        The share that it got right of own rows it had not learnt from; None if there were none.
    """

    def __init__(self, units: Units, estimator: Any, by: str, right: float | None) -> None:
        self._units, self._estimator, self.by, self.right = units, estimator, by, right

    def predict(self, X: Array) -> Codes:
        """Return the class of each row, by its number."""
        return np.asarray(self._estimator.predict(self._units.scale(X)), dtype=np.int64)


def learn_at_home(units: Units, answer: Summary, X: Array, y: Codes, seed: int = 0) -> HomeModel:
    """Learn at home, in whichever way is most often right on rows of one's own.

    A logistic regression, a support vector machine and a forest are fitted to the centres of all,
    each counted by the rows it stands for; to these and half of the party's own rows; and to its
    own rows alone. The other half of the rows chooses. No row leaves, so that this costs nothing.

    Parameters
    ----------
    units : Units
    answer : Summary
        Labelled centres of all parties.
    X, y : ndarray of shape (n_rows, n_features) and (n_rows,)
        The party's own labelled rows, of which at most 4,000 are used. Without any, the regression
        is fitted to the centres.
    seed : int
        For the forest, and for which rows choose.

    Examples
    --------
    >>> units = Units(np.zeros(1), np.full(1, 10.0), np.full(1, 10.0))
    >>> answer = Summary(study="", sender="analyst", recipient="a", weights=np.full(4, 9.0),
    ...                  centers=np.array([[1.0], [2.0], [7.0], [9.0]]),
    ...                  classes=np.array([0, 0, 1, 1]))
    >>> model = learn_at_home(units, answer, np.array([[0.0], [8.0]]), np.array([0, 1]))
    >>> model.predict(np.array([[1.5], [8.5]])), model.right
    (array([0, 1]), 1.0)
    """
    centres = units.scale(answer.centers), _classes_of(answer), answer.weights
    order = np.random.default_rng(seed).permutation(len(X))[: 2 * MAX_JUDGED]
    own = units.scale(X[order]), y[order], np.ones(len(order))
    if len(order) < 2:
        learner = "logistic regression"
        return HomeModel(units, _fit(learner, (centres,), seed), learner, None)
    half = len(order) // 2
    learnt, judged = tuple(p[:half] for p in own), tuple(p[half:] for p in own)
    best, found = ("", ""), -1.0
    for source, rows in _sources(centres, learnt).items():
        for learner in LEARNERS:
            told = _fit(learner, rows, seed).predict(judged[0])
            right = float(np.mean(told == judged[1]))
            if right > found:
                best, found = (learner, source), right
    learner, source = best
    model = _fit(learner, _sources(centres, own)[source], seed)
    return HomeModel(units, model, f"{learner} fitted to {source}", found)


def _sources(centres: Rows, own: Rows) -> dict[str, tuple[Rows, ...]]:
    return {
        "the centres of all": (centres,),
        "the centres of all and your own rows": (centres, own),
        "your own rows": (own,),
    }


def _fit(learner: str, rows: tuple[Rows, ...], seed: int) -> Any:
    """Fit a learner to rows of several kinds, each with classes and weights."""
    Z, y, weights = (np.concatenate([part[k] for part in rows]) for k in range(3))
    if len(np.unique(y)) == 1:
        return _Always(int(y[0]))
    return LEARNERS[learner](seed).fit(Z, y, sample_weight=weights / weights.mean())


class _Always:
    """Says the same of every row."""

    def __init__(self, code: int) -> None:
        self._code = code

    def predict(self, Z: Array) -> Codes:
        return np.full(len(Z), self._code)


def check_classes(message: Summary, n_classes: int) -> None:
    """Refuse a summary without classes, or with one the study does not know."""
    if _classes_of(message).max() >= n_classes:
        raise MessageError(f"{message.sender} sent a class that is none of the {n_classes}.")


def _classes_of(message: Summary) -> Codes:
    if message.classes is None:
        raise MessageError(f"{message.sender} sent centres without classes; the study has some.")
    return message.classes

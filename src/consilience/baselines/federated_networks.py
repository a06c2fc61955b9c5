"""What the compared networks share: the face of a classifier, the rounds, the bytes."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_scalar, validate_data

from consilience.baselines.stacked_networks import Descent, Floats, LayerSizes, Rows, train
from consilience.collaboration.federation import choose_seed
from consilience.holdings import row_groups

__all__ = ["FederatedNetworks", "Pupils"]


@dataclass
class Pupils:
    """The networks of all institutions, each beside the rows it learns from."""

    shape: LayerSizes
    X: Floats
    y: Rows
    members: Sequence[Rows]
    descent: Descent
    seed: int
    rngs: list[np.random.Generator] = field(init=False)

    def __post_init__(self) -> None:
        self.rngs = np.random.default_rng([self.seed, 1]).spawn(len(self.members))

    @cached_property
    def twin(self) -> Pupils:
        """The same institutions and rows, for a second network each."""
        return replace(self)

    def first(self) -> Floats:
        """Return the network that everybody begins with, once for each institution."""
        drawn = self.shape.draw(np.random.default_rng([self.seed, 0]))
        return np.tile(drawn, (len(self.members), 1))

    def learn(
        self, networks: Floats, *, towards: Floats | None = None, pull: float = 0.0
    ) -> Floats:
        """Train every network at home, see :func:`~.stacked_networks.train`."""
        return train(
            networks,
            self.shape,
            self.X,
            self.y,
            self.members,
            self.rngs,
            self.descent,
            towards=towards,
            pull=pull,
        )

    def average(self, networks: Floats, groups: Rows | None = None) -> Floats:
        """Replace each network by the mean of its group, weighted by rows; None is one group."""
        sizes = np.array([len(rows) for rows in self.members], dtype=networks.dtype)
        groups = np.zeros(len(sizes), dtype=np.intp) if groups is None else groups
        result = np.empty_like(networks)
        for g in np.unique(groups):
            inside = groups == g
            share = sizes[inside] / sizes[inside].sum()
            result[inside] = share @ networks[inside]
        return result


@dataclass(eq=False, repr=False)
class FederatedNetworks(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """What classifiers with a network at each institution share; they say what a round does.

    They are dataclasses: an ``__init__`` of theirs would only store its arguments.

    Parameters
    ----------
    hidden : tuple of int, default (64, 32)
        Widths of the hidden layers.
    n_rounds : int
    n_epochs : int
        Epochs at home in each round.
    learning_rate, momentum : float
    batch_size : int, default 32
    random_state : int, RandomState instance or None
        For the first network and the order of the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    parties_ : list
        The institutions, sorted.
    networks_ : ndarray of float32 of shape (n_parties, n_parameters)
        The network by which each institution predicts.
    n_rounds_ : int
        Rounds done.
    bytes_up_, bytes_down_ : int
        What each institution has sent and received: networks in single precision, nothing else.
    n_features_in_ : int
    """

    hidden: tuple[int, ...] = (64, 32)
    _: KW_ONLY
    n_rounds: int = 5
    n_epochs: int = 10
    learning_rate: float = 0.01
    momentum: float = 0.5
    batch_size: int = 32
    random_state: Any = None

    networks_: Floats = field(init=False)

    n_exchanged = 1
    """Networks an institution receives and sends in a round."""
    n_final = 1
    """Networks it receives after the last one."""

    def fit(self, X: Any, y: Any, parties: Any = None) -> Self:
        """Learn from the rows of all institutions.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Of about unit scale: networks do not learn from anything else.
        y : array-like of shape (n_rows,)
            The class of each row.
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        for _ in self.rounds(X, y, parties):
            pass
        return self

    def rounds(self, X: Any, y: Any, parties: Any = None) -> Iterator[int]:
        """Learn round after round.

        Yields
        ------
        int
            The number of rounds done, from 1; `predict` then answers with what is known so far.
        """
        pupils = self._check(X, y, parties)
        networks = pupils.first()
        for done in range(1, self.n_rounds + 1):
            networks = self._round(pupils, networks)
            self.n_rounds_ = done
            yield done
        if not np.isfinite(self.networks_).all():
            warnings.warn(
                f"the networks have diverged: learning_rate == {self.learning_rate} is too high "
                f"for momentum == {self.momentum}. Lower it.",
                ConvergenceWarning,
                stacklevel=2,
            )

    @abstractmethod
    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        """Do one round: set ``networks_``, return the networks the next one begins with."""

    @property
    def bytes_up_(self) -> int:
        """Bytes each institution has sent."""
        check_is_fitted(self)
        return int(self.n_exchanged * self.n_rounds_ * self.networks_[0].nbytes)

    @property
    def bytes_down_(self) -> int:
        """Bytes each institution has received: a network a round, and the result."""
        check_is_fitted(self)
        return int(self.bytes_up_ + self.n_final * self.networks_[0].nbytes)

    def predict(self, X: Any, parties: Any = None) -> npt.NDArray[Any]:
        """Classify rows, each by the network of the institution that holds it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        parties : array-like of shape (n_rows,), optional
            One of ``parties_`` for each row; None is enough if there was only one.
        """
        scores = self._scores(X, parties)
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def predict_proba(self, X: Any, parties: Any = None) -> Floats:
        """Return the probability of each class, as `predict` does."""
        return np.asarray(softmax(self._scores(X, parties), axis=1))

    def score(self, X: Any, y: Any, parties: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy on rows of known class."""
        return float(accuracy_score(y, self.predict(X, parties), sample_weight=sample_weight))

    def _scores(self, X: Any, parties: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if parties is None and len(self.parties_) > 1:
            raise ValueError(
                f"parties is None, but the networks of {len(self.parties_)} institutions were "
                f"trained. Name the institution of each row."
            )
        names, members = (
            (self.parties_, [np.arange(len(X))]) if parties is None else row_groups(parties, len(X))
        )
        place = {name: k for k, name in enumerate(self.parties_)}
        unknown = [name for name in names if name not in place]
        if unknown:
            raise ValueError(f"parties names {unknown}, but the fit had {self.parties_}.")
        result = np.empty((len(X), len(self.classes_)))
        for name, rows in zip(names, members, strict=True):
            # In double precision a row's answer does not depend on the rows beside it.
            network = self.networks_[place[name]][None].astype(np.float64)
            result[rows] = self._shape.scores(network, X[rows][None])[0]
        return result

    def _check(self, X: Any, y: Any, parties: Any) -> Pupils:
        check_scalar(self.n_rounds, "n_rounds", Integral, min_val=1)
        check_scalar(self.n_epochs, "n_epochs", Integral, min_val=1)
        check_scalar(self.batch_size, "batch_size", Integral, min_val=1)
        positive = {"min_val": 0, "include_boundaries": "neither"}
        check_scalar(self.learning_rate, "learning_rate", Real, **positive)
        check_scalar(
            self.momentum, "momentum", Real, min_val=0, max_val=1, include_boundaries="left"
        )
        X, y = validate_data(self, X, y, dtype=np.float32, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "y has 1 class, must have at least 2: there is nothing to tell apart. Check that "
                "y is the column meant."
            )
        self.parties_, members = row_groups(parties, len(X))
        self._shape = LayerSizes((X.shape[1], *self.hidden, len(self.classes_)))
        descent = Descent(self.learning_rate, self.momentum, self.batch_size, self.n_epochs)
        return Pupils(self._shape, X, codes, members, descent, choose_seed(self.random_state))

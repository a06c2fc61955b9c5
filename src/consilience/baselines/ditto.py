"""Ditto: a network of one's own beside the common one [Li2021]_."""

from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_scalar

from consilience.baselines.federated_networks import FederatedNetworks, Pupils
from consilience.baselines.stacked_networks import Floats

__all__ = ["Ditto"]


class Ditto(FederatedNetworks, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Each institution predicts by its own network, held near the common one (Alg. 1).

    The common network is that of FedAvg; the own one minimises
    :math:`F_i(v) + \frac\lambda2 \|v - w^t\|^2` and never leaves the institution.

    Parameters
    ----------
    hidden : tuple of int, default (64, 32)
        Widths of the hidden layers.
    pull : float, default 0.1
        :math:`\lambda`; 0 is local training. [Sugawara2026]_ chooses among 2, 1, .1 and .01 on
        validation rows.
    n_rounds : int, default 5
    n_epochs : int, default 10
        Epochs of either network in each round.
    learning_rate : float, default 0.01
    momentum : float, default 0.5
    batch_size : int, default 32
    random_state : int, RandomState instance or None
        For the first network and the order of the rows.

    Attributes
    ----------
    classes_, parties_, networks_, n_rounds_, bytes_up_, bytes_down_, n_features_in_
        As of :class:`~consilience.baselines.federated_networks.FederatedNetworks`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Ditto(random_state=0).fit(scale(X), y, parties=[0, 1, 2] * 50)
    >>> model.bytes_up_ == model.bytes_down_
    True
    """

    n_final = 0

    def __init__(
        self,
        hidden: tuple[int, ...] = (64, 32),
        *,
        pull: float = 0.1,
        n_rounds: int = 5,
        n_epochs: int = 10,
        learning_rate: float = 0.01,
        momentum: float = 0.5,
        batch_size: int = 32,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            hidden,
            n_rounds=n_rounds,
            n_epochs=n_epochs,
            learning_rate=learning_rate,
            momentum=momentum,
            batch_size=batch_size,
            random_state=random_state,
        )
        self.pull = pull

    def _check(self, X: Any, y: Any, parties: Any) -> Pupils:
        check_scalar(self.pull, "pull", Real, min_val=0)
        pupils = super()._check(X, y, parties)
        self.networks_ = pupils.first()
        return pupils

    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        self.networks_ = pupils.twin.learn(self.networks_, towards=networks, pull=self.pull)
        return pupils.average(pupils.learn(networks))

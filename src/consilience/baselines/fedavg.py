"""FedAvg: institutions train one network in turns and average it [McMahan2017]_."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

from consilience.baselines.federated_networks import FederatedNetworks, Pupils
from consilience.baselines.stacked_networks import Floats

__all__ = ["FedAvg"]


class FedAvg(FederatedNetworks, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Train at home, average by rows, begin again from the average (Alg. 1 of [McMahan2017]_).

    Every institution takes part in every round. Momentum begins anew in each.

    Parameters
    ----------
    hidden : tuple of int, default (64, 32)
        Widths of the hidden layers.
    n_rounds : int, default 5
    n_epochs : int, default 10
        Epochs at home in each round.
    learning_rate : float, default 0.01
        [Sugawara2026]_ chooses among .1, .01 and .001 on validation rows.
    momentum : float, default 0.9
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
    >>> model = FedAvg(random_state=0).fit(scale(X), y, parties=[0, 1, 2] * 50)
    >>> round(model.score(scale(X), y, parties=[0, 1, 2] * 50), 2)
    0.95
    >>> model.bytes_up_, model.bytes_down_
    (49980, 59976)
    """

    def __init__(
        self,
        hidden: tuple[int, ...] = (64, 32),
        *,
        n_rounds: int = 5,
        n_epochs: int = 10,
        learning_rate: float = 0.01,
        momentum: float = 0.9,
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

    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        self.networks_ = pupils.average(pupils.learn(networks))
        return self.networks_

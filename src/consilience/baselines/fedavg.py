"""FedAvg: institutions train one network in turns and average it [McMahan2017]_."""

from __future__ import annotations

from dataclasses import dataclass

from consilience.baselines.federated_networks import FederatedNetworks, Pupils
from consilience.baselines.stacked_networks import Floats

__all__ = ["FedAvg"]


@dataclass(eq=False, repr=False, kw_only=True)
class FedAvg(FederatedNetworks):
    """Train at home, average by rows, begin again from the average (Alg. 1 of [McMahan2017]_).

    Every institution takes part in every round. Momentum begins anew in each.

    Parameters
    ----------
    momentum : float, default 0.9
    hidden, n_rounds, n_epochs, learning_rate, batch_size, random_state
        As of :class:`~consilience.baselines.federated_networks.FederatedNetworks`. [Sugawara2026]_
        chooses the learning rate among .1, .01 and .001 on validation rows.

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

    momentum: float = 0.9

    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        self.networks_ = pupils.average(pupils.learn(networks))
        return self.networks_

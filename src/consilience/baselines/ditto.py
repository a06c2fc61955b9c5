"""Ditto: a network of one's own beside the common one [Li2021]_."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

from sklearn.utils.validation import check_scalar

from consilience.baselines.federated_networks import FederatedNetworks, Pupils
from consilience.baselines.stacked_networks import Floats

__all__ = ["Ditto"]


@dataclass(eq=False, repr=False, kw_only=True)
class Ditto(FederatedNetworks):
    r"""Each institution predicts by its own network, held near the common one (Alg. 1).

    The common network is that of FedAvg; the own one minimises
    :math:`F_i(v) + \frac\lambda2 \|v - w^t\|^2` and never leaves the institution.

    Parameters
    ----------
    pull : float, default 0.1
        :math:`\lambda`; 0 is local training. [Sugawara2026]_ chooses among 2, 1, .1 and .01 on
        validation rows.
    hidden, n_rounds, n_epochs, learning_rate, momentum, batch_size, random_state
        As of :class:`~consilience.baselines.federated_networks.FederatedNetworks`; epochs are those
        of either network.

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

    pull: float = 0.1

    def _check(self, X: Any, y: Any, parties: Any) -> Pupils:
        check_scalar(self.pull, "pull", Real, min_val=0)
        pupils = super()._check(X, y, parties)
        self.networks_ = pupils.first()
        return pupils

    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        self.networks_ = pupils.twin.learn(self.networks_, towards=networks, pull=self.pull)
        return pupils.average(pupils.learn(networks))

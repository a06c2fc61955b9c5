"""FedProx: FedAvg whose networks may not walk far from the common one [Li2020]_."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

from sklearn.utils.validation import check_scalar

from consilience.baselines.federated_networks import FederatedNetworks, Pupils
from consilience.baselines.stacked_networks import Floats

__all__ = ["FedProx"]


@dataclass(eq=False, repr=False, kw_only=True)
class FedProx(FederatedNetworks):
    r"""Average networks that minimise :math:`F_i(w) + \frac\mu2 \|w - w^t\|^2` at home (Alg. 2).

    Parameters
    ----------
    mu : float, default 0.01
        The pull towards the network w^t of the last round; 0 is FedAvg. [Sugawara2026]_ chooses
        among 1, .1, .01 and .001 on validation rows.
    momentum, hidden, n_rounds, n_epochs, learning_rate, batch_size, random_state
        As of :class:`~consilience.baselines.fedavg.FedAvg`.

    Attributes
    ----------
    classes_, parties_, networks_, n_rounds_, bytes_up_, bytes_down_, n_features_in_
        As of :class:`~consilience.baselines.federated_networks.FederatedNetworks`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FedProx(mu=0.1, random_state=0).fit(scale(X), y, parties=[0, 1, 2] * 50)
    >>> round(model.score(scale(X), y, parties=[0, 1, 2] * 50), 2)
    0.95
    """

    mu: float = 0.01
    momentum: float = 0.9

    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        check_scalar(self.mu, "mu", Real, min_val=0)
        learnt = pupils.learn(networks, towards=networks, pull=self.mu)
        self.networks_ = pupils.average(learnt)
        return self.networks_

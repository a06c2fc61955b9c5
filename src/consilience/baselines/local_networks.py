"""Local networks: each institution alone, what collaboration has to beat."""

from __future__ import annotations

from dataclasses import dataclass, field

from consilience.baselines.federated_networks import FederatedNetworks, Pupils
from consilience.baselines.stacked_networks import Floats

__all__ = ["LocalNetworks"]


@dataclass(eq=False, repr=False, kw_only=True)
class LocalNetworks(FederatedNetworks):
    """Train a network at each institution on its own rows; nothing is exchanged.

    With one institution it is a plain network: scikit-learn's ``MLPClassifier`` with the settings
    of [Sugawara2026]_, but for early stopping and the penalty of weights, which it does not have.

    Parameters
    ----------
    n_epochs : int, default 50
    hidden, learning_rate, momentum, batch_size, random_state
        As of :class:`~consilience.baselines.federated_networks.FederatedNetworks`; everybody
        begins with the same network.

    Attributes
    ----------
    classes_, parties_, networks_, n_rounds_, bytes_up_, bytes_down_, n_features_in_
        As of :class:`~consilience.baselines.federated_networks.FederatedNetworks`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LocalNetworks(random_state=0).fit(scale(X), y, parties=[0, 1, 2] * 50)
    >>> model.networks_.shape, model.bytes_up_
    ((3, 2499), 0)
    """

    n_rounds: int = field(default=1, init=False)
    n_epochs: int = 50

    n_exchanged = 0
    n_final = 0

    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        self.networks_ = pupils.learn(networks)
        return self.networks_

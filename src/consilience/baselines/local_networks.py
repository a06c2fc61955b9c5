"""Local networks: each institution alone, what collaboration has to beat."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

from consilience.baselines.federated_networks import FederatedNetworks, Pupils
from consilience.baselines.stacked_networks import Floats

__all__ = ["LocalNetworks"]


class LocalNetworks(FederatedNetworks, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Train a network at each institution on its own rows; nothing is exchanged.

    With one institution it is a plain network: scikit-learn's ``MLPClassifier`` with the settings
    of [Sugawara2026]_, but for early stopping and the penalty of weights, which it does not have.

    Parameters
    ----------
    hidden : tuple of int, default (64, 32)
        Widths of the hidden layers.
    n_epochs : int, default 50
    learning_rate : float, default 0.01
    momentum : float, default 0.5
    batch_size : int, default 32
    random_state : int, RandomState instance or None
        For the first network, the same at every institution, and the order of the rows.

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

    n_rounds = 1
    n_exchanged = 0
    n_final = 0

    def __init__(
        self,
        hidden: tuple[int, ...] = (64, 32),
        *,
        n_epochs: int = 50,
        learning_rate: float = 0.01,
        momentum: float = 0.5,
        batch_size: int = 32,
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.batch_size = batch_size
        self.random_state = random_state

    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        self.networks_ = pupils.learn(networks)
        return self.networks_

"""FedClust: institutions grouped by what their networks learnt first [Islam2024]_."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist
from sklearn.utils.validation import check_scalar

from consilience.baselines.federated_networks import FederatedNetworks, Pupils
from consilience.baselines.stacked_networks import Floats, LayerSizes, Rows
from consilience.collaboration.learning.grouping import group_parties

__all__ = ["FedClust", "group_by_last_layer"]


def group_by_last_layer(networks: Floats, shape: LayerSizes, threshold: float) -> Rows:
    """Group networks by the Euclidean distance of their last layers.

    Parameters
    ----------
    networks : ndarray of shape (n_parties, n_parameters)
    shape : LayerSizes
    threshold : float
        Between 0 and 1, as a share of the largest distance: no group is wider. 1 is one group.

    Returns
    -------
    ndarray of int of shape (n_parties,)

    Notes
    -----
    [Islam2024]_ publishes neither the linkage nor the scale of its threshold: here the linkage is
    complete, as in DC-CFL, and distances are divided by the largest of them.

    Examples
    --------
    >>> shape = LayerSizes((1, 1))
    >>> group_by_last_layer(np.array([[0.0, 0.0], [5.0, 0.0], [0.5, 0.0]]), shape, 0.2)
    array([0, 1, 0])
    """
    if len(networks) == 1:
        return np.zeros(1, dtype=np.int64)
    distances = pdist(networks[:, -shape.n_last :].astype(np.float64))
    largest = distances.max()
    return group_parties(linkage(distances / (largest or 1.0), "complete"), threshold)


@dataclass(eq=False, repr=False, kw_only=True)
class FedClust(FederatedNetworks):
    """Average within groups of institutions whose last layers are alike after the first round.

    Parameters
    ----------
    threshold : float, default 0.5
        See :func:`group_by_last_layer`. [Sugawara2026]_ chooses among .1, ..., .9 on validation
        rows.
    n_rounds : int, default 5
        The first one is also the warm-up: its networks are grouped, then averaged.
    hidden, n_epochs, learning_rate, momentum, batch_size, random_state
        As of :class:`~consilience.baselines.federated_networks.FederatedNetworks`.

    Attributes
    ----------
    groups_ : dict
        Institution to the number of its group.
    classes_, parties_, networks_, n_rounds_, bytes_up_, bytes_down_, n_features_in_
        As of :class:`~consilience.baselines.federated_networks.FederatedNetworks`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> clinics = np.where(y == 0, "a", np.where(np.arange(150) % 2, "b", "c"))
    >>> FedClust(random_state=0).fit(scale(X), y, parties=clinics).groups_
    {'a': 0, 'b': 1, 'c': 1}
    """

    threshold: float = 0.5

    def _check(self, X: Any, y: Any, parties: Any) -> Pupils:
        check_scalar(self.threshold, "threshold", Real, min_val=0, max_val=1)
        self.groups_: dict[Any, int] = {}
        return super()._check(X, y, parties)

    def _round(self, pupils: Pupils, networks: Floats) -> Floats:
        learnt = pupils.learn(networks)
        if not self.groups_:
            found = group_by_last_layer(learnt, pupils.shape, self.threshold)
            self.groups_ = dict(zip(self.parties_, found.tolist(), strict=True))
        self.networks_ = pupils.average(learnt, np.array(list(self.groups_.values())))
        return self.networks_

"""Kernel k-means with an RBF kernel, by random Fourier features."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.kernel_approximation import RBFSampler
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

__all__ = ["KernelKMeans"]


@dataclass(eq=False, repr=False)
class KernelKMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    r"""Cluster by k-means in the feature space of an RBF kernel ("KK" of [Belucci2026]_).

    The kernel :math:`k(x, y) = \exp(-\gamma \|x - y\|^2)` is replaced by random Fourier
    features :math:`\sqrt{2/D} \cos(W x + b)`, on which ordinary k-means runs.

    Parameters
    ----------
    n_clusters : int, default=8
    gamma : float, default=1.0
        Width of the kernel; the paper searches [0.1, 30].
    n_components : int, default=500
        D, the number of random features.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)

    Examples
    --------
    Two rings that no straight line separates:

    >>> angle = np.linspace(0, 2 * np.pi, 100)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> labels = KernelKMeans(2, gamma=0.5, random_state=0).fit_predict(
    ...     np.vstack([0.1 * ring, 3 * ring]))
    >>> len(set(labels[:100]))
    1
    """

    n_clusters: int = 8
    _: KW_ONLY
    gamma: float = 1.0
    n_components: int = 500
    random_state: Any = None

    def fit(self, X: Any, y: object = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X, an array of shape (n_rows, n_features)."""
        X = validate_data(self, X, dtype=np.float64)
        random = check_random_state(self.random_state)
        features = RBFSampler(
            gamma=self.gamma, n_components=self.n_components, random_state=random
        ).fit_transform(X)
        model = KMeans(self.n_clusters, random_state=random)
        self.labels_ = model.fit(features, sample_weight=sample_weight).labels_
        return self

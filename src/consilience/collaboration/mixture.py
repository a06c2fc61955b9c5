"""Soft clusters of the collaboration representation, which the paper leaves for later.

A mixture of Gaussians, each round and of a width of its own, says how far a row belongs to each
cluster. They are round on purpose: each institution sends its rows through a reduction of its own,
so the rows of one institution lie flat in some directions of the shared space, and Gaussians free
to be flat would find the institutions.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from consilience.engines.engine import Rows
from consilience.kmeans import sample_rows

__all__ = ["OrderedMixture", "fit_mixture"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

SAMPLE_ROWS = 50_000
"""Rows the mixture is fitted to."""


class OrderedMixture:
    """A mixture whose clusters are numbered as the partition numbers them.

    Parameters
    ----------
    mixture : GaussianMixture
        Fitted.
    order : ndarray of int
        The mixture's own number of each cluster.
    """

    def __init__(self, mixture: GaussianMixture, order: npt.NDArray[np.intp]) -> None:
        self.mixture, self.order = mixture, order

    def predict_proba(self, X: Array) -> Array:
        """Return how far each row belongs to each cluster."""
        shares = self.mixture.predict_proba(X)[:, self.order]
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict(self, X: Array) -> Labels:
        """Return the cluster each row belongs to most."""
        return np.asarray(self.predict_proba(X).argmax(axis=1), dtype=np.int64)


def fit_mixture(X: Array | Rows, centers: Array, seed: int) -> GaussianMixture:
    """Fit a mixture of round Gaussians.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions), or Rows
    centers : ndarray of shape (n_clusters, n_dimensions)
        From which it starts.
    seed : int
        For the sample of many rows.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [2.6], [5.0], [5.2]])
    >>> mixture = fit_mixture(X, np.array([[0.0], [5.0]]), seed=0)
    >>> mixture.means_.round(1).ravel().tolist()
    [0.9, 5.1]
    """
    rows = sample_rows(X, SAMPLE_ROWS, np.random.default_rng(seed))
    floor = 1e-6 * float(rows.var(axis=0).mean()) or 1e-12
    mixture = GaussianMixture(
        len(centers),
        covariance_type="spherical",
        means_init=centers,
        reg_covar=floor,
        max_iter=200,
        random_state=seed,
    )
    with warnings.catch_warnings():
        # A mixture that still moves a little after 200 steps is used as it stands.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return mixture.fit(rows)

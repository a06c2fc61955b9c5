"""A mixture of Gaussians from weighted centres: clusters that are long, narrow or tilted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

__all__ = ["Mixture", "fit_mixture"]

Array = npt.NDArray[np.float64]

MAX_STEPS, TOLERANCE, N_STARTS = 200, 1e-6, 10
FLOOR = 1e-3
"""A column varies at least by this square of its unit within a cluster."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Gaussians, each with its share of all rows.

    Parameters
    ----------
    shares : ndarray of shape (n_clusters,)
    means : ndarray of shape (n_clusters, n_features)
    covariances : ndarray of shape (n_clusters, n_features, n_features)

    Examples
    --------
    >>> mixture = Mixture(np.array([0.5, 0.5]), np.array([[0.0], [3.0]]), np.ones((2, 1, 1)))
    >>> mixture.memberships(np.array([[0.0], [1.5], [3.0]])).round(2)[:, 0]
    array([0.99, 0.5 , 0.01])
    """

    shares: Array
    means: Array
    covariances: Array

    def log_densities(self, Z: Array) -> Array:
        """Return the logarithm of share times density, of shape (n_rows, n_clusters)."""
        found = np.empty((len(Z), len(self.means)))
        for k, (mean, covariance) in enumerate(zip(self.means, self.covariances, strict=True)):
            root = np.linalg.cholesky(covariance)
            ways = np.linalg.solve(root, (Z - mean).T)
            found[:, k] = -0.5 * (ways**2).sum(axis=0) - np.log(np.diag(root)).sum()
        return found + np.log(self.shares)

    def memberships(self, Z: Array) -> Array:
        """Return how likely each cluster is for each row; the rows add up to 1."""
        logs = self.log_densities(Z)
        return np.asarray(np.exp(logs - logsumexp(logs, axis=1, keepdims=True)))


def fit_mixture(Z: Array, weights: Array, n_clusters: int, seed: int = 0) -> Mixture:
    """Fit Gaussians to weighted centres by expectation and maximisation.

    It starts ten times from k-means in the units given, and ten times in units in which the centres
    have no direction, where clusters that are long and lie side by side come apart; the likeliest
    end is taken. A centre is one observation of its cluster however many rows it stands for, so
    that a covariance is drawn towards the one of all clusters together by as much as n_features + 1
    centres would: with few centres to a cluster that is what can be known of its shape.

    Parameters
    ----------
    Z : ndarray of shape (n_centers, n_features)
    weights : ndarray of shape (n_centers,)
        Rows each stands for, > 0.
    n_clusters : int
        At most as many as there are different centres.
    seed : int

    Examples
    --------
    >>> Z = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [3.0, 0.0], [3.0, 1.0], [3.0, 2.0]])
    >>> found = fit_mixture(Z, np.ones(6), 2)
    >>> sorted(found.means.round(2).tolist()), found.shares.round(2).tolist()
    ([[0.0, 1.0], [3.0, 1.0]], [0.5, 0.5])
    >>> bool(found.covariances[0][0, 0] < found.covariances[0][1, 1])
    True
    """
    random, ends = check_random_state(seed), []
    for points in (Z, _without_direction(Z, weights)):
        for _ in range(N_STARTS):
            model = KMeans(n_clusters, n_init=1, random_state=random)
            labels = model.fit(points, sample_weight=weights).labels_
            ends.append(_improve(Z, weights, labels, n_clusters))
    return max(ends, key=lambda end: end[0])[1]


def _without_direction(Z: Array, weights: Array) -> Array:
    """Return the centres in units in which their covariance is 1 wherever they vary."""
    ways = Z - np.average(Z, axis=0, weights=weights)
    variances, axes = np.linalg.eigh(ways.T @ (ways * weights[:, None]) / weights.sum())
    return np.asarray(ways @ axes / np.sqrt(np.maximum(variances, FLOOR)))


def _improve(
    Z: Array, weights: Array, labels: npt.NDArray[np.intp], n_clusters: int
) -> tuple[float, Mixture]:
    """Return the mean logarithm of the likelihood, and the mixture, that a clustering leads to."""
    counted = weights * len(Z) / weights.sum()
    members = (labels[:, None] == np.arange(n_clusters)).astype(np.float64)
    found, before = _gaussians(Z, members * counted[:, None]), -np.inf
    for _ in range(MAX_STEPS):
        logs = found.log_densities(Z)
        total = logsumexp(logs, axis=1, keepdims=True)
        now = float(np.average(total[:, 0], weights=weights))
        if now - before < TOLERANCE:
            break
        before = now
        found = _gaussians(Z, np.exp(logs - total) * counted[:, None])
    return now, found


def _gaussians(Z: Array, members: Array) -> Mixture:
    """Return shares, means and covariances of softly assigned centres."""
    n_features, held = Z.shape[1], np.maximum(members.sum(axis=0), 1e-9)
    means = members.T @ Z / held[:, None]
    scatters = np.empty((len(held), n_features, n_features))
    for k, mean in enumerate(means):
        ways = Z - mean
        scatters[k] = ways.T @ (ways * members[:, k, None])
    floor = FLOOR * np.eye(n_features)
    together = scatters.sum(axis=0) / held.sum() + floor
    prior = n_features + 1
    covariances = (scatters + prior * together) / (held + prior)[:, None, None]
    return Mixture(held / held.sum(), means, covariances + floor)

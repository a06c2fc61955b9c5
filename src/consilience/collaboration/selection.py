r"""How many clusters: a score for each number tried, one cluster included.

**k-means.** The gap statistic [Tibshirani2001]_ compares how much k-means with k centres leaves
unexplained with what it leaves of rows spread evenly over the same box, along principal axes:

.. math:: \mathrm{gap}(k) = \frac 1 B \sum_b \log W_k^{(b)} - \log W_k.

One cluster is taken unless another number is better by two standard errors; else the number with
the largest gap, if it stands out: if larger numbers were tried and are worse. On a continuum the
gap rises to the end, and the best mean silhouette decides.

**Spectral.** The eigenvalues :math:`0 = \lambda_1 \le \lambda_2 \le \dots` of the normalised
Laplacian jump after the true number. Between round clusters the largest difference tells it, but
on long thin ones differences grow along the spectrum; there the ratio tells it, which in turn
breaks where round clusters touch. So the difference is believed if the gap statistic names the
same number, and else the ratio :math:`(\lambda_{k+1} + c) / (\lambda_k + c)`, in which
:math:`c = (\text{neighbours} / \text{rows})^2` is what the second eigenvalue of a thin cluster is
like: a graph in one piece is one cluster unless a later jump is larger than that from c.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from consilience.collaboration.spectral import spectral_embedding
from consilience.collaboration.terms import MAX_CLUSTERS
from consilience.engines.engine import Rows
from consilience.engines.in_memory import as_rows

__all__ = ["Choice", "choose_between", "choose_kmeans", "choose_spectral"]

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

BEYOND = 3
"""How many larger numbers must have been tried for a largest gap to stand out."""
SAMPLE_ROWS = 2_000
N_REFERENCES = 5
N_ERRORS = 2.0


class Choice(NamedTuple):
    """A number of clusters, and what spoke for it.

    Attributes
    ----------
    n_clusters : int
    scores : dict of int to float
        The score of each number tried; empty where rows are too few or too alike to choose.
    criterion : str
        What the scores are.
    """

    n_clusters: int
    scores: dict[int, float]
    criterion: str


class _Gaps(NamedTuple):
    """The gap of each number from 1 on, its error, and the labels it was computed from."""

    gaps: Array
    errors: Array
    labels: list[Integers]
    rows: Array

    @property
    def best(self) -> int:
        """The number with the largest gap, or 1 if that is not clearly better than 1."""
        best = int(self.gaps.argmax())
        alone = self.gaps[0] >= self.gaps[best] - N_ERRORS * self.errors[best]
        return 1 if alone else best + 1


def choose_kmeans(X: Array | Rows, seed: int) -> Choice:
    """Choose by the gap statistic or, where no gap stands out, by the silhouette.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
    seed : int
        For the sample of at most 2,000 rows, for what they are compared with, and for k-means.

    Returns
    -------
    Choice
        Between 1 and 15 clusters.

    Examples
    --------
    >>> X = np.repeat([[0.0], [5.0], [9.0]], 5, axis=0) + np.linspace(0, 0.1, 15)[:, None]
    >>> choose_kmeans(X, seed=0).n_clusters
    3
    """
    found = _gaps(X, seed)
    if found is None:
        return Choice(1, {}, "")
    if found.best <= MAX_CLUSTERS - BEYOND:
        return Choice(found.best, _numbered(found.gaps), "gap statistic")
    scores = {
        k: float(silhouette_score(found.rows, labels))
        for k, labels in enumerate(found.labels, start=1)
        if k > 1
    }
    return Choice(_best(scores), scores, "mean silhouette")


def choose_spectral(X: Array, n_neighbors: int, seed: int = 0) -> Choice:
    """Choose by the eigenvalues of the neighbour graph.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
    n_neighbors : int
    seed : int
        For the gap statistic.

    Returns
    -------
    Choice
        Between 1 and 15 clusters.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> choose_spectral(X, n_neighbors=3).n_clusters
    2
    """
    n_values = min(MAX_CLUSTERS + 1, len(X))
    if n_values < 2:
        return Choice(1, {}, "")
    values = spectral_embedding(X, n_values, n_neighbors).eigenvalues
    laplacian = np.where(values < 1 - 1e-9, 1 - values, 0.0)
    differences = _numbered(np.diff(laplacian))
    best, gaps = _best(differences), _gaps(X, seed)
    if gaps is not None and best == gaps.best < MAX_CLUSTERS:
        return Choice(best, differences, "difference of eigenvalues")
    c = (min(n_neighbors, len(X)) / len(X)) ** 2
    ratios = _numbered(np.diff(np.log(laplacian + c)))
    return Choice(_best(ratios), ratios, "ratio of eigenvalues")


def choose_between(choice: Choice, span: str | tuple[int, int], n_rows: int) -> Choice:
    """Keep a choice between two numbers: the best score among them, or the nearest number.

    Parameters
    ----------
    choice : Choice
    span : pair of int, or "auto"
        ``auto`` keeps the choice.
    n_rows : int
        More clusters than rows are never chosen.

    Examples
    --------
    >>> found = Choice(1, {1: 0.9, 2: 0.1, 3: 0.4}, "gap statistic")
    >>> choose_between(found, (2, 3), 50).n_clusters, choose_between(found, (5, 9), 50).n_clusters
    (3, 5)
    """
    if isinstance(span, str):
        return choice
    low, high = span
    if low <= choice.n_clusters <= high:
        return choice
    allowed = {k: score for k, score in choice.scores.items() if low <= k <= high}
    nearest = min(max(choice.n_clusters, low), high)
    chosen = _best(allowed) if allowed else nearest
    return choice._replace(n_clusters=min(chosen, n_rows))


def _gaps(X: Array | Rows, seed: int) -> _Gaps | None:
    """Return the gap statistic on a sample of rows, or None if there are too few different ones."""
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(X), size=min(SAMPLE_ROWS, len(X)), replace=False)
    sample = as_rows(X).take(np.sort(rows))
    n_tried = min(MAX_CLUSTERS, len(np.unique(sample, axis=0)) - 1)
    if n_tried < 2:
        return None
    centred = sample - sample.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    low, high = turned.min(axis=0), turned.max(axis=0)
    # Rows that lie on fewer points than are tried leave nothing, of which there is no logarithm.
    floor = 1e-12 * float((turned**2).sum())
    left, labels = _unexplained(turned, n_tried, seed, floor)
    even = np.array(
        [
            _unexplained(rng.uniform(low, high, size=turned.shape), n_tried, seed + b, floor)[0]
            for b in range(N_REFERENCES)
        ]
    )
    errors = even.std(axis=0) * np.sqrt(1 + 1 / N_REFERENCES)
    return _Gaps(even.mean(axis=0) - left, errors, labels, sample)


def _unexplained(X: Array, n_tried: int, seed: int, floor: float) -> tuple[Array, list[Integers]]:
    """Return the logarithm of what k-means leaves for each number of clusters, and its labels."""
    fits = [KMeans(k, n_init=3, random_state=seed).fit(X) for k in range(1, n_tried + 1)]
    left = np.log([max(fit.inertia_, floor) for fit in fits])
    return left, [fit.labels_.astype(np.int64) for fit in fits]


def _numbered(values: Array) -> dict[int, float]:
    return {k: float(value) for k, value in enumerate(values, start=1)}


def _best(scores: dict[int, float]) -> int:
    return max(scores, key=lambda k: scores[k])

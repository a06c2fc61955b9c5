"""What the papers measure: agreement with known classes, and with the pooled clustering.

The first is what tables print. The second, `agreement`, is the honest measure of collaboration:
it asks whether the institutions found what the pooled data would have given, whether or not
that has anything to do with the classes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils.validation import check_consistent_length, column_or_1d

__all__ = [
    "ClusterScores",
    "agreement",
    "clustering_accuracy",
    "nmi",
    "percent_difference",
    "score",
]


class ClusterScores(NamedTuple):
    """The three scores of a clustering against known classes.

    Attributes
    ----------
    ari : float
        Adjusted Rand index, in [-0.5, 1].
    nmi : float
        Normalised mutual information with the geometric mean, in [0, 1].
    acc : float
        Clustering accuracy by optimal matching, in (0, 1].
    """

    ari: float
    nmi: float
    acc: float


def clustering_accuracy(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    r"""Return the share of rows on which classes and clusters agree under the best matching.

    .. math:: \mathrm{ACC} = \frac{1}{n} \max_{\pi} \sum_k |\{i : y_i = k, l_i = \pi(k)\}|

    where :math:`\pi` runs over the one-to-one matchings of classes to clusters. The two may
    differ in number: what finds no partner counts as wrong.

    Parameters
    ----------
    y : array-like of shape (n,)
        Known classes, of any kind.
    labels : array-like of shape (n,)
        Clusters found.

    Returns
    -------
    float
        In (0, 1]; 1 when the two partitions are the same.

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 2])
    0.75
    """
    truth, found = column_or_1d(y), column_or_1d(labels)
    check_consistent_length(truth, found)
    if len(truth) == 0:
        raise ValueError("y has 0 rows, must have >= 1: an empty clustering has no accuracy.")
    counts = contingency_matrix(truth, found)
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / len(truth))


def nmi(y: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    r"""Return the normalised mutual information with the geometric mean.

    .. math:: \mathrm{NMI} = I(y, l) / \sqrt{H(y) H(l)}

    scikit-learn's default is the arithmetic mean; the papers' tables use this one.

    Parameters
    ----------
    y : array-like of shape (n,)
        Known classes.
    labels : array-like of shape (n,)
        Clusters found.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> round(nmi([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.816
    """
    return float(normalized_mutual_info_score(y, labels, average_method="geometric"))


def score(y: npt.ArrayLike, labels: npt.ArrayLike) -> ClusterScores:
    """Return ARI, NMI and ACC of a clustering against known classes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Known classes.
    labels : array-like of shape (n,)
        Clusters found.

    Returns
    -------
    ClusterScores
        The named scores, in the order of the papers' tables.

    Examples
    --------
    >>> score([0, 0, 1, 1], [1, 1, 0, 0])
    ClusterScores(ari=1.0, nmi=1.0, acc=1.0)
    """
    return ClusterScores(
        ari=float(adjusted_rand_score(y, labels)),
        nmi=nmi(y, labels),
        acc=clustering_accuracy(y, labels),
    )


def agreement(labels: npt.ArrayLike, pooled: npt.ArrayLike) -> float:
    """Return how far a clustering agrees with the one found on the pooled data.

    It is the adjusted Rand index between the two label vectors, and needs no known classes.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Clusters found without pooling.
    pooled : array-like of shape (n,)
        Clusters found on the pooled rows, in the same order.

    Returns
    -------
    float
        1 when both are the same partition, about 0 when they are unrelated.

    Examples
    --------
    >>> agreement([2, 2, 0, 1], [0, 0, 1, 2])
    1.0
    """
    return float(adjusted_rand_score(pooled, labels))


def percent_difference(value: float, reference: float) -> float:
    r"""Return by how many per cent a score differs from a reference, without sign.

    .. math:: 100 \, |v - r| / |r|

    Parameters
    ----------
    value : float
        The score.
    reference : float
        What it is compared with: the score of the pooled clustering in the papers' tables.

    Returns
    -------
    float
        At least 0. With ``reference == 0`` there is no scale: the answer is 0 when the two are
        equal and infinity otherwise.

    Examples
    --------
    >>> round(percent_difference(0.752, 0.730), 1)
    3.0
    >>> percent_difference(0.1, 0.0)
    inf
    """
    if reference == 0:
        return 0.0 if value == 0 else float(np.inf)
    return abs(value - reference) / abs(reference) * 100

r"""What the mix of classes of an institution changes in what a model of all institutions says.

A model learnt from the rows of all institutions knows :math:`p(y \mid x)` for rows of the mix
:math:`\pi` of all. Where institutions differ in how often they see a class, and not in what rows of
a class look like, Bayes' theorem gives it for rows of institution i, whose mix is :math:`\pi_i`:

.. math:: p_i(y \mid x) \propto p(y \mid x) \, \frac{\pi_i(y)}{\pi(y)}

Mixes are taken to be drawn around :math:`\pi` from a Dirichlet distribution of concentration s, and
labelled rows from them, :math:`n_i(y)` of each class; then the expected mix is

.. math:: \pi_i(y) = \frac{n_i(y) + s\, \pi(y)}{\sum_y n_i(y) + s}

with the s under which the counts of all institutions are likeliest. Where they differ by chance
alone s is large and nothing is corrected; where each has few of the classes s is small.

All this takes the model at its word, and models do not mean what they say: a network that was
trained for long is too sure, a forest not sure enough. So its scores are first brought to a power,

.. math:: p_i(y \mid x) \propto p(y \mid x)^\beta \, \frac{\pi_i(y)}{\pi(y)}

with the sharpness :math:`\beta` under which rows that it has not seen are likeliest, its logarithm
being taken for a draw of N(0, 1) before any is seen, so that few rows change little (the
temperature of [Guo2017]_ is :math:`1 / \beta`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

__all__ = ["concentration", "count_mixes", "likeliest_sharpness", "log_ratios", "reweigh"]

Array = npt.NDArray[np.float64]

CONCENTRATIONS = (1e-3, 1e6)
"""Between these the likeliest one is looked for."""

SHARPNESS = (0.1, 10.0)
"""Between these, too."""

FLOOR = 1e-3
"""Scores below this count as this: a forest of some dozen trees that all say no is not certain."""


def count_mixes(Y: Array, institutions: npt.NDArray[np.intp], n_institutions: int) -> Array:
    """Count the rows of each class that each institution has.

    Parameters
    ----------
    Y : ndarray of shape (n_rows, n_classes)
        One 1 in each row.
    institutions : ndarray of int of shape (n_rows,)
        Who holds each row, from 0.
    n_institutions : int

    Examples
    --------
    >>> count_mixes(np.eye(2)[[0, 1, 1]], np.array([0, 0, 2]), 3).tolist()
    [[1.0, 1.0], [0.0, 0.0], [0.0, 1.0]]
    """
    counts = np.zeros((n_institutions, Y.shape[1]))
    np.add.at(counts, institutions, Y)
    return counts


def concentration(counts: Array) -> float:
    """Return how alike the mixes of institutions are: the likeliest concentration around the mean.

    Parameters
    ----------
    counts : ndarray of shape (n_institutions, n_classes)
        Labelled rows of each class; at least one in all.

    Examples
    --------
    >>> alike, unlike = np.full((9, 3), 20.0), np.repeat(np.eye(3) * 60, 3, axis=0)
    >>> concentration(alike) > 1e5, concentration(unlike) < 0.1
    (True, True)
    """
    seen = counts.sum(axis=0) > 0
    n = counts[:, seen]
    sizes, common = n.sum(axis=1), n.sum(axis=0) / n.sum()

    def unlikely(log_s: float) -> float:
        s = np.exp(log_s)
        own = gammaln(n + s * common) - gammaln(s * common)
        return float(-(own.sum(axis=1) + gammaln(s) - gammaln(sizes + s)).sum())

    low, high = np.log(CONCENTRATIONS)
    return float(np.exp(minimize_scalar(unlikely, bounds=(low, high), method="bounded").x))


def log_ratios(counts: Array) -> Array:
    """Return log(pi_i / pi) of each institution.

    Parameters
    ----------
    counts : ndarray of shape (n_institutions, n_classes)
        Labelled rows of each class; at least one in all.

    Returns
    -------
    ndarray of shape (n_institutions, n_classes)
        0 for a class that nobody has, and for an institution without labelled rows.

    Examples
    --------
    >>> log_ratios(np.array([[30.0, 10.0], [10.0, 30.0], [0.0, 0.0]])).round(1)
    array([[ 0.4, -0.6],
           [-0.6,  0.4],
           [ 0. ,  0. ]])
    """
    total = counts.sum(axis=0)
    common = total / total.sum()
    own = counts + concentration(counts) * common
    own /= own.sum(axis=1, keepdims=True)
    seen = total > 0
    ratios = np.zeros(counts.shape)
    ratios[:, seen] = np.log(own[:, seen]) - np.log(common[seen])
    return ratios


def likeliest_sharpness(scores: Array, log_ratio: Array, truth: npt.NDArray[np.intp]) -> float:
    """Return the power of scores under which the classes of rows are likeliest.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_classes)
        Of rows the model has not seen.
    log_ratio : ndarray of shape (n_classes,) or (n_rows, n_classes)
        As of :func:`reweigh`.
    truth : ndarray of int of shape (n_rows,)
        The class of each row.

    Examples
    --------
    A model that says nine in ten and is right in six of ten is too sure by far.

    >>> said, truth = np.tile([0.9, 0.1], (1000, 1)), np.repeat([0, 1], [600, 400])
    >>> round(likeliest_sharpness(said, np.zeros(2), truth), 2)
    0.19
    >>> round(likeliest_sharpness(said[:3], np.zeros(2), truth[[0, 1, 999]]), 2)
    0.61
    """
    rows = np.arange(len(truth))

    def unlikely(log_power: float) -> float:
        told = reweigh(scores, log_ratio, float(np.exp(log_power)))[rows, truth]
        return float(log_power**2 / 2 - np.log(np.maximum(told, np.finfo(float).tiny)).sum())

    low, high = np.log(SHARPNESS)
    return float(np.exp(minimize_scalar(unlikely, bounds=(low, high), method="bounded").x))


def reweigh(scores: Array, log_ratio: Array, sharpness: float = 1.0) -> Array:
    """Return what scores become for rows of another mix: probabilities.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_classes)
        Probabilities, or what a regression on the binary matrix of the classes says instead.
    log_ratio : ndarray of shape (n_classes,) or (n_rows, n_classes)
        Of the other mix to the one the scores were learnt with.
    sharpness : float
        The power that makes the scores mean what they say.

    Examples
    --------
    >>> reweigh(np.array([[0.5, 0.5], [0.9, 0.1]]), np.log([0.5, 1.5])).round(2)
    array([[0.25, 0.75],
           [0.75, 0.25]])
    """
    weighed = np.maximum(scores, FLOOR) ** sharpness * np.exp(log_ratio)
    return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))

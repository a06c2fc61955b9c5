"""Nonlinear priors: rows alike teach how the columns that were dropped follow from those kept.

Whoever can compute what the victim would send of some rows, with the anchor or because the rows are
known, learns the way back from examples. Where columns depend on each other by curves, thresholds
or clusters this rebuilds more than any affine guess, and it asks for no rounded columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.ensemble import ExtraTreesRegressor

from consilience.privacy.audits.regression import fit_ridge

__all__ = ["balanced_accuracy", "rebuild_from_examples"]

Array = npt.NDArray[np.float64]

MOST_EXAMPLES = 1_000
WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Widths of the kernel, as multiples of the median squared distance."""
PENALTIES = np.logspace(-6, 1, 8)
N_TREES = 100
HELD_OUT = 4
"""One in so many examples judges which way back is best for a column."""


def rebuild_from_examples(sent: Array, rows: Array, representation: Array, seed: int) -> Array:
    """Rebuild rows by the best of three learners, chosen for each column on held-out examples.

    An affine map; kernel ridge regression on what it leaves; extremely randomised trees that see
    the coordinates and the affine guess.

    Parameters
    ----------
    sent : ndarray of shape (n_examples, n_components)
        What the victim sends of the examples; at most 1,000 are used.
    rows : ndarray of shape (n_examples, n_features)
        The examples: rows alike, or known ones. At least 8.
    representation : ndarray of shape (n_rows, n_components)
        What the victim sent of the rows to rebuild.
    seed : int

    Returns
    -------
    ndarray of shape (n_rows, n_features)

    Examples
    --------
    The second column is the square of the first, which alone is sent.

    >>> x = np.linspace(-1, 1, 101)[:, None]
    >>> X, z = np.hstack([x, x**2]), np.array([[0.5]])
    >>> rebuild_from_examples(x, X, z, seed=0).round(2)
    array([[0.5 , 0.25]])
    """
    sent, rows = sent[:MOST_EXAMPLES], rows[:MOST_EXAMPLES]
    scale = sent.std(axis=0)
    scale[scale == 0] = 1.0
    sent, representation = sent / scale, representation / scale
    judges = np.arange(len(sent)) % HELD_OUT == 0
    learners: tuple[Callable[[Array, Array, Array, int], Array], ...] = (_affine, _kernel, _trees)
    errors = np.stack(
        [
            ((learn(sent[~judges], rows[~judges], sent[judges], seed) - rows[judges]) ** 2).sum(0)
            for learn in learners
        ]
    )
    best = errors.argmin(axis=0)
    result = np.empty((len(representation), rows.shape[1]))
    for place, learn in enumerate(learners):
        if (best == place).any():
            guess = learn(sent, rows, representation, seed)
            result[:, best == place] = guess[:, best == place]
    return result


def balanced_accuracy(
    X: Array, rebuilt: Array, choices: Sequence[Sequence[int]], shares: Array
) -> Array:
    """Return how often each choice is guessed right, every answer counting alike.

    Parameters
    ----------
    X, rebuilt : ndarray of shape (n_rows, n_features)
    choices : sequence of sequence of int
        Columns of 0 and 1: the categories of one variable, or a single column for yes or no.
    shares : ndarray of shape (n_features,)
        How common a 1 is among rows alike; a guess counts by how far it exceeds that.

    Returns
    -------
    ndarray of shape (n_choices,)
        Mean over the answers that occur of the share guessed right; 1 over their number is chance.

    Examples
    --------
    >>> X, guess = np.array([[0.0], [0], [0], [1]]), np.array([[0.1], [0.1], [0.3], [0.4]])
    >>> balanced_accuracy(X, guess, [(0,)], np.array([0.25]))
    array([0.83333333])
    """
    scores = []
    for choice in choices:
        columns = list(choice)
        truth: npt.NDArray[Any]
        told: npt.NDArray[Any]
        if len(columns) == 1:
            truth, told = X[:, columns[0]] > 0.5, rebuilt[:, columns[0]] > shares[columns[0]]
        else:
            truth = X[:, columns].argmax(axis=1)
            told = (rebuilt[:, columns] - shares[columns]).argmax(axis=1)
        scores.append(np.mean([(told[truth == answer] == answer).mean() for answer in set(truth)]))
    return np.array(scores)


def _affine(sent: Array, rows: Array, representation: Array, seed: int) -> Array:
    return fit_ridge(sent, rows).apply(representation)


def _kernel(sent: Array, rows: Array, representation: Array, seed: int) -> Array:
    """Width and penalty are, for each column, those that predict each example from the others."""
    affine = fit_ridge(sent, rows)
    left, guess = rows - affine.apply(sent), affine.apply(representation)
    distances = cdist(sent, sent, "sqeuclidean")
    median = float(np.median(distances)) or 1.0
    away = cdist(representation, sent, "sqeuclidean")
    least = np.full(rows.shape[1], np.inf)
    found = np.zeros_like(guess)
    for width in WIDTHS:
        values, vectors = eigh(np.exp(-distances / (width * median)))
        rotated, kernel = vectors.T @ left, np.exp(-away / (width * median))
        for penalty in PENALTIES:
            shrunk = vectors / (np.maximum(values, 0) + penalty)
            dual = shrunk @ rotated
            # Closed form of the error of each example when it is left out.
            errors = ((dual / (shrunk * vectors).sum(axis=1)[:, None]) ** 2).sum(axis=0)
            better = errors < least
            least[better] = errors[better]
            found[:, better] = kernel @ dual[:, better]
    return np.asarray(guess + found)


def _trees(sent: Array, rows: Array, representation: Array, seed: int) -> Array:
    affine = fit_ridge(sent, rows)
    trees = ExtraTreesRegressor(N_TREES, max_features=1.0, min_samples_leaf=2, random_state=seed)
    trees.fit(np.hstack([sent, affine.apply(sent)]), rows if rows.shape[1] > 1 else rows.ravel())
    told = trees.predict(np.hstack([representation, affine.apply(representation)]))
    return np.asarray(told).reshape(len(representation), -1)

"""How right a model is on rows it has not seen, by folds of the rows it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from consilience.collaboration.learning.label_mix import (
    count_mixes,
    likeliest_sharpness,
    log_ratios,
    reweigh,
)
from consilience.collaboration.learning.model import fit_model

__all__ = ["HeldOut", "learn_sharpness", "predict_held_out"]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Classes of rows, and what a model that had not seen them made of them.

    Examples
    --------
    >>> held = HeldOut(np.array([0, 1, 1]), np.array([0, 1, 0]))
    >>> held.confusion(2).tolist()
    [[1, 0], [1, 1]]
    """

    truth: Codes
    told: Codes

    def confusion(self, n_classes: int) -> npt.NDArray[np.int64]:
        """Count rows by their class (rows) and the one told (columns)."""
        counts = np.zeros((n_classes, n_classes), dtype=np.int64)
        np.add.at(counts, (self.truth, self.told), 1)
        return counts


def predict_held_out(
    estimator: Any,
    Z: Array,
    Y: Array,
    *,
    institutions: Codes | None = None,
    sharpness: float = 1.0,
    n_folds: int = N_FOLDS,
    seed: int = 0,
) -> Codes:
    """Predict the class of each row by a model fitted to the other folds.

    Parameters
    ----------
    estimator : estimator or None
        As of :func:`~consilience.collaboration.learning.model.fit_model`.
    Z : ndarray of shape (n_rows, n_dimensions)
    Y : ndarray of shape (n_rows, n_classes)
        One 1 in each row.
    institutions : ndarray of int of shape (n_rows,), optional
        Who holds each row, from 0, where what is said follows the mix of classes of its institution
        in the other folds.
    sharpness : float
        Of the scores, where it does.
    n_folds : int
        Fewer where there are fewer rows.
    seed : int
        For the folds and the estimator.

    Returns
    -------
    ndarray of int, the column of Y that is told for each row
        A single row has no other to learn from: it is told its own class.

    Examples
    --------
    >>> Z = np.repeat([[0.0], [9.0]], 10, axis=0)
    >>> predict_held_out(None, Z, np.repeat(np.eye(2), 10, axis=0)).tolist() == [0] * 10 + [1] * 10
    True
    """
    told: Codes = Y.argmax(axis=1)
    if len(Y) < 2:
        return told
    for shown, hidden in KFold(min(n_folds, len(Y)), shuffle=True, random_state=seed).split(Z):
        model = fit_model(estimator, Z[shown], Y[shown], "classification", seed)
        scores = model.predict(Z[hidden])
        if institutions is not None:
            ratios = _ratios(Y, institutions, shown, hidden)
            scores = reweigh(scores, ratios, sharpness)
        told[hidden] = scores.argmax(axis=1)
    return told


def learn_sharpness(
    estimator: Any, Z: Array, Y: Array, institutions: Codes, *, seed: int = 0
) -> float:
    """Learn from one fold of the rows to which power the scores of a model are to be taken.

    Parameters
    ----------
    estimator, Z, Y, institutions, seed
        As of :func:`predict_held_out`.

    Returns
    -------
    float
        1 where there are too few rows to hold any out.

    Examples
    --------
    One nearest neighbour is always sure. Of classes that are drawn like coins it knows nothing.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> Z, Y = rng.normal(size=(200, 2)), np.eye(2)[rng.integers(2, size=200)]
    >>> learn_sharpness(KNeighborsClassifier(1), Z, Y, np.zeros(200, dtype=int)) < 0.2
    True
    """
    if len(Y) < N_FOLDS:
        return 1.0
    shown, hidden = next(KFold(N_FOLDS, shuffle=True, random_state=seed).split(Z))
    model = fit_model(estimator, Z[shown], Y[shown], "classification", seed)
    ratios = _ratios(Y, institutions, shown, hidden)
    return likeliest_sharpness(model.predict(Z[hidden]), ratios, Y[hidden].argmax(axis=1))


def _ratios(Y: Array, institutions: Codes, shown: Codes, hidden: Codes) -> Array:
    """Return what the mixes of the rows shown say of each row that is hidden."""
    counts = count_mixes(Y[shown], institutions[shown], int(institutions.max()) + 1)
    return log_ratios(counts)[institutions[hidden]]

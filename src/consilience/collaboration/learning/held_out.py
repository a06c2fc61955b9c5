"""How right a model is on rows it has not seen, by folds of the rows it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from consilience.collaboration.learning.label_mix import count_mixes, log_ratios, reweigh
from consilience.collaboration.learning.model import fit_model

__all__ = ["HeldOut", "predict_held_out"]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


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
    n_folds: int = 5,
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
            ratios = log_ratios(count_mixes(Y[shown], institutions[shown], institutions.max() + 1))
            scores = reweigh(scores, ratios[institutions[hidden]])
        told[hidden] = scores.argmax(axis=1)
    return told

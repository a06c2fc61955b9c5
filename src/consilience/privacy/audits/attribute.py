"""Attribute inference: what labels and ranks tell of the columns behind them.

A peer of a consensus (VertCoHiRF, [Belucci2026]_) sends no value of its columns, but it sends
the local cluster of every row and the order of rows inside each consensus cluster. A row-mate who
knows some rows of the victim learns to read the victim's columns from them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.preprocessing import OneHotEncoder

__all__ = ["infer_attributes", "message_features"]

Array = npt.NDArray[np.float64]

N_TREES = 100


def message_features(
    labels: npt.NDArray[np.int64], ranks: npt.NDArray[np.float64] | None = None
) -> Array:
    """Write what a peer sent about each row as columns a learner can use.

    Parameters
    ----------
    labels : ndarray of shape (n_rows, n_messages), int64
        Local cluster of each row in each label message.
    ranks : ndarray of shape (n_rows, n_rank_messages), optional
        Position of the row in its consensus cluster's order, from 0 (first) to 1 (last); NaN
        where the row was not ranked.

    Returns
    -------
    ndarray of shape (n_rows, n_labels + 2 * n_rank_messages)

    Examples
    --------
    >>> message_features(np.array([[0], [1]]), np.array([[0.5], [np.nan]]))
    array([[ 1. ,  0. ,  0.5,  1. ],
           [ 0. ,  1. , -1. ,  0. ]])
    """
    parts = [np.asarray(OneHotEncoder(sparse_output=False).fit_transform(labels))]
    if ranks is not None:
        parts += [np.where(np.isnan(ranks), -1.0, ranks), (~np.isnan(ranks)).astype(float)]
    return np.hstack(parts)


def infer_attributes(
    own: Array,
    told: Array | None,
    known: npt.NDArray[np.intp],
    values: Array,
    seed: int,
) -> Array:
    """Predict the victim's columns for every row, from the rows already known.

    Parameters
    ----------
    own : ndarray of shape (n_rows, n_own_features)
        The attacker's own columns of the same rows.
    told : ndarray of shape (n_rows, n_told), optional
        What the victim sent, by :func:`message_features`; None is the control, an attacker who
        received nothing.
    known : ndarray of shape (n_known,), int
        Places of the rows whose values the attacker knows.
    values : ndarray of shape (n_known, n_features)
        The victim's columns of those rows.
    seed : int

    Returns
    -------
    ndarray of shape (n_rows, n_features)

    Notes
    -----
    Extremely randomised trees, 100 of them, all features tried at each split.
    """
    features = own if told is None else np.hstack([own, told])
    trees = ExtraTreesRegressor(N_TREES, max_features=1.0, random_state=seed)
    # One target goes in as a vector: scikit-learn warns about a single column.
    trees.fit(features[known], values.ravel() if values.shape[1] == 1 else values)
    return np.asarray(trees.predict(features)).reshape(len(features), -1)

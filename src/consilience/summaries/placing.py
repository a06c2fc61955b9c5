"""Which cluster each row belongs to, as a party finds out at home."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError
from consilience.messages import Summary
from consilience.summaries.mixture import Mixture
from consilience.summaries.units import Units

__all__ = ["place_rows"]


def place_rows(units: Units, X: npt.NDArray[np.float64], answer: Summary) -> npt.NDArray[np.int64]:
    """Return the place of each row's cluster in an answer: the nearest, or the likeliest.

    Parameters
    ----------
    units : Units
    X : ndarray of shape (n_rows, n_features)
        As the schema encodes them.
    answer : Summary
        With covariances it is a mixture, and the likeliest cluster is meant.

    Examples
    --------
    >>> units = Units(np.zeros(1), np.full(1, 10.0), np.full(1, 10.0))
    >>> head = {"study": "", "sender": "analyst", "recipient": "a", "weights": np.ones(2)}
    >>> wide = Summary(**head, centers=np.array([[2.0], [8.0]]),
    ...                covariances=np.array([[[0.25]], [[0.0025]]]))
    >>> place_rows(units, np.array([[0.0], [6.0], [8.0]]), wide)
    array([0, 0, 1])
    """
    if answer.covariances is None:
        return units.nearest(X, answer.centers)
    mixture = Mixture(
        np.maximum(answer.weights, 1e-9) / answer.weights.sum(),
        units.scale(answer.centers),
        answer.covariances,
    )
    try:
        found = mixture.memberships(units.scale(X)).argmax(axis=1)
    except np.linalg.LinAlgError:
        raise MessageError(
            "a covariance of the answer is not positive definite: no cluster has this shape. Ask "
            "the analyst."
        ) from None
    return np.asarray(found, dtype=np.int64)

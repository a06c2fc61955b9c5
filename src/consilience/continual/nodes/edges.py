"""Which edges are too old: the edge deletion threshold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["deletion_threshold"]


def deletion_threshold(
    ages: npt.NDArray[np.int64], deleted_mean: float, n_deleted: int, whisker: float
) -> float:
    r"""Return the age above which an edge of the winner is deleted.

    .. math:: a_{max} = \bar\alpha_{del} w + \left(\alpha_{0.75}
              + \text{whisker} \cdot \mathrm{IQR}(\alpha)\right) (1 - w), \qquad
              w = \frac{|\alpha_{del}|}{|\alpha_{del}| + |\alpha|}

    which is Eqs. (27) and (28) of [Masuyama2024]_ (there whisker = 1).

    Parameters
    ----------
    ages : ndarray of shape (n_edges,)
        Ages of the edges of the winner, each >= 1.
    deleted_mean : float
        Mean age of the edges deleted so far.
    n_deleted : int
        How many they are.
    whisker : float
        Weight of the interquartile range, >= 0.

    Returns
    -------
    float
        The threshold; infinity if nothing may be deleted.

    Notes
    -----
    The quartiles are the medians of the ages strictly below and strictly above the median. If
    either side is empty the spread of the ages is unknown and no edge is deleted.

    Examples
    --------
    >>> deletion_threshold(np.array([1, 2, 3, 4, 9]), 0.0, 0, 1.0)
    11.5
    >>> deletion_threshold(np.array([1, 2, 3, 4, 9]), 1.5, 5, 1.0)
    6.5
    >>> deletion_threshold(np.array([3, 3, 3]), 1.5, 5, 1.0)
    inf
    """
    middle = np.median(ages) if ages.size else 0.0
    below, above = ages[ages < middle], ages[ages > middle]
    if not below.size or not above.size:
        return float("inf")
    q1, q3 = float(np.median(below)), float(np.median(above))
    weight = n_deleted / (n_deleted + ages.size)
    return deleted_mean * weight + (q3 + whisker * (q3 - q1)) * (1.0 - weight)

"""Known rows: somebody knows a few of the victim's rows and learns the rest from them.

The analyst may know patients of the victim (its own employees, a published case); a row-mate, who
holds other columns of the same people, may know some of them too, and holds the shared coordinates
Z of all of them if the study answers with more than labels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.privacy.audits.regression import fit_ridge

__all__ = ["rebuild_from_known_rows"]

Array = npt.NDArray[np.float64]


def rebuild_from_known_rows(
    known: Array, known_representation: Array, representation: Array
) -> Array:
    """Rebuild rows by the affine map that predicts the known rows best, each from the others.

    Parameters
    ----------
    known : ndarray of shape (n_known, n_features)
        Rows of the victim whose values the attacker knows.
    known_representation : ndarray of shape (n_known, n_dimensions)
        What the victim sent of those rows, or their shared coordinates Z.
    representation : ndarray of shape (n_rows, n_dimensions)
        The same of the rows to rebuild.

    Returns
    -------
    ndarray of shape (n_rows, n_features)

    Notes
    -----
    Ridge regression, its penalty chosen by leaving out one known row at a time: with about as many
    known rows as dimensions plain least squares would follow whatever the reduction dropped.

    Examples
    --------
    >>> known = np.array([[20.0, 1.0], [40.0, 2.0], [60.0, 3.0]])
    >>> sent = known[:, :1] / 10 - 3
    >>> rebuild_from_known_rows(known, sent, np.array([[0.0], [2.0]])).round(3)
    array([[30. ,  1.5],
           [50. ,  2.5]])
    """
    if len(known) < 2:
        raise ValueError(
            f"{len(known)} known rows were given, must be >= 2: one row determines no map."
        )
    return fit_ridge(known_representation, known).apply(representation)

r"""SMOTE anchors: points between and beyond neighbouring public rows.

Algorithm 2 of [Imakura2023]_. For each normalised public row :math:`x_i` and one of its k nearest
neighbours :math:`\check x_i`,

.. math:: x = x_i + c\,(\check x_i - x_i), \qquad c \sim U(0, \alpha).

Over all pairs the variance of such points is :math:`(\tfrac23\alpha^2 - \alpha + 1)` times that of
the public rows: :math:`\alpha = 1.5` keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors

from consilience.exceptions import StudyError
from consilience.study.keys import derive_key, draw_uniform

__all__ = ["MAX_NEIGHBORS", "Smote"]

Array = npt.NDArray[np.float64]

MAX_NEIGHBORS = 99


@dataclass(frozen=True, eq=False)
class Smote:
    """Anchor rows made from public rows by the extension of SMOTE (Alg. 2).

    Parameters
    ----------
    public : array-like of shape (n_public, n_features)
        Rows that anyone may see, with *all* columns of the study in their order. They need no
        labels. No party's rows may be among them.
    n_neighbors : int, optional
        k: between 1 and ``n_public - 1``; None means 99, or ``n_public - 1`` if that is less.
    alpha : float, default 1.5
        Above 1 points also lie beyond the neighbour.

    Notes
    -----
    Draws are common to all columns, so every party draws with one key: with it, a party knows the
    anchor of the other columns too. Public rows say nothing about anybody's own rows, but whoever
    has the key and the public rows can run the collusion attack of the threat model.

    Line 1 says "normalize" and no more; here a feature is divided by its standard deviation among
    the public rows, and constant features are left alone. Line 4 draws with replacement. When
    ``n_anchor`` is no multiple of ``n_public`` the first rows get one point more. Within a row's
    neighbours the order is that of the public rows, so that ties of distance do not matter.

    Examples
    --------
    >>> public = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
    >>> anchor = Smote(public).draw(bytes(32), 6)
    >>> anchor.shape, np.allclose(anchor[:, 1], 2 * anchor[:, 0])
    ((6, 2), True)
    """

    public: npt.ArrayLike
    n_neighbors: int | None = None
    alpha: float = 1.5

    def rows(self) -> Array:
        """Return the public rows, checked."""
        public = np.asarray(self.public, dtype=np.float64)
        if public.ndim != 2:
            raise StudyError(f"public rows have {public.ndim} dimensions, must be a table of 2.")
        if not np.isfinite(public).all():
            n_bad = int((~np.isfinite(public)).any(axis=1).sum())
            raise StudyError(
                f"{n_bad} of the {len(public)} public rows have missing or infinite values: "
                f"neighbours need every value. Drop these rows or fill them in."
            )
        if len(public) < 2:
            raise StudyError(
                f"there are {len(public)} public rows, must be >= 2: none is a "
                f"neighbour of another."
            )
        return public

    def draw(self, key: bytes, n_anchor: int) -> Array:
        """Draw the anchor of all columns.

        Parameters
        ----------
        key : bytes
            One secret of all parties.
        n_anchor : int
            r in the paper.

        Returns
        -------
        ndarray of shape (n_anchor, n_features)
        """
        public = self.rows()
        p, k = len(public), self._n_neighbors(len(public))
        if not self.alpha > 0:
            raise StudyError(f"alpha == {self.alpha}, must be > 0: else rows are only repeated.")
        spread = public.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        normal = public / scale  # line 1
        neighbors = _neighbors(normal, k)  # line 3
        origin = np.sort(np.arange(n_anchor) % p)  # lines 2 and 5
        draws = draw_uniform(derive_key(key, "anchor smote"), (2, n_anchor))
        chosen = neighbors[origin, (draws[0] * k).astype(np.intp)]  # line 4
        step = self.alpha * draws[1][:, None]
        anchor = normal[origin] + step * (normal[chosen] - normal[origin])  # line 6
        return np.asarray(anchor * scale)  # line 10

    def _n_neighbors(self, n_public: int) -> int:
        if self.n_neighbors is None:
            return min(MAX_NEIGHBORS, n_public - 1)
        if not 1 <= self.n_neighbors < n_public:
            raise StudyError(
                f"n_neighbors == {self.n_neighbors}, must be between 1 and {n_public - 1}: there "
                f"are {n_public} public rows, and none is its own neighbour. Lower n_neighbors or "
                f"supply more public rows."
            )
        return self.n_neighbors


def _neighbors(X: Array, k: int) -> npt.NDArray[np.intp]:
    """Return the k nearest other rows of each row, in the order of the rows."""
    found = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)
    return np.asarray(np.sort(found, axis=1))

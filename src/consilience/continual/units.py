"""In which units are nodes compared: the features' own, or fractions of their public range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Units"]

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Units:
    """A change of units by public bounds, known to all parties before anything is sent.

    Parameters
    ----------
    lower, upper : ndarray of shape (n_features,), or None
        Public bounds; without them everything stays in the features' own units.

    Examples
    --------
    >>> units = Units(np.array([0.0, 10.0]), np.array([5.0, 20.0]))
    >>> units.scale(np.array([[1.0, 15.0]])).tolist()
    [[0.2, 0.5]]
    >>> units.restore(np.array([[0.2, 0.5]])).tolist()
    [[1.0, 15.0]]
    """

    lower: FloatArray | None = None
    upper: FloatArray | None = None

    def scale(self, X: FloatArray) -> FloatArray:
        """Return rows as fractions of the range of each feature."""
        if self.lower is None or self.upper is None:
            return X
        scaled: FloatArray = (X - self.lower) / (self.upper - self.lower)
        return scaled

    def restore(self, Z: FloatArray) -> FloatArray:
        """Undo :meth:`scale`."""
        if self.lower is None or self.upper is None:
            return Z
        restored: FloatArray = self.lower + Z * (self.upper - self.lower)
        return restored

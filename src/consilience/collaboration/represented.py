"""Estimators whose rows have one collaboration representation: they transform, too."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.collaboration.federation import Federation

__all__ = ["Represented"]


class Represented(ClassNamePrefixFeaturesOutMixin, TransformerMixin):  # type: ignore[misc]
    """Puts rows into the representation that the institutions share.

    A study by files gives no such coordinates to an institution, unless it agreed on
    ``answer = "representation"``: here, one process holds all roles. Where groups of institutions
    have models of their own, rows of two groups cannot be compared, and nothing transforms them.
    """

    _federation: Federation[Any, Any]

    def transform(self, X: Any, parties: Any = None) -> npt.NDArray[np.float64]:
        """Return the collaboration representation of rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        parties : array-like of shape (n_rows,), optional
            The institution each row belongs to, one of ``parties_``.

        Returns
        -------
        ndarray of shape (n_rows, n_dimensions)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._federation.represent(X, parties)

    def fit_transform(self, X: Any, y: Any = None, parties: Any = None) -> Any:
        """Fit, and return the collaboration representation of the same rows."""
        fitted: Self = self.fit(X, y, parties)
        return fitted.transform(X, parties)

    @property
    def _n_features_out(self) -> int:
        """The number of shared dimensions."""
        return int(self._federation.analyst.rows.shape[1])

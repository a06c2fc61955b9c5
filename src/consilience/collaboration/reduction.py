r"""The private reduction f_ij of a party: from its columns to fewer dimensions.

Every reduction by name is affine (Eq. 13 of [Kawamata2025]_),

.. math:: f(X) = (X - 1\mu) F,

so that a party can keep it as two arrays. ``n_components`` defaults to one less than the number of
columns, as in the papers. That is *weak against collusion*: an analyst who gets the anchor from one
party can then rebuild another party's rows almost exactly. About half of the columns costs little
accuracy and blunts the attack; see the threat model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone

from consilience.collaboration.anchors.keyed import SPREAD
from consilience.collaboration.axes import AXES, BY_BLOCKS, SUPERVISED
from consilience.collaboration.moments import Scaled, column_means, column_spreads, row_blocks
from consilience.collaboration.paging import empty_pages

__all__ = [
    "AffineReduction",
    "Reduction",
    "column_scaling",
    "default_n_components",
    "fit_reduction",
]

Array = npt.NDArray[np.float64]
Scaling = Literal["none", "local", "bounds", "spread"]


class Reduction(Protocol):
    """What a party keeps of its reduction: a map from its columns to fewer."""

    def transform(self, X: Array) -> Array:
        """Reduce rows."""


@dataclass(frozen=True, eq=False)
class AffineReduction:
    """The map ``(X - mean) @ components``."""

    mean: Array
    components: Array

    def transform(self, X: Array) -> Array:
        """Reduce rows, without a centred copy of them."""
        result = empty_pages(len(X), self.components.shape[1])
        np.matmul(X, self.components, out=result)
        result -= self.mean @ self.components
        return result


@dataclass(frozen=True, eq=False)
class _Composed:
    """A user's transformer between a scaling and a rotation."""

    shift: Array
    scale: Array
    transformer: Any
    rotation: Array | None

    def transform(self, X: Array) -> Array:
        reduced = self.transformer.transform((X - self.shift) / self.scale)
        reduced = np.asarray(reduced, dtype=np.float64)
        return reduced if self.rotation is None else reduced @ self.rotation


def default_n_components(n_features: int) -> int:
    """Return m - 1, the papers' choice; a single column stays a single column."""
    return max(1, n_features - 1)


def fit_reduction(
    X: Array,
    reducer: Any = "pca",
    n_components: int | None = None,
    *,
    scaling: Scaling = "none",
    bounds: tuple[Array, Array] | None = None,
    rotate: bool = False,
    y: npt.NDArray[Any] | pd.Categorical | None = None,
    rng: np.random.Generator,
) -> Reduction:
    """Fit the private reduction of one party on its own rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    reducer : {"pca", "svd", "random", "lpp", "nmf", "lda", "lfda"} or transformer
        How the directions are chosen, see :mod:`consilience.collaboration.axes`; or any object
        with ``fit`` and ``transform``, which then decides itself how many dimensions to keep.
    n_components : int, default n_features - 1
        Between 1 and ``n_features``. A party with too few rows to determine so many directions
        gets its basis completed to an orthonormal one.
    scaling : {"none", "local", "bounds", "spread"}
        ``local`` divides each column by the party's own standard deviation, so parties disagree
        about the units; ``bounds`` maps the public bounds to [0, 1] at every party alike;
        ``spread`` takes a quarter of their width for 1.
    bounds : pair of ndarray of shape (n_features,), optional
        Public bounds, for ``scaling="bounds"``; for ``"spread"``, where columns usually lie.
    rotate : bool
        Mix the kept dimensions by a random rotation of the party's own.
    y : ndarray of shape (n_rows,), or Categorical, optional
        Labels, for a supervised reducer.
    rng : numpy.random.Generator
        The party's own randomness.

    Returns
    -------
    Reduction

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    >>> f = fit_reduction(X, "pca", rng=np.random.default_rng(0))
    >>> f.transform(X).round(2).ravel()
    array([-3.35, -1.12,  1.12,  3.35])
    """
    n_features = X.shape[1]
    shift, scale = column_scaling(X, scaling, bounds)
    scaled: Array | Scaled = X
    if scaling != "none":
        by_blocks = isinstance(reducer, str) and reducer in BY_BLOCKS
        scaled = Scaled(X, shift, scale) if by_blocks else (X - shift) / scale
    if not isinstance(reducer, str):
        transformer = clone(reducer)
        transformer.fit(scaled) if y is None else transformer.fit(scaled, y)
        width = transformer.transform((X[:1] - shift) / scale).shape[1]
        return _Composed(shift, scale, transformer, _rotation(width, rng) if rotate else None)
    if reducer not in AXES:
        raise ValueError(
            f"reducer == {reducer!r}, must be one of {sorted(AXES)}, or a transformer with fit "
            f"and transform."
        )
    if reducer in SUPERVISED and y is None:
        raise ValueError(
            f"reducer == {reducer!r} needs labels, but none were given. Pass y, or choose an "
            f"unsupervised reducer such as 'pca'."
        )
    k = default_n_components(n_features) if n_components is None else n_components
    if not 1 <= k <= n_features:
        raise ValueError(
            f"n_components == {k}, must be between 1 and {n_features}, the number of columns "
            f"this party holds. Lower it in the study."
        )
    mean, components = AXES[reducer](scaled, k, y, rng)
    if rotate:
        components = components @ _rotation(k, rng)
    if scaling != "none":
        components = components / scale[:, None]
    return AffineReduction(shift + mean * scale, components)


def column_scaling(
    X: Array, scaling: Scaling, bounds: tuple[Array, Array] | None
) -> tuple[Array, Array]:
    """Return what is subtracted from each column before the reduction, and what it is divided by.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Only ``local`` looks at rows.
    scaling, bounds
        As in :func:`fit_reduction`.
    """
    n_features = X.shape[1]
    if scaling == "none":
        return np.zeros(n_features), np.ones(n_features)
    if scaling == "local":
        shift, scale = column_means(X), column_spreads(row_blocks(X))
    elif scaling in ("bounds", "spread"):
        if bounds is None:
            raise ValueError(f"scaling == {scaling!r} needs public bounds, but none were given.")
        shift, scale = bounds[0], bounds[1] - bounds[0]
        scale = scale if scaling == "bounds" else scale / SPREAD
    else:
        raise ValueError(f"scaling == {scaling!r}, must be 'none', 'local', 'bounds' or 'spread'.")
    return shift, np.where(scale > 0, scale, 1.0)


def _rotation(k: int, rng: np.random.Generator) -> Array:
    """Draw an orthogonal matrix uniformly (Haar measure)."""
    Q, R = np.linalg.qr(rng.normal(size=(k, k)))
    return np.asarray(Q * np.sign(np.diag(R)))

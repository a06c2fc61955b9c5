r"""Unmixing: the analyst alone looks for the anchor in what the parties sent of it.

The parties of one column send :math:`\tilde A_i = (A - 1\mu_i) F_i` of one anchor A. If the columns
of A are independent and not gaussian, independent component analysis of the stacked
:math:`[\tilde A_1, \dots, \tilde A_c]` finds them up to order, sign and scale. The
scale is public (the study says how the anchor is drawn); order and sign are left to guess, see
:mod:`~consilience.privacy.audits.matching`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

from consilience.privacy.audits.regression import AffineMap, fit_affine

__all__ = ["independent_components", "unmix"]

Array = npt.NDArray[np.float64]

RANK_TOLERANCE = 1e-8
MAX_ITER = 100


def unmix(anchor_representations: Sequence[Array], n_features: int, seed: int) -> AffineMap:
    """Find independent components of the anchor, and the map of the victim's rows onto them.

    Parameters
    ----------
    anchor_representations : sequence of ndarray of shape (n_anchor, n_components_i)
        What the parties of one column sent of the anchor, the victim's first.
    n_features : int
        Columns of the schema: there are at most so many components.
    seed : int

    Returns
    -------
    AffineMap
        From what the victim sends of a row to its coordinates on the components, in units of the
        anchor's standard deviation, centred at the mean of the anchor.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, F = rng.uniform(-1, 1, size=(2000, 2)), np.array([[0.6, 0.8], [-0.8, 0.6]])
    >>> X = np.array([[0.5, 0.0]])
    >>> found = unmix([A @ F], 2, seed=0).apply(X @ F) / np.sqrt(3)    # sd of A is 1 / sqrt(3)
    >>> sorted(np.abs(found).round(1).ravel().tolist())
    [0.0, 0.5]
    """
    stacked = np.hstack(anchor_representations)
    sources = independent_components(stacked - stacked.mean(axis=0), n_features, seed)
    return fit_affine(anchor_representations[0], sources)


def independent_components(
    stacked: Array, n_features: int, seed: int, max_iter: int = MAX_ITER
) -> Array:
    """Look for independent, not gaussian columns of which all columns given are mixtures.

    Parameters
    ----------
    stacked : ndarray of shape (n_anchor, n_columns)
        What the parties sent of the anchor, side by side; of mean 0.
    n_features : int
        There are at most so many components.
    seed, max_iter : int

    Returns
    -------
    ndarray of shape (n_anchor, n_found)
        With mean 0 and standard deviation 1; order and sign are arbitrary.
    """
    values = np.linalg.svd(stacked, compute_uv=False)
    rank = int((values > RANK_TOLERANCE * values[0]).sum())
    ica = FastICA(
        min(rank, n_features),
        whiten="unit-variance",
        max_iter=max_iter,
        tol=1e-3,
        random_state=seed,
    )
    with warnings.catch_warnings():
        # A gaussian anchor has no independent components to converge to: that is its purpose.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(ica.fit_transform(stacked))

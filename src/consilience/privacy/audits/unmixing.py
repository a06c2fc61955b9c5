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

__all__ = ["unmix"]

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
    stacked = stacked - stacked.mean(axis=0)
    values = np.linalg.svd(stacked, compute_uv=False)
    rank = int((values > RANK_TOLERANCE * values[0]).sum())
    ica = FastICA(
        min(rank, n_features),
        whiten="unit-variance",
        max_iter=MAX_ITER,
        tol=1e-3,
        random_state=seed,
    )
    with warnings.catch_warnings():
        # A gaussian anchor has no independent components to converge to: that is its purpose.
        warnings.simplefilter("ignore", ConvergenceWarning)
        sources = ica.fit_transform(stacked)
    return fit_affine(anchor_representations[0], sources)

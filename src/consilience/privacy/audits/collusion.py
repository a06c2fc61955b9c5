r"""Collusion: the analyst and a party that holds the anchor rebuild another party's rows.

The analyst received :math:`\tilde A = f(A)` and :math:`\tilde X = f(X)` from the victim; any party
of the same columns holds A. Together they hold inputs and outputs of f. The text of
[Kawamata2025]_ (section 4.2) names this attack and leaves it open.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, solve
from scipy.spatial.distance import cdist

from consilience.privacy.audits.regression import fit_affine

__all__ = ["curved_inverse", "invert", "invert_with_prior"]

Array = npt.NDArray[np.float64]

RIDGE = 1e-9
CURVED_ROWS = 1_000
PENALTIES = np.logspace(-9, 1, 11)


def invert(anchor: Array, anchor_representation: Array, representation: Array) -> Array:
    r"""Rebuild rows by the affine map that leads the represented anchor back to the anchor.

    .. math:: \hat X = [\tilde X, 1]\, [\tilde A, 1]^\dagger A

    Parameters
    ----------
    anchor : ndarray of shape (n_anchor, n_features)
        What the colluding party gives.
    anchor_representation : ndarray of shape (n_anchor, n_components)
    representation : ndarray of shape (n_rows, n_components)
        What the analyst gives.

    Returns
    -------
    ndarray of shape (n_rows, n_features)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, X, F = rng.normal(size=(9, 3)), rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
    >>> np.allclose(invert(A, (A - 2) @ F, (X - 2) @ F), X)
    True
    """
    return fit_affine(anchor_representation, anchor).apply(representation)


def invert_with_prior(
    anchor: Array,
    anchor_representation: Array,
    representation: Array,
    mean: Array,
    covariance: Array,
    noise: Array | None = None,
) -> Array:
    r"""Rebuild rows with the colluding party's own rows as a prior.

    The map f is estimated from the anchor, :math:`\tilde A \approx A F + 1 b` with residual
    covariance R, which also holds any noise and curvature. If the victim's rows are like the
    colluder's, :math:`x \sim N(\mu, C)`, the best guess is

    .. math:: \hat x = \mu + (\tilde x - \mu F - b)(F^T (C + N) F + R)^{-1} F^T C ,

    with N the covariance of noise that the study adds to rows and not to the anchor.

    Parameters
    ----------
    anchor, anchor_representation, representation
        As in :func:`invert`. It takes more anchor rows than columns to determine f.
    mean : ndarray of shape (n_features,)
    covariance : ndarray of shape (n_features, n_features)
        Of rows the colluding party holds.
    noise : ndarray of shape (n_features, n_features), optional
        Covariance of the noise on each row; how much there is, is a public term.

    Examples
    --------
    One dimension is kept of two columns that always agree; the prior knows that they do.

    >>> A = np.random.default_rng(0).normal(size=(9, 2))
    >>> f = lambda x: x[:, :1]
    >>> X = np.array([[3.0, 3.0]])
    >>> invert_with_prior(A, f(A), f(X), np.zeros(2), np.ones((2, 2))).round(3)
    array([[3., 3.]])
    """
    f = fit_affine(anchor, anchor_representation)
    residual = anchor_representation - f.apply(anchor)
    freedom = max(1, len(anchor) - anchor.shape[1] - 1)
    varied = covariance if noise is None else covariance + noise
    seen = f.linear.T @ varied @ f.linear + residual.T @ residual / freedom
    seen += RIDGE * max(float(np.trace(seen)), np.finfo(float).tiny) * np.eye(len(seen))
    gain = solve(seen, f.linear.T @ covariance, assume_a="pos")
    return np.asarray(mean + (representation - mean @ f.linear - f.offset) @ gain)


def curved_inverse(anchor: Array, anchor_representation: Array, representation: Array) -> Array:
    """Rebuild rows by a curved inverse: kernel ridge regression on what the affine one leaves.

    For reductions that are not affine. At most 1,000 anchor rows are used; the width of the
    radial kernel is the median distance between them, and the penalty is the one that predicts
    each anchor row best from the others.

    Examples
    --------
    >>> A = np.linspace(-1, 1, 50)[:, None]
    >>> x = np.array([[0.5]])
    >>> round(invert(A, np.tanh(2 * A), np.tanh(2 * x)).item(), 2)
    0.61
    >>> round(curved_inverse(A, np.tanh(2 * A), np.tanh(2 * x)).item(), 2)
    0.5
    """
    S, A = anchor_representation[:CURVED_ROWS], anchor[:CURVED_ROWS]
    distances = cdist(S, S, "sqeuclidean")
    width = float(np.median(distances)) or 1.0
    affine = fit_affine(S, A)
    left = A - affine.apply(S)
    values, vectors = eigh(np.exp(-distances / width))
    rotated = vectors.T @ left
    errors, weights = [], []
    for penalty in PENALTIES:
        shrunk = vectors / (np.maximum(values, 0) + penalty)
        # Closed form of the error of each row when it is left out.
        dual = shrunk @ rotated
        errors.append(float(((dual / (shrunk * vectors).sum(axis=1)[:, None]) ** 2).sum()))
        weights.append(dual)
    best = weights[int(np.argmin(errors))]
    kernel = np.exp(-cdist(representation, S, "sqeuclidean") / width)
    return np.asarray(affine.apply(representation) + kernel @ best)

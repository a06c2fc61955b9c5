r"""Unmixing: the analyst alone looks for the anchor in what the parties sent of it.

The parties of one column send :math:`\tilde A_i = (A - 1\mu_i) F_i` of one anchor A. If the columns
of A are independent and not gaussian, independent component analysis of the stacked
:math:`[\tilde A_1, \dots, \tilde A_c]` finds them up to order, sign and scale. The
scale is public (the study says how the anchor is drawn); order and sign must be guessed from
what is known of the columns. With the anchor in hand the attack goes on as collusion does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

from consilience.privacy.audits.regression import AffineMap, fit_affine

__all__ = ["PublicKnowledge", "match_with_oracle", "match_without_oracle", "unmix"]

Array = npt.NDArray[np.float64]

RANK_TOLERANCE = 1e-8
BOUNDS_STEPS = 101
MAX_ITER = 100


@dataclass(frozen=True, eq=False)
class PublicKnowledge:
    """What the analyst knows of the columns before it receives anything.

    Parameters
    ----------
    anchor_mean, anchor_sd : ndarray of shape (n_features,)
        Of the distribution the study draws the anchor from.
    lower, upper : ndarray of shape (n_features,)
        The public bounds.
    quantiles : ndarray of shape (n_quantiles, n_features), optional
        Of each column in some population like the victim's, from the least to the largest, as a
        statistical office might publish them.
    """

    anchor_mean: Array
    anchor_sd: Array
    lower: Array
    upper: Array
    quantiles: Array | None = None


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


def match_without_oracle(found: Array, known: PublicKnowledge) -> Array:
    """Give each component a column, a sign and units by what is public, and rebuild the rows.

    Each component is tried as each column with each sign; the total distance between what would
    be rebuilt and the public quantiles is made least. Without quantiles only the bounds speak.

    Parameters
    ----------
    found : ndarray of shape (n_rows, n_found)
        Coordinates of the rows on the components, by :func:`unmix`.
    known : PublicKnowledge

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        Columns no component was left for are guessed by the middle of what is known of them.
    """
    n_steps = BOUNDS_STEPS if known.quantiles is None else len(known.quantiles)
    # Quantiles of a scaled and shifted component are its own, scaled and shifted.
    up = np.quantile(found, np.linspace(0, 1, n_steps), axis=0)
    costs = np.empty((2, found.shape[1], len(known.anchor_mean)))
    for s, steps in enumerate((up, -up[::-1])):
        for k in range(found.shape[1]):
            guess = known.anchor_mean + known.anchor_sd * steps[:, k, None]
            costs[s, k] = _implausibility(guess, known)
    signs = np.where(costs[0] <= costs[1], 1.0, -1.0)
    components, columns = linear_sum_assignment(costs.min(axis=0))
    return _assemble(found, known, components, columns, signs[components, columns])


def match_with_oracle(found: Array, known: PublicKnowledge, X: Array) -> Array:
    """Give each component its column and sign by correlation with the truth: an upper bound.

    Parameters
    ----------
    found : ndarray of shape (n_rows, n_found)
    known : PublicKnowledge
    X : ndarray of shape (n_rows, n_features)
        The victim's rows, which no attacker holds.
    """
    a, b = found - found.mean(axis=0), X - X.mean(axis=0)
    a_norm, b_norm = np.linalg.norm(a, axis=0), np.linalg.norm(b, axis=0)
    a_norm[a_norm == 0], b_norm[b_norm == 0] = 1.0, 1.0
    correlation = (a / a_norm).T @ (b / b_norm)
    components, columns = linear_sum_assignment(-np.abs(correlation))
    signs = np.where(correlation[components, columns] < 0, -1.0, 1.0)
    return _assemble(found, known, components, columns, signs)


def _implausibility(guess: Array, known: PublicKnowledge) -> Array:
    """Return, per column, how far the quantiles of a guess lie from what is public."""
    width = np.where(known.upper > known.lower, known.upper - known.lower, 1.0)
    if known.quantiles is None:
        beyond = np.maximum(known.lower - guess, 0) + np.maximum(guess - known.upper, 0)
        return np.asarray(beyond.mean(axis=0) / width)
    spread = known.quantiles.std(axis=0)
    spread = np.where(spread > 0, spread, width)
    distance = np.abs(guess - known.quantiles).mean(axis=0)
    return np.asarray(distance / spread)


def _assemble(
    found: Array,
    known: PublicKnowledge,
    components: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
    signs: Array,
) -> Array:
    middle = known.anchor_mean if known.quantiles is None else known.quantiles.mean(axis=0)
    rebuilt = np.repeat(middle[None, :], len(found), axis=0)
    scaled = found[:, components] * (signs * known.anchor_sd[columns])
    rebuilt[:, columns] = known.anchor_mean[columns] + scaled
    return rebuilt

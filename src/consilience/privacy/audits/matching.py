"""Matching: which component of an unmixed anchor is which column, and which way up.

Independent components have no names and no signs. An analyst who knows how such columns are
distributed elsewhere, and how they depend on each other, finds both; with the rows then rebuilt in
the units of the study the attack goes on as collusion does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

__all__ = ["PublicKnowledge", "correlate", "match_with_oracle", "match_without_oracle"]

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

BOUNDS_STEPS = 101
INFORMATION = 3.0
"""Quantiles of a column move together: all say about as much as so many independent figures."""
LOOSE = 0.1
"""Populations differ: published figures are off by so many standard deviations, beside chance."""
N_STARTS = 40
MAX_ROUNDS = 30


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
    correlation : ndarray of shape (n_features, n_features), optional
        Between the columns in such a population, as an article might print it.
    """

    anchor_mean: Array
    anchor_sd: Array
    lower: Array
    upper: Array
    quantiles: Array | None = None
    correlation: Array | None = None


def match_without_oracle(found: Array, known: PublicKnowledge) -> Array:
    r"""Give each component a column and a sign by what is public, and rebuild the rows.

    Component k as column j with sign s costs :math:`c_{skj}`, how far its quantiles lie from the
    published ones in units of their sampling error. The assignment of least total cost is taken;
    with published correlations K, and C those of the components, the total is

    .. math:: \sum_k c_{s_k k j_k} + \lambda \sum_{k<l} (s_k s_l C_{kl} - K_{j_k j_l})^2 ,

    with :math:`1 / \lambda` the sampling variance of a difference of correlations. It is made
    small by assigning all components anew as long as that helps, each against the others as they
    stand, from 40 starts.

    Parameters
    ----------
    found : ndarray of shape (n_rows, n_found)
        Coordinates of the rows on the components, by
        :func:`~consilience.privacy.audits.unmixing.unmix`.
    known : PublicKnowledge
        Without quantiles only the bounds speak.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        Columns no component was left for are guessed by the middle of what is known of them.
    """
    costs = _costs(found, known)
    columns, signs = _assign(costs)
    if known.correlation is not None:
        weight = 1.0 / (2.0 / len(found) + LOOSE**2)
        columns, signs = _assign_related(costs, correlate(found), known.correlation, weight)
    return _assemble(found, known, np.arange(found.shape[1]), columns, signs)


def match_with_oracle(found: Array, known: PublicKnowledge, X: Array) -> Array:
    """Give each component its column and sign by correlation with the truth: an upper bound.

    Parameters
    ----------
    found : ndarray of shape (n_rows, n_found)
    known : PublicKnowledge
    X : ndarray of shape (n_rows, n_features)
        The victim's rows, which no attacker holds.
    """
    n_found = found.shape[1]
    correlation = correlate(np.hstack([found, X]))[:n_found, n_found:]
    components, columns = linear_sum_assignment(-np.abs(correlation))
    signs = np.where(correlation[components, columns] < 0, -1.0, 1.0)
    return _assemble(found, known, components, columns, signs)


def correlate(X: Array) -> Array:
    """Return the correlations of columns; those of a constant column are 0.

    Examples
    --------
    >>> correlate(np.array([[1.0, 5.0, 3.0], [2.0, 5.0, 1.0]])).round(6) + 0.0
    array([[ 1.,  0., -1.],
           [ 0.,  0.,  0.],
           [-1.,  0.,  1.]])
    """
    centred = X - X.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    centred /= np.where(length > 0, length, 1.0)
    return np.asarray(centred.T @ centred)


def _costs(found: Array, known: PublicKnowledge) -> Array:
    """Return the cost of each sign, component and column; signs are plus and minus."""
    n_steps = BOUNDS_STEPS if known.quantiles is None else len(known.quantiles)
    # Quantiles of a scaled and shifted component are its own, scaled and shifted.
    up = np.quantile(found, np.linspace(0, 1, n_steps), axis=0)
    costs = np.empty((2, found.shape[1], len(known.anchor_mean)))
    for s, steps in enumerate((up, -up[::-1])):
        for k in range(found.shape[1]):
            guess = known.anchor_mean + known.anchor_sd * steps[:, k, None]
            costs[s, k] = _implausibility(guess, known, len(found))
    return costs


def _implausibility(guess: Array, known: PublicKnowledge, n_rows: int) -> Array:
    """Return, per column, how far the quantiles of a guess lie from what is public."""
    width = np.where(known.upper > known.lower, known.upper - known.lower, 1.0)
    if known.quantiles is None:
        beyond = np.maximum(known.lower - guess, 0) + np.maximum(guess - known.upper, 0)
        return np.asarray(beyond.mean(axis=0) / width)
    spread = known.quantiles.std(axis=0)
    spread = np.where(spread > 0, spread, width)
    share = np.linspace(0, 1, len(known.quantiles))[:, None]
    # A quantile of n rows varies by q(1 - q) / n over the squared density, here on both sides.
    slope = np.gradient(known.quantiles, share.ravel(), axis=0)
    variance = slope**2 * share * (1 - share) * 2 / n_rows + (LOOSE * spread) ** 2
    # The least and the largest value are too uncertain to speak.
    squared = ((guess - known.quantiles) ** 2 / variance)[1:-1]
    # By a logarithm, as far off is far off: a component that the victim dropped fits nothing.
    return np.asarray(INFORMATION * np.log1p(squared.mean(axis=0)))


def _assign(costs: Array) -> tuple[Places, Array]:
    """Return the column and the sign of each component, at the least total cost."""
    components, columns = linear_sum_assignment(costs.min(axis=0))
    plus, minus = costs[:, components, columns]
    return columns, np.where(plus <= minus, 1.0, -1.0)


def _assign_related(costs: Array, C: Array, K: Array, weight: float) -> tuple[Places, Array]:
    """Make the cost of columns and signs small together with that of the correlations."""
    rng = np.random.default_rng(0)
    best, least = _assign(costs), np.inf
    for start in range(N_STARTS):
        # From what the quantiles say, from that with doubts, and from anywhere.
        doubt = 4.0 ** rng.uniform(-1, 1, size=costs.shape[1:])
        begin = (rng.random(costs.shape), costs * doubt)[start % 2] if start else costs
        columns, signs = _assign(begin)
        now = np.inf
        for _ in range(MAX_ROUNDS):
            total = _total(costs, C, K, weight, columns, signs)
            if total >= now:
                break
            now, kept = total, (columns, signs)
            columns, signs = _assign(costs + weight * _mismatch(C, K, columns, signs))
        if now < least:
            best, least = kept, now
    return best


def _mismatch(C: Array, K: Array, columns: Places, signs: Array) -> Array:
    """Return what each sign and column of a component costs against all others as they stand."""
    seen = C * signs
    np.fill_diagonal(seen, 0.0)
    wanted = K[:, columns]
    alone = (seen**2).sum(axis=1)[:, None] + (wanted**2).sum(axis=1) - wanted.T**2
    both = 2 * seen @ wanted.T
    return np.stack([alone - both, alone + both])


def _total(costs: Array, C: Array, K: Array, weight: float, columns: Places, signs: Array) -> float:
    apart = (signs[:, None] * C * signs - K[np.ix_(columns, columns)]) ** 2
    np.fill_diagonal(apart, 0.0)
    own = costs[np.where(signs > 0, 0, 1), np.arange(len(C)), columns]
    return float(own.sum() + weight * apart.sum() / 2)


def _assemble(
    found: Array, known: PublicKnowledge, components: Places, columns: Places, signs: Array
) -> Array:
    middle = known.anchor_mean if known.quantiles is None else known.quantiles.mean(axis=0)
    rebuilt = np.repeat(middle[None, :], len(found), axis=0)
    scaled = found[:, components] * (signs * known.anchor_sd[columns])
    rebuilt[:, columns] = known.anchor_mean[columns] + scaled
    return rebuilt

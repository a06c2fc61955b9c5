"""Exact rows: who can decode them, from the anchor or from a few rows that are known.

See :mod:`~consilience.privacy.audits.decoding` for how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from sklearn.covariance import ledoit_wolf

from consilience.privacy.audits.decoding import CERTAIN, Decoded, decode
from consilience.privacy.audits.forward_map import ForwardMap, learn_forward_map
from consilience.privacy.audits.possible_rows import PossibleRows

__all__ = ["decode_with_anchor", "decode_with_known_rows", "expected_rows"]

Array = npt.NDArray[np.float64]
Groups = Sequence[Sequence[int]]

FINER = (1.0, 0.1, 0.01)
"""Steps tried where no rows show them, as shares of the last decimal of the bounds."""
ROUNDS = 5
MOST = 0.95
"""Of the rows: who found as many learns little from them about the others."""
WIDER = 2.0
"""Few rows that are known vary less than all: so much more variance is expected."""


def decode_with_anchor(
    anchor: Array,
    anchor_representation: Array,
    representation: Array,
    bounds: tuple[Array, Array],
    like: Array | None = None,
    groups: Groups = (),
) -> Decoded:
    """Decode rows with the anchor, and rows alike if the colluding party holds any.

    Parameters
    ----------
    anchor : ndarray of shape (n_anchor, n_features)
        What the colluding party gives; more rows than columns.
    anchor_representation : ndarray of shape (n_anchor, n_components)
    representation : ndarray of shape (n_rows, n_components)
        What the analyst gives.
    bounds : pair of ndarray of shape (n_features,)
        Public bounds of the columns.
    like : ndarray of shape (n_like, n_features), optional
        They show the steps of the columns and where to expect rows. Without any, the steps are
        guessed from the bounds: those with which most cells are certain.
    groups : sequence of sequence of int
        Columns that are the categories of one variable, from the public schema.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, A, F = rng.integers(9, size=(6, 4)), rng.normal(size=(9, 4)), rng.normal(size=(4, 2))
    >>> found = decode_with_anchor(A, A @ F, X @ F, (np.zeros(4), np.full(4, 8.0)))
    >>> bool(found.known.all()), np.array_equal(found.rows, X)
    (True, True)
    """
    f = learn_forward_map(anchor, anchor_representation)
    if like is not None:
        return _decode_any(representation, f, like, bounds, groups, expected_rows(like))
    coarse = PossibleRows.between(*bounds, groups=groups)
    best: Decoded | None = None
    for share in FINER:
        possible = replace(coarse, step=_finer(coarse, share))
        found = decode(representation, f, possible, *possible.moments)
        if best is None or _certain(found) > _certain(best):
            best = found
        if best.known.all():
            break
    assert best is not None
    return best


def decode_with_known_rows(
    known: Array,
    known_representation: Array,
    representation: Array,
    bounds: tuple[Array, Array],
    groups: Groups = (),
    rounded_to: Array | float = 0.0,
) -> Decoded:
    """Decode rows with as many known ones as determine the map: one more than columns.

    Rows that are found teach the map and where to expect others, until no more are found.

    Parameters
    ----------
    known : ndarray of shape (n_known, n_features)
        Rows of the victim whose values the attacker knows.
    known_representation : ndarray of shape (n_known, n_components)
        What the victim sent of those rows.
    representation : ndarray of shape (n_rows, n_components)
        The same of the rows to decode.
    bounds, groups
        As in :func:`decode_with_anchor`.
    rounded_to : ndarray of shape (n_components,) or float
        Step to which the victim rounds what it sends, a public term.

    Notes
    -----
    A column that does not vary in the known rows, such as a category that none of them has, is
    taken to be the same in all; rows in which it differs fit nothing, and are not found.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, F = rng.integers(9, size=(20, 4)), rng.normal(size=(4, 2))
    >>> sent = X @ F + 1
    >>> found = decode_with_known_rows(X[:5], sent[:5], sent[5:], (np.zeros(4), np.full(4, 8.0)))
    >>> bool(found.known.all()), np.array_equal(found.rows, X[5:])
    (True, True)
    """
    fixed = np.ptp(known, axis=0) == 0
    lower, upper = (np.where(fixed, known[0], bound) for bound in bounds)
    possible = PossibleRows.seen_in(known, lower, upper, groups)
    noise = np.asarray(rounded_to) / np.sqrt(12)
    moments = _about(known, possible)
    rows, sent = known, known_representation
    best: Decoded | None = None
    for _ in range(ROUNDS):
        f = learn_forward_map(rows, sent, noise)
        # How accurate the map is for rows like these, not for any that are possible.
        f = ForwardMap(f.linear, f.offset, f.accuracy(*expected_rows(rows)))
        found = _decode_any(representation, f, known, (lower, upper), groups, moments)
        if best is not None and _certain(found) <= _certain(best):
            break
        best = found
        rows = np.vstack([known, found.rows[found.known]])
        sent = np.vstack([known_representation, representation[found.known]])
        if found.known.mean() >= MOST or not found.known.any():
            break
        if len(rows) > 2 * rows.shape[1]:
            moments = expected_rows(rows)
    assert best is not None
    return best


def expected_rows(rows: Array) -> tuple[Array, Array]:
    """Return where rows like these are to be expected: their mean, and a covariance.

    The covariance is shrunk towards independence as far as there are too few rows to tell
    [Ledoit2004]_.
    """
    scale = rows.std(axis=0)
    scale[scale == 0] = 1.0
    mean = rows.mean(axis=0)
    covariance, _ = ledoit_wolf((rows - mean) / scale)
    return mean, np.asarray(covariance * np.outer(scale, scale))


def _decode_any(
    representation: Array,
    f: ForwardMap,
    seen: Array,
    bounds: tuple[Array, Array],
    groups: Groups,
    moments: tuple[Array, Array],
) -> Decoded:
    """Decode with exceptions from the steps; what is not found so, with steps that have none."""
    most, every = (
        PossibleRows.seen_in(seen, *bounds, groups, no_exceptions=strict)
        for strict in (False, True)
    )
    found = decode(representation, f, most, *moments)
    lost = ~found.known
    if not lost.any() or (np.array_equal(most.step, every.step) and not most.instead):
        return found
    again = decode(representation[lost], f, every, *moments)
    rows, certainty, nearest = found.rows.copy(), found.certainty.copy(), found.nearest.copy()
    better = again.certainty.mean(axis=1) > certainty[lost].mean(axis=1)
    places = np.flatnonzero(lost)[better]
    rows[places], certainty[places] = again.rows[better], again.certainty[better]
    nearest[places] = again.nearest[better]
    return Decoded(rows, certainty, nearest)


def _about(known: Array, possible: PossibleRows) -> tuple[Array, Array]:
    """Expect rows about a few that are known, each column on its own; but nowhere out of bounds."""
    _, anywhere = possible.moments
    widest = WIDER * known.var(axis=0) + possible.step**2
    return known.mean(axis=0), np.diag(np.minimum(widest, np.diag(anywhere)))


def _finer(possible: PossibleRows, share: float) -> Array:
    """Divide the steps of numbers; categories have none to divide."""
    step = share * possible.step
    for group in possible.groups:
        step[list(group)] = 1.0
    return step


def _certain(found: Decoded) -> float:
    return float((found.certainty >= CERTAIN).mean())

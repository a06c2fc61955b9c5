r"""Decoding: rows that were rounded are found exactly, from fewer numbers than they have columns.

A victim sends :math:`z = x F + b` of a row x, fewer numbers than columns, so that many x fit. But
the columns of a real table are rounded or categorical: the rows that are possible are the points of
a lattice, and of those usually one alone fits. Whoever knows F and b finds it. With r the accuracy
of z, and rows expected about :math:`\mu` with covariance :math:`\Sigma`, it is the one that makes

.. math:: \|z - x F - b\|^2 / r^2 + (x - \mu) \Sigma^{-1} (x - \mu)^T

least: the point of a lattice that is nearest to another point, see
:mod:`~consilience.privacy.audits.lattice`.

How certain the attacker can be follows from the same numbers, without a look at the truth. Along
the directions of the reduced basis, in units in which the deviation e of a row from what fits best
is normal with variance 1, let :math:`\ell_i` be the distance of neighbouring points. All points of
a lattice that lies anywhere weigh :math:`\prod_i \sqrt{2\pi}\, e^{e_i^2/2} / \ell_i` times as much
as the one found, and the points compared with it another multiple; 1 over the sum of both is the
*certainty*. Where the lattice does not hold the row, because columns are not rounded or F is
wrong, some point is certain to 0.99 with a chance of less than 0.01. A point from which z is
further than chance allows is not certain at all: one column may be off the lattice.

Columns that hold any number are looked past: they disturb as many directions of z as they are, and
the others tell of the rest of the row. What is left then follows, see
:mod:`~consilience.privacy.audits.completion`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from consilience.privacy.audits.completion import complete_rows
from consilience.privacy.audits.forward_map import ForwardMap
from consilience.privacy.audits.lattice import nearest_points, reduce_basis
from consilience.privacy.audits.possible_rows import PossibleRows

__all__ = ["CERTAIN", "Decoded", "decode", "look_past", "spare_bits"]

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

CERTAIN = 0.99
"""An attacker who is so certain of a cell knows it."""
SCALES = (1.0, 4.0, 16.0)
"""How far out rows are looked for, in turn, as a multiple of where they are expected."""
APART = 4.0
"""Points so many standard deviations apart are told apart, if a row lies where it is expected."""
RATIO = 2.0**6
"""What was sent is believed to ever more digits, in steps of this ratio."""
FAR = 3.0
"""So many times as far as chance explains, a row was not found: accuracies are estimates."""
LEAST_VARIANCE = 0.02
"""Of a count, however seldom rows alike vary in it."""
BITS = 60
LEAST_SENT = 2.0**-900
"""Less than this of every column is nothing, and its share of a unit still a number."""
N_NEIGHBOURS = 3
LARGEST = 700.0


@dataclass(frozen=True, eq=False)
class Decoded:
    """Rows as an attacker found them.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        What is certain, and the best guess of the rest.
    certainty : ndarray of shape (n_rows, n_features)
        Probability that a cell is right, by the attacker's own reckoning.
    nearest : ndarray of shape (n_rows, n_features)
        The possible row that explains best what was sent, certain or not: what an attacker would
        bet on who may be wrong.
    """

    rows: Array
    certainty: Array
    nearest: Array

    @property
    def sure(self) -> npt.NDArray[np.bool_]:
        """Whether the attacker knows a cell, of shape (n_rows, n_features)."""
        return np.asarray(self.certainty >= CERTAIN)

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Whether the attacker knows the whole of a row, of shape (n_rows,)."""
        return np.asarray(self.sure.all(axis=1))


def decode(
    representation: Array,
    f: ForwardMap,
    possible: PossibleRows,
    mean: Array,
    covariance: Array,
    n_points: int = 32,
) -> Decoded:
    """Find the possible rows behind what was sent.

    Parameters
    ----------
    representation : ndarray of shape (n_rows, n_components)
        What the victim sent.
    f : ForwardMap
        Its map, and how accurately that tells what is sent.
    possible : PossibleRows
    mean : ndarray of shape (n_features,)
    covariance : ndarray of shape (n_features, n_features)
        Where rows are expected: as rows alike lie, or wherever they are possible.
    n_points : int
        Possible rows compared for each row sent.

    Examples
    --------
    Three whole numbers up to 99 from a single coordinate:

    >>> rng = np.random.default_rng(0)
    >>> X, F = rng.integers(100, size=(50, 3)).astype(float), np.sqrt([[2.0], [3.0], [5.0]])
    >>> possible = PossibleRows.between(np.zeros(3), np.full(3, 99.0))
    >>> f = ForwardMap(F, np.zeros(1), np.full(1, 1e-12))
    >>> found = decode(X @ F, f, possible, *possible.moments)
    >>> bool(found.known.all()), np.array_equal(found.rows, X)
    (True, True)
    """
    rows = np.repeat(possible.start[None], len(representation), axis=0)
    certainty = np.ones_like(rows)
    if len(possible.free):
        question = _ask(representation, f, possible, mean, covariance, n_points)
        counts, certainty = _search(question)
        rows = possible.rows(counts)
    certainty[:, possible.loose] = 0.0
    known, held = certainty >= CERTAIN, np.ones(rows.shape, dtype=bool)
    held[:, possible.loose] = False
    nearest, _ = complete_rows(rows, held, representation, f, mean, covariance)
    rows, precise = complete_rows(rows, known, representation, f, mean, covariance)
    # What follows from cells that are known is as certain as these.
    least = np.where(known, certainty, 1.0).min(axis=1, keepdims=True)
    return Decoded(rows, np.where(precise & ~known, least, certainty), nearest)


def spare_bits(f: ForwardMap, possible: PossibleRows, mean: Array, covariance: Array) -> float:
    r"""Return by how many bits what is sent of a row exceeds what the row holds.

    .. math:: \sum_i \log_2 \frac{\ell_i}{\sqrt{2 \pi e}}

    It asks for no basis to be reduced and for nothing that was sent. Far below 0 no row can be
    decoded; far above, all of them can, unless one column is sent too coarsely and others too
    finely: then those others are decoded.

    Parameters
    ----------
    f, possible, mean, covariance
        As in :func:`decode`.

    Examples
    --------
    Three numbers below 100 are 20 bits; a coordinate to 12 decimals has twice as many.

    >>> possible = PossibleRows.between(np.zeros(3), np.full(3, 99.0))
    >>> F = np.sqrt([[2.0], [3.0], [5.0]])
    >>> for noise in (1e-12, 1e-2):
    ...     f = ForwardMap(F, np.zeros(1), np.full(1, noise))
    ...     print(round(spare_bits(f, possible, *possible.moments)))
    26
    -8
    """
    if not len(possible.free):
        return 0.0
    nothing = np.empty((0, len(f.offset)))
    question = _ask(nothing, f, possible, mean, covariance, 1)
    basis = np.hstack([question.G, question.P])
    lengths = np.abs(np.diag(np.linalg.qr(basis.T, mode="r")))
    return float(np.log2(lengths / np.sqrt(2 * np.pi * np.e)).sum())


def _ask(
    representation: Array,
    f: ForwardMap,
    possible: PossibleRows,
    mean: Array,
    covariance: Array,
    n_points: int,
) -> _Question:
    accuracy = f.accuracy(mean, covariance)
    # A coordinate that is 0 whatever a row is says nothing, in any unit.
    accuracy = np.where(accuracy > 0, accuracy, 1.0)
    centre, spread = possible.count_moments(mean, covariance)
    values, vectors = np.linalg.eigh(spread + LEAST_VARIANCE * np.eye(len(spread)))
    start, loose = possible.start.copy(), possible.loose
    start[loose] = mean[loose]
    turn = look_past(f.linear[loose] / accuracy, covariance[np.ix_(loose, loose)])
    return _Question(
        y=(representation - f.apply(start[None])) / accuracy @ turn,
        G=possible.moves @ f.linear / accuracy @ turn,
        P=vectors / np.sqrt(np.maximum(values, LEAST_VARIANCE)),
        centre=centre,
        possible=possible,
        n_points=n_points,
    )


def look_past(linear: Array, covariance: Array) -> Array:
    """Return a map of coordinates with noise of variance 1 that has it still with more columns.

    Columns that hold any number disturb what is sent of the others, in as many directions as there
    are such columns; in all other directions they do not.

    Parameters
    ----------
    linear : ndarray of shape (n_loose, n_components)
        What is sent of those columns.
    covariance : ndarray of shape (n_loose, n_loose)
        How they vary.

    Examples
    --------
    What is sent is disturbed in its first number alone; the second is left as it is:

    >>> look_past(np.array([[3.0, 0.0]]), np.array([[7.0]])).round(3) + 0.0
    array([[0.125, 0.   ],
           [0.   , 1.   ]])
    """
    values, vectors = np.linalg.eigh(covariance)
    spread = vectors * np.sqrt(np.maximum(values, 0.0))
    _, sizes, right = np.linalg.svd(spread.T @ linear, full_matrices=True)
    scale = np.ones(len(right))
    scale[: len(sizes)] = 1 / np.sqrt(1 + sizes**2)
    return np.asarray(right.T * scale)


@dataclass(frozen=True, eq=False)
class _Question:
    """Asks for counts t that make ``y - t G`` and ``(t - centre) P`` small, for each row of y."""

    y: Array
    G: Array
    P: Array
    centre: Array
    possible: PossibleRows
    n_points: int

    def basis(self, U: Integers, weight: float) -> Array:
        """Return ``U @ [weight * G, P]``; large multiples of G cancel, so that part is exact."""
        largest = max(float(np.abs(self.G).max()), LEAST_SENT)
        unit = 2.0 ** (np.ceil(np.log2(largest)) - BITS)
        exact = U.astype(object) @ np.rint(self.G / unit).astype(np.int64).astype(object)
        return np.hstack([weight * unit * exact.astype(np.float64), U @ self.P])

    def left(self, counts: Integers, weight: float) -> Array:
        """Return what is not explained by counts, of shape (n_rows, n_points, n_free)."""
        from_sent = weight * (self.y[:, None] - counts @ self.G)
        return np.concatenate([from_sent, (self.centre - counts) @ self.P], axis=2)

    def bases(self) -> Iterator[tuple[Integers, float]]:
        """Reduce the basis with ever more weight on G, up to 1; yield those that tell points apart.

        Little weight makes a basis that double precision can reduce, and the next one from it.
        """
        U = np.eye(len(self.G), dtype=np.int64)
        weight = min(1.0, 1.0 / max(float(np.abs(self.G).max()), np.finfo(float).tiny))
        while True:
            U = reduce_basis(self.basis(U, weight), 0.75 if weight < 1.0 else 0.99) @ U
            lengths = np.abs(np.diag(np.linalg.qr(self.basis(U, weight).T, mode="r")))
            if weight >= 1.0 or lengths.min() >= APART:
                yield U, weight
            if weight >= 1.0:
                return
            weight = min(1.0, weight * RATIO)


def _search(question: _Question) -> tuple[Integers, Array]:
    """Look for rows where they are expected, then for those not found further out."""
    y, P = question.y, question.P
    counts = np.zeros((len(y), len(P)), dtype=np.int64)
    certainty = np.full((len(y), len(question.possible.step)), -1.0)
    lost = np.arange(len(y))
    for scale in SCALES:
        if not len(lost):
            break
        question = replace(question, P=P / scale)
        for U, weight in question.bases():
            found, sure, far = _nearest(replace(question, y=y[lost]), U, weight)
            # A guess from further out must be more certain; one from more digits need not.
            before, now = certainty[lost].mean(axis=1), sure.mean(axis=1)
            better = now >= before if scale == SCALES[0] else now > before
            counts[lost[better]], certainty[lost[better]] = found[better], sure[better]
            open_ = (certainty[lost] < CERTAIN).any(axis=1)
            lost, far = lost[open_], far[open_]
            if not len(lost):
                break
        # To look further out helps only rows that do not lie where they were expected.
        lost = lost[far]
    return counts, certainty


def _nearest(
    question: _Question, U: Integers, weight: float
) -> tuple[Integers, Array, npt.NDArray[np.bool_]]:
    """Return for each y the nearest counts, how certain the columns are, and if it lies far off."""
    y, G, centre = question.y, question.G, question.centre
    Q, R = np.linalg.qr(question.basis(U, weight).T)
    tried = np.repeat(np.rint(centre).astype(np.int64)[None, None], len(y), axis=0)
    # Large coefficients cost the small ones their digits: go there, then look around.
    for n_points in (1, question.n_points):
        start = tried[:, :1]
        tried = start + nearest_points(R, question.left(start, weight)[:, 0] @ Q, n_points) @ U
    left = question.left(tried, weight)
    allowed = question.possible.allowed(tried)
    cost = np.where(allowed, (left**2).sum(axis=2), np.inf)
    rows, best = np.arange(len(y)), cost.argmin(axis=1)
    found, least = tried[rows, best], cost[rows, best]
    compared = np.exp((np.where(least < np.inf, least, 0.0)[:, None] - cost) / 2).sum(axis=1)
    e = left[rows, best] @ Q
    far = (least == np.inf) | ((e**2).sum(axis=1) > chi2.ppf(CERTAIN, e.shape[1]))
    sure = _certainty(e, np.abs(np.diag(R)), compared)
    fits = ((y - found @ G) ** 2).sum(axis=1) <= FAR**2 * chi2.ppf(CERTAIN, y.shape[1])
    sure = np.where((fits & (least < np.inf))[:, None], sure, 0.0)
    return found, _of_columns(sure, U, question.possible.moves), far


def _certainty(e: Array, lengths: Array, compared: Array) -> Array:
    """Return, for each direction, how certain the counts along it and all later ones are."""
    anywhere = 0.5 * np.log(2 * np.pi) + e**2 / 2 - np.log(lengths)
    n = np.arange(-N_NEIGHBOURS, N_NEIGHBOURS + 1)[:, None, None]
    closer = np.minimum((e**2 - (e + n * lengths) ** 2) / 2, LARGEST)
    neighbours = np.log(np.exp(closer).sum(axis=0))
    chance, others = (
        np.exp(np.minimum(np.cumsum(part[:, ::-1], axis=1)[:, ::-1], LARGEST))
        for part in (anywhere, neighbours)
    )
    # The whole row was compared with others; a part of it is held against its neighbours.
    others[:, 0] = compared
    return np.asarray(1 / np.maximum(chance + others, 1.0))


def _of_columns(sure: Array, U: Integers, moves: Array) -> Array:
    """Return how certain each column is: directions that do not move it may be uncertain."""
    moved = np.abs(U @ moves) > 1e-9 * (np.abs(U) @ np.abs(moves))
    first = np.where(moved.any(axis=0), moved.argmax(axis=0), len(moves) - 1)
    return np.asarray(np.maximum.accumulate(sure, axis=1)[:, first])

r"""Alignment that knows the population: what an institution dropped, expected from the others.

Let :math:`z \in R^q` be a row in the space of all directions that any institution kept, in units
in which the anchor has mean 0 and covariance I. Institution i sees it through its own map,

.. math:: x = t_i + H_i^T z, \qquad H_i = U^T C_i / \sqrt r,

where :math:`t_i` is the mean of its anchor representation, :math:`C_i` the centred one (r rows) and
:math:`U` the left singular vectors of :math:`[C_1, \dots, C_c]`: the analyst has all of it. Rows
are taken as draws of :math:`N(\mu, \Sigma)`, so that of a row seen in part the rest is expected at

.. math:: E[z \mid x] = \mu + K_i (x - t_i - H_i^T \mu), \qquad
          K_i = \Sigma H_i (H_i^T \Sigma H_i)^{-1},

an affine map per institution, which leaves what was seen as it is: :math:`H_i^T E[z|x] = x - t_i`.
The paper's maps put what was not seen at the middle of the anchor instead, which may lie far from
the rows, and at a place that differs between institutions.

Institutions differ in their mix, so the mean of institution i is itself a draw of
:math:`N(\mu, T)`, and the :math:`n_i` rows it sent have the mean

.. math:: m_i - t_i \sim N(H_i^T \mu, H_i^T V_i H_i), \qquad V_i = T + W / n_i,

with the covariance W of rows inside institutions. Without T, whatever sets institutions apart would
be read as a sign of what they dropped. All is found by expectation and maximisation, for which the
mean and covariance :math:`S_i` of what each institution sent are enough: after one pass over the
rows the cost does not depend on their number. With :math:`R_i = (H_i^T V_i H_i)^{-1} H_i^T` and
:math:`u_i = m_i - t_i - H_i^T \mu` each step solves for the mean, the anchor being its prior,

.. math:: \Bigl(I + \sum_i H_i R_i\Bigr) \mu = \sum_i R_i^T (m_i - t_i),

and then averages what is expected of institutions and of rows:

.. math:: T &\leftarrow \frac{\nu_T \tau W + \sum_i (T R_i^T u_i u_i^T R_i T + T - T H_i R_i T)}
               {\nu_T + c}, \\
          W &\leftarrow \frac{\nu \sigma^2 I + \sum_i n_i (\Sigma - K_i H_i^T \Sigma
               + K_i S_i K_i^T)}{\nu + n}, \qquad
          \Sigma \leftarrow W + \frac{\sum_i n_i K_i u_i u_i^T K_i^T}{\nu + n}.

The priors are weak: means scatter by a hundredth of the rows' covariance, as if :math:`\nu_T`
institutions had shown it, and :math:`\nu` rows are spread as the anchor, shrunk to the
scale :math:`\sigma^2` of the data. So bounds far too wide change little.

The result is returned in the units of the paper's scaled target: singular values of the stacked
anchors times :math:`1 / \sqrt c`, where a direction counts by the share of institutions that kept
it. A column group that some institution has no party for would count less in all rows, so its
anchor columns are first divided by the root of the share of institutions that hold it.

Notes
-----
An institution with no more rows than coordinates dropped nothing in which its rows differ: there
only their mean is expected, see :mod:`~consilience.collaboration.few_rows`.

A row whose coordinates are known in part only, because a party of its institution is absent or did
not send it, is seen through fewer columns of :math:`H_i`: nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve

from consilience.collaboration.alignment import Alignment, check_anchors, common_target
from consilience.collaboration.few_rows import directions_of_rows, means_of_few
from consilience.collaboration.sights import Mask, Sight, look, patterns_of

__all__ = ["Population", "align_by_population", "estimate_population"]

Array = npt.NDArray[np.float64]

PRIOR_ROWS = 5.0
"""Rows the prior of the covariance is worth: 1 to 50 give the same clusters."""
PRIOR_INSTITUTIONS = 5.0
BETWEEN = 0.01
"""What the scatter of institutions' means is before any is seen, as a share of the rows'."""
MAX_STEPS = 60
MAX_WORK = 2e11
"""Multiplications after which steps end, two at least: the first do most."""
TOLERANCE = 1e-3
"""Steps end when the covariance changes by less than this share."""
RIDGE = 1e-9
"""Added to the covariance of what is seen, as a share of its mean diagonal."""


@dataclass(frozen=True, eq=False)
class Population:
    """Mean and covariance of the rows of all institutions, and how each institution sees them.

    Parameters
    ----------
    mean, covariance : ndarray of shape (n_dimensions,), (n_dimensions, n_dimensions)
        In units in which the anchor has mean 0 and covariance I.
    views : list of ndarray of shape (n_dimensions, n_components_i)
        The maps H_i.
    middles : list of ndarray of shape (n_components_i,)
        The means t_i of the anchor representations.
    units : ndarray of shape (n_dimensions,)
        What a unit of each dimension is worth in the result.
    few : mapping of int to ndarray of shape (n_components_i,)
        The mean of what was sent by each institution that has no more rows than coordinates.
    """

    mean: Array
    covariance: Array
    views: list[Array]
    middles: list[Array]
    units: Array
    few: Mapping[int, Array] = field(default_factory=dict)

    def alignment(self, institution: int, known: Mask | slice = slice(None)) -> Alignment:
        """Return the map from what an institution sent of a row to the row's expectation."""
        H, middle = self.views[institution][:, known], self.middles[institution][known]
        linear = _gain(self.covariance, H).T * self.units
        offset = self.mean * self.units - (middle + self.mean @ H) @ linear
        if institution in self.few:
            seen = _gain(np.eye(len(H)), H).T * self.units
            offset += self.few[institution][known] @ (linear - seen)
            linear = seen
        return Alignment(linear, offset)

    def place(self, institution: int, rows: Array, out: Array | None = None) -> Array:
        """Return the expectations of rows, of which NaN marks what was not sent."""
        result = np.empty((len(rows), len(self.mean))) if out is None else out
        for known, inside in patterns_of(rows):
            g = self.alignment(institution, known)
            if inside is None:
                return g.apply(rows, out=result)
            result[inside] = g.apply(rows[np.ix_(inside, known)])
        return result


def estimate_population(
    anchors: Sequence[Array],
    sights: Sequence[Sight],
    shares: Sequence[Array] | None = None,
    noise: Sequence[Array] | None = None,
) -> Population:
    """Estimate mean and covariance of all rows from what the institutions sent of them.

    Parameters
    ----------
    anchors : sequence of ndarray of shape (n_anchor, n_components_i)
        What each row institution sees of the anchor.
    sights : sequence of Sight
        The moments of the rows, see :func:`look`.
    shares : sequence of ndarray of shape (n_components_i,), optional
        For each anchor column, the share of the institutions that hold its column group; all of
        them if nothing is said.
    noise : sequence of ndarray of shape (n_components_i,), optional
        Standard deviation of what rounding added to each anchor column, see
        :func:`~consilience.collaboration.alignment.align`.

    Returns
    -------
    Population

    Examples
    --------
    One institution sees both coordinates, the other the first alone; the second follows from it.

    >>> rng = np.random.default_rng(0)
    >>> A, a = rng.normal(size=(50, 2)), rng.normal(size=(2000, 1))
    >>> X = np.hstack([a, 2 * a + 7])
    >>> sights = look(0, [X[:1000]]) + look(1, [X[1000:, :1]])
    >>> population = estimate_population([A, A[:, :1]], sights)
    >>> expected, whole = population.place(1, X[1000:, :1]), population.place(0, X[1000:])
    >>> bool(np.abs(expected - whole).max() < 0.2)
    True
    """
    check_anchors(anchors, affine=True)
    n_anchor = len(anchors[0])
    middles = [anchor.mean(axis=0) for anchor in anchors]
    centred = [_centre(anchor, middle) for anchor, middle in zip(anchors, middles, strict=True)]
    scales = [np.sqrt(share) for share in shares or [np.ones(len(m)) for m in middles]]
    scaled = [C if (w == 1).all() else C / w for C, w in zip(centred, scales, strict=True)]
    bases = directions_of_rows(scaled, middles, scales, sights)
    seen_anchors = [C @ Q for C, Q in zip(scaled, bases, strict=True)]
    stacked = np.hstack(seen_anchors)
    added = None
    if noise is not None:
        parts = zip(noise, scales, bases, strict=True)
        added = np.concatenate([np.sqrt((s / w) ** 2 @ Q**2) for s, w, Q in parts])
    # Where every column is constant all rows are alike, and any direction will do.
    T = common_target(stacked, n_anchor - 1, added) if stacked.any() else np.ones((n_anchor, 1))
    units = np.linalg.norm(T, axis=0) / np.sqrt(n_anchor)
    inner = [T.T @ C / (units[:, None] * n_anchor) for C in seen_anchors]
    views = [G @ Q.T * w for G, Q, w in zip(inner, bases, scales, strict=True)]
    seen, few = [], means_of_few(sights)
    for sight in sights:
        i = sight.institution
        mean = sight.mean - middles[i][sight.known]
        if sight.known.all():
            B = bases[i] / scales[i][:, None]
            covariance = B.T @ sight.covariance @ B
            seen.append(_Seen(sight.n_rows, inner[i], mean @ B, covariance, i in few))
        else:
            H = views[i][:, sight.known]
            seen.append(_Seen(sight.n_rows, H, mean, sight.covariance, False))
    mean, covariance = _maximise(len(units), seen)
    return Population(mean, covariance, views, middles, units / np.sqrt(len(anchors)), few)


def align_by_population(
    anchors: Sequence[Array], rows: Sequence[Array], noise: Sequence[Array] | None = None
) -> list[Alignment]:
    """Return the maps of institutions that sent whole rows.

    Parameters
    ----------
    anchors, noise
        As in :func:`estimate_population`.
    rows : sequence of ndarray of shape (n_rows_i, n_components_i)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, X = rng.normal(size=(50, 3)), rng.normal(size=(40, 3))
    >>> f, g = align_by_population([A, A[:, ::-1]], [X[:20], X[20:, ::-1]])
    >>> np.allclose(f.apply(X), g.apply(X[:, ::-1]), atol=1e-3)
    True
    """
    sights = [sight for i, sent in enumerate(rows) for sight in look(i, [sent])]
    population = estimate_population(anchors, sights, noise=noise)
    return [population.alignment(i) for i in range(len(anchors))]


def _centre(anchor: Array, middle: Array) -> Array:
    """Return the anchor about its mean; what only rounding moves does not move."""
    low, high = anchor.min(axis=0), anchor.max(axis=0)
    reach = np.maximum(high - middle, middle - low)
    centred = anchor - middle
    centred[:, reach <= 1e-12 * np.maximum(high, -low)] = 0.0
    return centred


class _Seen(NamedTuple):
    """Rows seen alike: their number, the map H, the moments of what came out, and if all did."""

    n_rows: int
    H: Array
    mean: Array
    covariance: Array
    whole: bool


def _maximise(q: int, seen: Sequence[_Seen]) -> tuple[Array, Array]:
    """Run the steps of the module's docstring until the covariance rests."""
    spread = sum(s.n_rows * float(np.sum(s.H**2)) for s in seen)
    size = sum(s.n_rows * float(np.trace(s.covariance)) for s in seen)
    prior = np.eye(q) * (size / spread if size and spread else 1.0)
    covariance = within = prior
    between = BETWEEN * prior
    mean = np.zeros(q)
    work = 8 * sum(q * q * s.H.shape[1] for s in seen)
    for _ in range(min(MAX_STEPS, max(2, int(MAX_WORK / max(work, 1))))):
        mean, between = _step_institutions(seen, between, within)
        within, added = _step_rows(seen, mean, covariance, prior)
        before, covariance = covariance, within + added
        change = np.linalg.norm(covariance - before)
        if change < TOLERANCE * np.linalg.norm(covariance):
            break
    return mean, covariance


def _step_institutions(seen: Sequence[_Seen], between: Array, within: Array) -> tuple[Array, Array]:
    """Return the mean of all rows, and how the means of institutions scatter about it."""
    normal, right = np.eye(len(within)), np.zeros(len(within))
    solved = [_solve_seen(between + within / s.n_rows, s.H, s.H.T) for s in seen]
    for s, R in zip(seen, solved, strict=True):
        normal += s.H @ R
        right += s.mean @ R
    mean = np.asarray(cho_solve(cho_factor(normal), right))
    total = PRIOR_INSTITUTIONS * BETWEEN * within + len(seen) * between
    for s, R in zip(seen, solved, strict=True):
        moved = between @ ((s.mean - mean @ s.H) @ R)
        total += np.outer(moved, moved) - between @ (s.H @ R) @ between
    return mean, _symmetric(total / (PRIOR_INSTITUTIONS + len(seen)))


def _step_rows(
    seen: Sequence[_Seen], mean: Array, covariance: Array, prior: Array
) -> tuple[Array, Array]:
    """Return the covariance of rows inside institutions, and what differing means add to it."""
    within, added = PRIOR_ROWS * prior, np.zeros_like(prior)
    for s in seen:
        K = _gain(covariance, s.H)
        moved = K @ (s.mean - mean @ s.H)
        if s.whole:
            seen_alone = _gain(prior, s.H)
            inside = seen_alone @ s.covariance @ seen_alone.T
        else:
            inside = covariance - K @ (s.H.T @ covariance) + K @ s.covariance @ K.T
        within = within + s.n_rows * inside
        added += s.n_rows * np.outer(moved, moved)
    n_rows = PRIOR_ROWS + sum(s.n_rows for s in seen)
    return _symmetric(within / n_rows), added / n_rows


def _symmetric(M: Array) -> Array:
    """Take off what rounding added."""
    return np.asarray((M + M.T) / 2)


def _gain(covariance: Array, H: Array) -> Array:
    """Return K = covariance H (H' covariance H)^-1, by the smaller side."""
    q, p = H.shape
    if p > q:
        # With covariance = L L' and B = L' H it is L (B B')^-1 B, with the same ridge.
        L = _root(covariance)
        B = L.T @ H
        inside = B @ B.T
        inside[np.diag_indices_from(inside)] += _ridge(inside) * q / p
        return np.asarray(L @ cho_solve(cho_factor(inside), B))
    return _solve_seen(covariance, H, H.T @ covariance).T


def _root(covariance: Array) -> Array:
    """Return L of which L L' is the covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))


def _ridge(inside: Array) -> float:
    """Return what is added to the diagonal, so that maps may be singular."""
    return RIDGE * float(np.trace(inside)) / max(len(inside), 1) or 1.0


def _solve_seen(covariance: Array, H: Array, right: Array) -> Array:
    """Solve (H' covariance H) x = right, with a small ridge where maps are singular."""
    inside = H.T @ covariance @ H
    inside[np.diag_indices_from(inside)] += _ridge(inside)
    return np.asarray(cho_solve(cho_factor(inside), right))

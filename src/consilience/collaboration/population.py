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

Mean and covariance are found by expectation and maximisation. All that is needed of the
:math:`n_i` rows an institution sent is their mean :math:`m_i` and covariance :math:`S_i`, so after
one pass the cost does not depend on the number of rows. Each step solves for the mean,

.. math:: \Bigl(I + \sum_i n_i H_i P_i H_i^T\Bigr) \mu = \sum_i n_i H_i P_i (m_i - t_i),
          \qquad P_i = (H_i^T \Sigma H_i)^{-1},

with the anchor as prior, worth one row of its own spread, and then averages the expected
scatter of the rows,

.. math:: \Sigma \leftarrow \frac{\nu \sigma^2 I + \sum_i n_i (\Sigma - K_i H_i^T \Sigma
          + K_i S_i K_i^T + d_i d_i^T)}{\nu + \sum_i n_i},
          \qquad d_i = K_i (m_i - t_i - H_i^T \mu),

with a prior of :math:`\nu` rows spread as the anchor, shrunk to the data's scale
:math:`\sigma^2`. The prior on the mean is on the anchor's scale and the one on the covariance on
the data's: bounds far too wide change neither.

The result is returned in the units of the paper's scaled target, :math:`z \sqrt{D / r}` with the
singular values D of the stacked anchors over :math:`\sqrt c`: a direction counts by how many
institutions kept it.

Notes
-----
A row whose coordinates are known in part only, because a party of its institution is absent or did
not send it, is seen through fewer columns of :math:`H_i`: nothing else changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve

from consilience.collaboration.alignment import Alignment, check_anchors, common_target

__all__ = ["Population", "Sight", "estimate_population", "look"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

PRIOR_ROWS = 5.0
"""Rows the prior of the covariance is worth: 1 to 50 give the same clusters."""
MAX_STEPS = 60
TOLERANCE = 1e-3
"""Steps end when the covariance changes by less than this share."""
RIDGE = 1e-9
"""Added to the covariance of what is seen, as a share of its mean diagonal."""


@dataclass(eq=False)
class Sight:
    """What the analyst keeps of rows seen alike: how many, their mean and their scatter.

    Parameters
    ----------
    institution : int
        Whose rows they are.
    known : ndarray of shape (n_components,), bool
        The coordinates of that institution that were sent for these rows.
    shift : ndarray of shape (n_known,)
        Subtracted before summing, so that nothing is lost far from the origin.
    """

    institution: int
    known: Mask
    shift: Array
    n_rows: int = 0
    total: Array = field(init=False)
    squares: Array = field(init=False)

    def __post_init__(self) -> None:
        self.total = np.zeros(len(self.shift))
        self.squares = np.zeros((len(self.shift), len(self.shift)))

    def add(self, rows: Array) -> None:
        """Count rows in."""
        centred = rows - self.shift
        self.n_rows += len(rows)
        self.total += centred.sum(axis=0)
        self.squares += centred.T @ centred

    @property
    def mean(self) -> Array:
        """Mean of the rows."""
        return np.asarray(self.shift + self.total / self.n_rows)

    @property
    def covariance(self) -> Array:
        """Covariance of the rows about their mean."""
        offset = self.total / self.n_rows
        return np.asarray(self.squares / self.n_rows - np.outer(offset, offset))


def look(institution: int, parts: Iterable[Array]) -> list[Sight]:
    """Take the moments of an institution's rows in one pass, apart for each pattern of NaN.

    Examples
    --------
    >>> [sight] = look(0, [np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([[5.0, 0.0]])])
    >>> sight.n_rows, sight.mean, sight.covariance.round(2)
    (3, array([3., 0.]), array([[2.67, 0.  ],
           [0.  , 0.  ]]))
    """
    sights: dict[bytes, Sight] = {}
    for part in parts:
        for known, rows in _patterns(part):
            seen = part[np.ix_(rows, known)] if rows is not None else part
            if not len(seen) or not known.any():
                continue
            key = known.tobytes()
            if key not in sights:
                sights[key] = Sight(institution, known, seen.mean(axis=0))
            sights[key].add(seen)
    return list(sights.values())


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
    """

    mean: Array
    covariance: Array
    views: list[Array]
    middles: list[Array]
    units: Array

    def alignment(self, institution: int, known: Mask | slice = slice(None)) -> Alignment:
        """Return the map from what an institution sent of a row to the row's expectation."""
        H, middle = self.views[institution][:, known], self.middles[institution][known]
        K = _gain(self.covariance, H)
        linear = K.T * self.units
        return Alignment(linear, self.mean * self.units - (middle + self.mean @ H) @ linear)

    def place(self, institution: int, rows: Array, out: Array | None = None) -> Array:
        """Return the expectations of rows, of which NaN marks what was not sent."""
        result = np.empty((len(rows), len(self.mean))) if out is None else out
        for known, inside in _patterns(rows):
            g = self.alignment(institution, known)
            if inside is None:
                return g.apply(rows, out=result)
            result[inside] = g.apply(rows[np.ix_(inside, known)])
        return result


def estimate_population(anchors: Sequence[Array], sights: Sequence[Sight]) -> Population:
    """Estimate mean and covariance of all rows from what the institutions sent of them.

    Parameters
    ----------
    anchors : sequence of ndarray of shape (n_anchor, n_components_i)
        What each row institution sees of the anchor.
    sights : sequence of Sight
        The moments of the rows, see :func:`look`.

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
    stacked = np.hstack(centred)
    # Where every column is constant all rows are alike, and any direction will do.
    T = common_target(stacked, n_anchor - 1) if stacked.any() else np.ones((n_anchor, 1))
    units = np.linalg.norm(T, axis=0) / np.sqrt(n_anchor)
    views = [T.T @ C / (units[:, None] * n_anchor) for C in centred]
    seen = [
        (
            sight.n_rows,
            views[sight.institution][:, sight.known],
            sight.mean - middles[sight.institution][sight.known],
            sight.covariance,
        )
        for sight in sights
    ]
    mean, covariance = _maximise(len(units), seen)
    return Population(mean, covariance, views, middles, units / np.sqrt(len(anchors)))


def _centre(anchor: Array, middle: Array) -> Array:
    """Return the anchor about its mean; what only rounding moves does not move."""
    centred = anchor - middle
    still = np.abs(centred).max(axis=0) <= 1e-12 * np.abs(anchor).max(axis=0)
    centred[:, still] = 0.0
    return centred


def _maximise(q: int, seen: Sequence[tuple[int, Array, Array, Array]]) -> tuple[Array, Array]:
    """Run the steps of the module's docstring until the covariance rests."""
    n_rows = sum(n for n, *_ in seen)
    spread = sum(n * float(np.sum(H * H)) for n, H, _, _ in seen)
    scale = sum(n * float(np.trace(S)) for n, _, _, S in seen) / spread if spread else 1.0
    prior = np.eye(q) * (scale or 1.0)
    covariance = prior
    mean = np.zeros(q)
    for _ in range(MAX_STEPS):
        gains = [_gain(covariance, H) for _, H, _, _ in seen]
        mean = _general_mean(q, covariance, seen)
        total = PRIOR_ROWS * prior
        for (n, H, m, S), K in zip(seen, gains, strict=True):
            d = K @ (m - mean @ H)
            total += n * (covariance - K @ (H.T @ covariance) + K @ S @ K.T + np.outer(d, d))
        total = (total + total.T) / (2 * (PRIOR_ROWS + n_rows))
        change = np.linalg.norm(total - covariance) / np.linalg.norm(total)
        covariance = total
        if change < TOLERANCE:
            break
    return mean, covariance


def _general_mean(
    q: int, covariance: Array, seen: Sequence[tuple[int, Array, Array, Array]]
) -> Array:
    """Return the mean by generalised least squares, the anchor's as prior."""
    normal, right = np.eye(q), np.zeros(q)
    for n, H, m, _ in seen:
        weighted = n * _solve_seen(covariance, H, H.T).T
        normal += weighted @ H.T
        right += weighted @ m
    return np.asarray(cho_solve(cho_factor(normal), right))


def _gain(covariance: Array, H: Array) -> Array:
    """Return K = covariance H (H' covariance H)^-1."""
    return _solve_seen(covariance, H, H.T @ covariance).T


def _solve_seen(covariance: Array, H: Array, right: Array) -> Array:
    """Solve (H' covariance H) x = right, with a small ridge where maps are singular."""
    inside = H.T @ covariance @ H
    ridge = RIDGE * float(np.trace(inside)) / max(len(inside), 1) or 1.0
    inside[np.diag_indices_from(inside)] += ridge
    return np.asarray(cho_solve(cho_factor(inside), right))


def _patterns(rows: Array) -> Iterator[tuple[Mask, npt.NDArray[np.intp] | None]]:
    """Yield each pattern of known coordinates with its rows; None stands for all rows."""
    missing = np.isnan(rows)
    if not missing.any():
        yield np.ones(rows.shape[1], dtype=bool), None
        return
    patterns, which = np.unique(missing, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        yield ~pattern, np.flatnonzero(which.ravel() == k)

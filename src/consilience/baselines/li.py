"""DPFMPS and DPFMPS-2PEst [Li2023]_: differentially private vertical k-means."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array

from consilience.baselines.dp_lloyd import private_centres
from consilience.baselines.flajolet_martin import (
    PhantomSettings,
    estimate_size,
    phantom_settings,
    sketch_memberships,
)
from consilience.baselines.sent import Sent
from consilience.baselines.weighted_kmeans import assign, check_n_clusters, weighted_kmeans
from consilience.consensus.views import column_views

__all__ = ["PrivateClusters", "dpfmps", "share_budget"]

Array = npt.NDArray[np.float64]
MAX_CELLS = 100_000


@dataclass(frozen=True, eq=False)
class PrivateClusters:
    """What :func:`dpfmps` returns.

    Parameters
    ----------
    peer_labels : list of ndarray of shape (n_rows,)
        Each party's labels, by its own part of the centres.
    centres : ndarray of shape (n_clusters, total columns of the parties)
        Private centres, in [-1, 1].
    sent : list of Sent
        What each party sent; its points are in the units of its columns.
    """

    peer_labels: list[npt.NDArray[np.int64]]
    centres: Array
    sent: list[Sent]


def share_budget(epsilon: float, n_parties: int, for_size: float) -> dict[str, float]:
    """Split the budget: the number of rows once, then centres and sketches of each party.

    Examples
    --------
    >>> shares = share_budget(1.0, 3, 0.05)
    >>> round(shares["size"] + 3 * (shares["centres"] + shares["sketches"]), 12)
    1.0
    """
    rest = epsilon * (1 - for_size) / n_parties
    return {"size": epsilon * for_size, "centres": rest / 2, "sketches": rest / 2}


def dpfmps(
    X: Any,
    n_clusters: int = 8,
    *,
    columns: Sequence[Sequence[Any]] | None = None,
    epsilon: float = 1.0,
    weights: Literal["sketch", "two-way"] = "sketch",
    n_sketches: int | None = None,
    bounds: tuple[Array, Array] | None = None,
    public_seed: int = 0,
    insecure_seed: int | None = None,
) -> PrivateClusters:
    r"""Cluster rows whose columns several parties hold, with differential privacy.

    1. Each party finds k private centres of its columns and the nearest one of each row.
    2. It sketches the k sets of rows privately. The rows of a cell of the grid are those outside
       the union of the other sets' rows, :math:`|\cap_a S_a| = n - |\cup_a \bar S_a|`, and the
       sketch of a union is the maximum of sketches.
    3. The coordinator runs weighted k-means on the grid; each party labels its rows by its own
       part of the centres.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
    n_clusters : int, default=8
    columns : list of lists of int or str, or None, default=None
    epsilon : float, default=1.0
        Budget for everything, all parties together; delta is one over the number of rows.
    weights : {"sketch", "two-way"}, default="sketch"
        ``"sketch"`` is DPFMPS. ``"two-way"`` is DPFMPS-2PEst: cells of two parties only are
        estimated, and the weights of the whole grid are fitted to them.
    n_sketches : int or None, default=None
        m; None means a tenth of the rows, at least 16 and at most 1024.
    bounds : tuple of two ndarray of shape (n_features,), or None, default=None
        Public least and largest value of each column. None takes them from the data, as the
        published comparison does; that step is then outside the guarantee.
    public_seed : int, default=0
        Of the hash functions, which are public.
    insecure_seed : int or None, default=None
        For tests only; None draws the noise from the operating system's entropy.

    Returns
    -------
    PrivateClusters

    Notes
    -----
    The number of rows is protected too, with 5 % of the budget (2 % for ``"two-way"``). Local
    centres come from private Lloyd steps, see
    :func:`~consilience.baselines.dp_lloyd.private_centres`; the paper allows any private k-means
    there and uses one based on hashing trees. Two-way weights are fitted by damped proportional
    fitting. The grid has k to the power of the number of parties cells; above 100,000 the
    function refuses. Noise is drawn in floating point: a baseline to compare with, not a release
    mechanism.

    Examples
    --------
    >>> X = np.array([[0.0, 0], [1, 1], [20, 20], [21, 21]]).repeat(500, axis=0)
    >>> found = dpfmps(X, 2, columns=[[0], [1]], epsilon=50, insecure_seed=0)
    >>> [np.bincount(labels).tolist() for labels in found.peer_labels]
    [[1000, 1000], [1000, 1000]]
    """
    X = check_array(X, dtype=np.float64)
    check_n_clusters(n_clusters, len(X))
    if not epsilon > 0:
        raise ValueError(f"epsilon == {epsilon}, must be > 0.")
    views = column_views(columns, X.shape[1])
    if n_clusters ** len(views) > MAX_CELLS:
        raise ValueError(
            f"n_clusters == {n_clusters} and {len(views)} parties make a grid of "
            f"{n_clusters ** len(views)} cells, must be <= {MAX_CELLS}. Lower n_clusters."
        )
    noise = np.random.default_rng(insecure_seed)
    random = np.random.RandomState(noise.integers(2**31))
    shares = share_budget(epsilon, len(views), 0.05 if weights == "sketch" else 0.02)
    n_rows = max(2.0, len(X) + noise.laplace(scale=1 / shares["size"]))
    low, high = (X.min(axis=0), X.max(axis=0)) if bounds is None else bounds
    table = np.clip(2 * (X - low) / np.where(high > low, high - low, 1.0) - 1, -1, 1)
    parts = [table[:, view] for view in views]
    local = [private_centres(part, n_clusters, shares["centres"], noise) for part in parts]
    m = n_sketches or int(np.clip(len(X) // 10, 16, 1024))
    settings = phantom_settings(shares["sketches"], 1 / n_rows, m)
    sketches = [
        sketch_memberships(assign(part, c), n_clusters, m, public_seed, settings, noise)
        for part, c in zip(parts, local, strict=True)
    ]
    sent = [Sent() for _ in views]
    for view, centres, sketch, left in zip(views, local, sketches, sent, strict=True):
        left.add((centres + 1) / 2 * (high - low)[view] + low[view], points=True)
        left.add(sketch)
    fit = _sketch_weights if weights == "sketch" else _two_way_weights
    cell_weights = fit(sketches, n_rows, settings)
    cells = np.array(list(itertools.product(range(n_clusters), repeat=len(views))))
    # k-means asks for distances only: turned into the k axes that k centres span, they are kept.
    axes = [np.linalg.qr(c.T) for c in local]
    grid = np.hstack([turned.T[cells[:, a]] for a, (_, turned) in enumerate(axes)])
    _, turned = weighted_kmeans(grid, n_clusters, random, cell_weights + 1e-5)
    places = np.cumsum([0, *(len(r) for _, r in axes)])
    centres = np.hstack(
        [turned[:, a:b] @ q.T for a, b, (q, _) in zip(places, places[1:], axes, strict=False)]
    )
    starts = np.cumsum([0, *(len(view) for view in views)])
    labels = [
        assign(part, centres[:, start : start + part.shape[1]])
        for part, start in zip(parts, starts[:-1], strict=True)
    ]
    return PrivateClusters(labels, centres, sent)


def _complements(sketches: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Sketch the rows outside each set: the maximum over the other sets."""
    k = sketches.shape[1]
    if k == 1:
        return np.zeros_like(sketches)
    order = np.sort(sketches, axis=1)
    top, second = order[:, -1:], order[:, -2:-1]
    return np.where(
        sketches == top, np.where((sketches == top).sum(1)[:, None] > 1, top, second), top
    )


def _cells(
    sketches: list[npt.NDArray[np.uint8]], n_rows: float, settings: PhantomSettings
) -> Array:
    """Estimate the rows of every cell of the grid of some parties, as an array of that grid."""
    union = np.zeros((len(sketches[0]), 1), dtype=np.uint8)
    for part in sketches:
        union = np.maximum(union[:, :, None], _complements(part)[:, None, :])
        union = union.reshape(len(union), -1)
    phantoms = settings.n_phantoms * sum(part.shape[1] - 1 for part in sketches)
    sizes = n_rows - (estimate_size(union) - phantoms)
    return np.asarray(sizes.reshape([part.shape[1] for part in sketches]))


def _sketch_weights(
    sketches: list[npt.NDArray[np.uint8]], n_rows: float, settings: PhantomSettings
) -> Array:
    return np.asarray(np.maximum(_cells(sketches, n_rows, settings).ravel(), 0.0))


def _two_way_weights(
    sketches: list[npt.NDArray[np.uint8]], n_rows: float, settings: PhantomSettings
) -> Array:
    """Fit weights of the whole grid to estimated cells of all pairs of parties."""
    n_parties = len(sketches)
    sizes = [to_total(estimate_size(s) - settings.n_phantoms, n_rows) for s in sketches]
    grid = np.asarray(sizes[0])
    for size in sizes[1:]:
        grid = grid[..., None] * (size / n_rows)
    pairs = list(itertools.combinations(range(n_parties), 2))
    targets = {}
    for a, b in pairs:
        pair = _cells([sketches[a], sketches[b]], n_rows, settings)
        targets[(a, b)] = to_total(pair.ravel(), n_rows).reshape(pair.shape)
    step = 0.5
    for _ in range(20 * n_parties):
        for a, b in pairs:
            others = tuple(axis for axis in range(n_parties) if axis not in (a, b))
            now = grid.sum(axis=others, keepdims=True)
            shape = [s if axis in (a, b) else 1 for axis, s in enumerate(grid.shape)]
            want = targets[(a, b)].reshape(shape)
            grid = grid * ((want + 1e-6) / (now + 1e-6)) ** step
        step *= 0.96
    return np.asarray(grid.ravel())


def to_total(values: Array, total: float) -> Array:
    """Move values to the nearest ones that are not negative and add up to a total.

    Examples
    --------
    >>> to_total(np.array([5.0, 3.0, -4.0]), 6.0)
    array([4., 2., 0.])
    """
    ordered = np.sort(values)[::-1]
    shift = (np.cumsum(ordered) - total) / np.arange(1, len(values) + 1)
    last = int(np.flatnonzero(ordered - shift > 0)[-1])
    return np.asarray(np.maximum(values - shift[last], 0.0))

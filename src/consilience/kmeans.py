r"""K-means, at the cost of one run over the rows.

K-means finds a local optimum, so it is run from several starts (k-means++) and the best is kept.
Up to 100,000 rows that is done with all rows and ten starts. Of more rows, a sample tells good
starts from bad ones just as well: up to ten starts take ten steps each on 60,000 rows. Once three,
and half of all, end at the same, the best, that one goes on; else the best three do, after they
were made better there (:mod:`~consilience.breathing`). They run to the end on 100,000 rows, and the
best of these is the one start from which all rows are clustered. The samples grow with the number
of clusters. Rows far from the middle are drawn more often and count less, so that long tails are in
every sample.

All rows are then gone through block by block, wherever an engine keeps them. Sums are added in the
order of the blocks, so that the labels do not depend on where that is.

Notes
-----
What a sample may miss are clusters of few rows. One of a row in a thousand has about sixty rows in
the first sample, and k-means++ finds it if it lies apart.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from consilience.arrays import Arrays
from consilience.breathing import breathe
from consilience.engines.engine import Rows, block_slices
from consilience.engines.in_memory import as_rows
from consilience.mapped import let_go

__all__ = [
    "N_INIT",
    "SAMPLED_ABOVE",
    "choose_start",
    "kmeans",
    "lloyd",
    "nearest_centers",
    "sample_rows",
]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]

N_INIT = 10
"""Starts with all rows, up to ``SAMPLED_ABOVE`` of them."""
SAMPLED_ABOVE = 100_000
"""Rows above which the start is chosen on a sample."""
N_TRIED, STEPS, ROWS_TRIED = 10, 10, 60_000
"""Starts on the first sample at most, steps each may take, and rows of that sample."""
N_AGREEING, AGREEMENT = 3, 1e-4
"""So many starts, and half of all, agree if their inertia differs by no larger share."""
N_FINALISTS, ROWS_OF_FINALISTS = 3, 100_000
"""Starts that go on to the end, and rows of the second sample."""
ROWS_PER_CLUSTER = 400
"""Rows of the first sample for each cluster, if that is more; the second grows alike."""
MAX_ITER, TOLERANCE = 300, 1e-4
"""When a run ends: after so many steps, or when centres move less; as in scikit-learn."""
PIECE_ROWS, PIECE_CELLS = 16_384, 2**18
"""Rows worked on at a time, and distances: so many stay in the cache of a processor."""


def kmeans(X: Array | Rows, n_clusters: int, seed: int) -> tuple[Labels, Array]:
    """Run k-means from a good start (Alg. 1 of [Kawamata2025]_).

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions), or Rows
        An array may be shifted and shifted back: pass what nobody else reads.
    n_clusters : int
    seed : int

    Returns
    -------
    labels : ndarray of shape (n_rows,)
    centers : ndarray of shape (n_clusters, n_dimensions)

    Examples
    --------
    >>> labels, centers = kmeans(np.array([[0.0], [0.2], [5.0], [5.2]]), 2, seed=0)
    >>> sorted(centers.ravel().round(1).tolist())
    [0.1, 5.1]
    """
    rows = as_rows(X)
    if len(rows) > SAMPLED_ABOVE:
        return lloyd(rows, choose_start(rows, n_clusters, seed))
    model = KMeans(n_clusters, n_init=N_INIT, random_state=seed, copy_x=False)
    return model.fit_predict(rows.whole()).astype(np.int64), model.cluster_centers_


def choose_start(X: Array | Rows, n_clusters: int, seed: int) -> Array:
    """Choose the centres from which to cluster all rows, by trying many on samples.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions), or Rows
        Only the rows of the samples are read.
    n_clusters : int
    seed : int

    Returns
    -------
    ndarray of shape (n_clusters, n_dimensions)

    Examples
    --------
    >>> X = np.repeat([[0.0], [5.0]], 200, axis=0)
    >>> sorted(choose_start(X, 2, seed=0).ravel().tolist())
    [0.0, 5.0]
    """
    rows = as_rows(X)

    def choose() -> Iterator[Arrays]:
        rng = np.random.default_rng(seed)
        n_tried = max(ROWS_TRIED, ROWS_PER_CLUSTER * n_clusters)
        with warnings.catch_warnings():
            # Few different rows are no fault of the start: all of them become centres.
            warnings.simplefilter("ignore", ConvergenceWarning)
            sample, weights = _sample_far(rows, n_tried * ROWS_OF_FINALISTS // ROWS_TRIED, rng)
            few = np.sort(rng.choice(len(sample), min(n_tried, len(sample)), replace=False))
            finalists = _best_starts(sample[few], weights[few], n_clusters, rng)
            runs = [
                KMeans(n_clusters, init=centers, n_init=1).fit(sample, sample_weight=weights)
                for centers in finalists
            ]
        yield {"centers": min(runs, key=_inertia).cluster_centers_}

    name = f"start of {n_clusters} clusters of {rows.shape} rows, seed {seed}"
    return np.array(rows.engine.keep(name, choose)["centers"])


def _best_starts(
    sample: Array, weights: Array, n_clusters: int, rng: np.random.Generator
) -> list[Array]:
    """Try starts until most agree on the best; return one of these, or better than the best."""
    found: list[KMeans] = []
    while len(found) < N_TRIED:
        seed = int(rng.integers(2**31))
        model = KMeans(n_clusters, n_init=1, max_iter=STEPS, random_state=seed)
        found.append(model.fit(sample, sample_weight=weights))
        found.sort(key=_inertia)
        agree = sum(_inertia(m) <= (1 + AGREEMENT) * _inertia(found[0]) for m in found)
        if agree >= max(N_AGREEING, len(found) / 2):
            return [found[0].cluster_centers_]
    return [
        breathe(sample, weights, model.cluster_centers_, rng, max_iter=STEPS).centers
        for model in found[:N_FINALISTS]
    ]


def lloyd(X: Array | Rows, start: Array) -> tuple[Labels, Array]:
    """Run k-means from one start, block by block.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions), or Rows
        Read in order, once a step.
    start : ndarray of shape (n_clusters, n_dimensions)

    Returns
    -------
    labels : ndarray of shape (n_rows,)
        The nearest of the centres.
    centers : ndarray of shape (n_clusters, n_dimensions)
        A centre that is nearest to no row stays where it is.

    Examples
    --------
    >>> labels, centers = lloyd(np.array([[0.0], [1.0], [8.0], [9.0]]), np.array([[0.0], [2.0]]))
    >>> labels.tolist(), centers.ravel().tolist()
    ([0, 0, 1, 1], [0.5, 8.5])
    """
    rows = as_rows(X)
    # About the middle of the centres nothing is lost far from the origin.
    middle = start.mean(axis=0)
    centers, name = start - middle, hashlib.sha256(start.tobytes()).hexdigest()
    for k in range(1, MAX_ITER + 1):

        def step(k: int = k, centers: Array = centers) -> Iterator[Arrays]:
            yield _step(rows, middle, centers, f"k-means, step {k}")

        found = rows.engine.keep(f"step {k} from {name} with {rows.shape} rows", step)
        shift, centers = float(((found["means"] - centers) ** 2).sum()), np.array(found["means"])
        if shift <= TOLERANCE * float(found["variance"][0]):
            break
    return nearest_centers(rows, centers + middle), centers + middle


def nearest_centers(X: Array | Rows, centers: Array) -> Labels:
    """Return which centre is nearest to each row.

    Examples
    --------
    >>> nearest_centers(np.array([[1.0], [8.0]]), np.array([[9.0], [0.0]]))
    array([1, 0])
    """
    rows, middle = as_rows(X), centers.mean(axis=0)
    labels, start = rows.engine.labels(len(rows), len(centers)), 0
    for nearest in rows.each(_label, middle, centers - middle, labels.dtype, doing="labels"):
        inside = slice(start, start + len(nearest))
        labels[inside], start = nearest, inside.stop
        let_go(labels[inside])
    return labels


def sample_rows(X: Array | Rows, n_rows: int, rng: np.random.Generator) -> Array:
    """Return a copy of some rows drawn at random, in their order; of all if there are no more."""
    rows = as_rows(X)
    if len(rows) <= n_rows:
        return np.array(rows.whole())
    return rows.take(np.sort(rng.choice(len(rows), n_rows, replace=False, shuffle=False)))


def _sample_far(rows: Rows, n_rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw rows, half of them evenly and half by how far they lie from the middle, and weights.

    A weight is how many rows one stands for (a lightweight coreset, Alg. 1 of [Bachem2018]_): of
    long tails an even sample has a few rows that decide everything, others at every draw.
    """
    if len(rows) <= n_rows:
        return np.array(rows.whole()), np.ones(len(rows))
    middle = sample_rows(rows, ROWS_TRIED, rng).mean(axis=0)
    far = np.array(list(rows.each(_squares, middle, doing="start")))
    total = float(far.sum())
    if total == 0:
        return sample_rows(rows, n_rows, rng), np.full(n_rows, len(rows) / n_rows)
    by_block = rng.multinomial(n_rows // 2, far / total)
    even = rng.integers(len(rows), size=n_rows - n_rows // 2)
    drawn = [even]
    for count, inside in zip(by_block, block_slices(rows.shape), strict=True):
        if count:
            squares = _ways(rows.take(np.arange(inside.start, inside.stop)), middle)
            drawn.append(inside.start + rng.choice(len(squares), count, p=squares / squares.sum()))
    places, times = np.unique(np.concatenate(drawn), return_counts=True)
    sample = rows.take(places)
    odds = 0.5 / len(rows) + 0.5 * _ways(sample, middle) / total
    return sample, times / (n_rows * odds)


def _squares(block: Array, middle: Array) -> float:
    return float(_ways(block, middle).sum())


def _ways(X: Array, middle: Array) -> Array:
    """Return the squared distance of each row from the middle."""
    return np.asarray(((X - middle) ** 2).sum(axis=1))


def _step(rows: Rows, middle: Array, centers: Array, doing: str) -> Arrays:
    """Return the means of the rows nearest to each centre, and the mean variance of a column."""
    sums, sizes, squares = np.zeros_like(centers), np.zeros(len(centers)), 0.0
    for part in rows.each(_sum, middle, centers, doing=doing):
        sums += part.sums
        sizes += part.sizes
        squares += part.squares
    means = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centers)
    mean = sums.sum(axis=0) / len(rows)
    variance = (squares / len(rows) - float(mean @ mean)) / rows.shape[1]
    return {"means": means, "variance": np.array([variance])}


class _Sums(NamedTuple):
    """Of the rows of a block: sum and number by nearest centre, and sum of all squares."""

    sums: Array
    sizes: Array
    squares: float


def _sum(block: Array, middle: Array, centers: Array) -> _Sums:
    sums, sizes, squares = np.zeros_like(centers), np.zeros(len(centers)), 0.0
    for _, piece in _pieces(block, middle, len(centers)):
        nearest = _nearest(piece, centers)
        sums += _indicators(nearest, len(centers)) @ piece
        sizes += np.bincount(nearest, minlength=len(centers))
        squares += float(np.vdot(piece, piece))
    return _Sums(sums, sizes, squares)


def _label(block: Array, middle: Array, centers: Array, kind: Any) -> Labels:
    labels = np.empty(len(block), dtype=kind)
    for inside, piece in _pieces(block, middle, len(centers)):
        labels[inside] = _nearest(piece, centers)
    return labels


def _pieces(block: Array, middle: Array, n_centers: int) -> Iterator[tuple[slice, Array]]:
    n = max(1, min(PIECE_ROWS, PIECE_CELLS // n_centers))
    for start in range(0, len(block), n):
        inside = slice(start, start + n)
        yield inside, block[inside] - middle


def _nearest(X: Array, centers: Array) -> npt.NDArray[np.intp]:
    """Return the nearest centre c of each row x, of which x'c - c'c / 2 is largest."""
    closeness = X @ centers.T
    closeness -= (centers**2).sum(axis=1) / 2
    return np.asarray(closeness.argmax(axis=1))


def _indicators(labels: npt.NDArray[np.intp], n_clusters: int) -> csc_array:
    """Return the matrix that adds up the rows of each cluster."""
    n = len(labels)
    return csc_array((np.ones(n), labels, np.arange(n + 1)), shape=(n_clusters, n))


def _inertia(model: KMeans) -> float:
    return float(model.inertia_)

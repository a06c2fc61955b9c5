"""A rehearsal: one party plays a whole collaboration with its own rows alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from consilience.collaboration.alignment import align
from consilience.collaboration.audit.scene import Setting
from consilience.collaboration.population import align_by_population
from consilience.collaboration.rounding import steps_of
from consilience.kmeans import kmeans

__all__ = ["Rehearsal", "in_units", "play_study", "rehearse"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

CLUSTER_ROWS = 5_000
"""Rows a rehearsal uses, at most."""


class Rehearsal(NamedTuple):
    """What came of a study that one party played with its own rows.

    Attributes
    ----------
    rows : ndarray of shape (n_used,)
        Places in the table of the rows that were used.
    institutions : ndarray of shape (n_used,)
        To whom each was dealt, at random.
    alone, together : ndarray of shape (n_used,)
        Clusters of the rows as they are, and of what the institutions found together.
    """

    rows: npt.NDArray[np.intp]
    institutions: Labels
    alone: Labels
    together: Labels


def rehearse(
    X: Array,
    bounds: tuple[Array, Array],
    setting: Setting,
    n_clusters: int,
    rng: np.random.Generator,
    y: npt.NDArray[Any] | None = None,
) -> float:
    """Return how far the clusters found together agree with those of the rows as they are.

    The rows are dealt at random to the institutions of the study, each reduces its share by its
    own map, the shares are aligned, and k-means runs on both sides from the same seed.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    bounds : pair of ndarray of shape (n_features,)
    setting : Setting
    n_clusters : int
    rng : numpy.random.Generator
    y : ndarray of shape (n_rows,), optional
        Labels, for a supervised reducer.

    Returns
    -------
    float
        Adjusted Rand index, 1 if the two agree entirely.

    Examples
    --------
    >>> X = np.repeat([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]], 20, axis=0)
    >>> X += np.linspace(0, 0.1, 40)[:, None]
    >>> bounds = np.zeros(3), np.full(3, 2.0)
    >>> rehearse(X, bounds, Setting(n_components=1), 2, np.random.default_rng(0))
    1.0
    """
    played = play_study(X, bounds, setting, n_clusters, rng, y)
    return float(adjusted_rand_score(played.alone, played.together))


def play_study(
    X: Array,
    bounds: tuple[Array, Array],
    setting: Setting,
    n_clusters: int,
    rng: np.random.Generator,
    y: npt.NDArray[Any] | None = None,
) -> Rehearsal:
    """Play a study with the rows of one party, see :func:`rehearse`."""
    order = rng.permutation(len(X))[:CLUSTER_ROWS]
    parts = np.array_split(order, max(2, min(setting.n_institutions, len(order) // 4)))
    anchor = setting.draw_anchor(bounds, rng)
    sent, anchors, noise = [], [], []
    for rows in parts:
        own = setting.add_noise(X[rows])
        f = setting.fit_reduction(own, bounds, rng, None if y is None else y[rows])
        f = setting.round_map(f, own, anchor)
        sent.append(f.transform(own))
        anchors.append(f.transform(anchor))
        noise.append(steps_of(f, sent[-1].shape[1]) / np.sqrt(12))
    if setting.target == "population":
        maps = align_by_population(anchors, sent, noise)
    else:
        maps = align(anchors, target=setting.target, noise=noise)
    together = np.vstack([g.apply(rows) for g, rows in zip(maps, sent, strict=True)])
    plain = in_units(X[np.concatenate(parts)], bounds, setting)
    seed = int(rng.integers(2**31))
    alone, _ = kmeans(plain, n_clusters, seed)
    shared, _ = kmeans(together, n_clusters, seed)
    used = np.concatenate(parts)
    dealt = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return Rehearsal(used, dealt, alone, shared)


def in_units(X: Array, bounds: tuple[Array, Array], setting: Setting) -> Array:
    """Put rows in the units the study reduces them in."""
    if setting.scaling == "none":
        return X
    lower, upper = setting.ranges or bounds
    width = X.std(axis=0) if setting.scaling == "local" else upper - lower
    return np.asarray(X / np.where(width > 0, width, 1.0))

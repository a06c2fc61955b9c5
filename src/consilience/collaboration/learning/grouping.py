r"""Groups of institutions whose label mixes are alike (section 4.2 of [Sugawara2026]_).

.. math::
    p_i(k) = \frac{1}{n_i} \sum_s I(y_{i,s} = k), \qquad
    D_{ij} = \tfrac12 \sum_k |p_i(k) - p_j(k)|

(Eqs. 6 and 7). Complete linkage cut at t gives groups in which no two institutions are farther
apart than t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform

__all__ = [
    "check_newcomers",
    "choose_threshold",
    "gap_threshold",
    "group_parties",
    "label_distributions",
    "members_of",
    "merge_tree",
    "nearest_group",
    "place_newcomers",
    "total_variation",
]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

ROUNDING = 1e-9
"""Distances are sums of differences of fractions: a threshold is met up to this."""


def label_distributions(counts: npt.ArrayLike) -> Array:
    """Return the label distribution of each institution (Eq. 6).

    Parameters
    ----------
    counts : array-like of shape (n_parties, n_classes)
        Rows of each class; every institution has at least one row.

    Examples
    --------
    >>> label_distributions([[3, 1], [0, 2]])
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    counts = np.asarray(counts, dtype=np.float64)
    totals = counts.sum(axis=1)
    if (counts < 0).any() or (totals <= 0).any():
        raise ValueError(
            f"{int((totals <= 0).sum())} of {len(counts)} institutions have no labelled row: "
            f"their label mix is not known, so they belong to no group. Leave them out, or give "
            f"them a group by hand."
        )
    return np.asarray(counts / totals[:, None])


def total_variation(P: Array) -> Array:
    """Return the matrix of total-variation distances (Eq. 7), values in [0, 1].

    Examples
    --------
    >>> total_variation(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]))
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.5],
           [1. , 0.5, 0. ]])
    """
    return np.asarray(squareform(_condensed(P)))


def merge_tree(P: Array) -> Array:
    """Return the tree of complete linkage, as scipy writes it: one merge a line.

    Parameters
    ----------
    P : ndarray of shape (n_parties, n_classes)

    Returns
    -------
    ndarray of shape (n_parties - 1, 4)
        Empty for a single institution.
    """
    if len(P) < 2:
        return np.empty((0, 4))
    return np.asarray(linkage(_condensed(P), "complete"))


def group_parties(tree: Array, threshold: float) -> Codes:
    """Cut the tree so that no group is wider than the threshold (Alg. 1, line 7).

    Parameters
    ----------
    tree : ndarray of shape (n_parties - 1, 4)
        Empty for a single institution.
    threshold : float
        t in [0, 1]: 0 groups equal label mixes only, 1 groups everybody.

    Returns
    -------
    ndarray of shape (n_parties,), int64
        Groups are numbered in the order in which institutions first meet them.

    Examples
    --------
    >>> tree = merge_tree(np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]]))
    >>> group_parties(tree, 0.2)
    array([0, 1, 0])
    """
    if not 0 <= threshold <= 1:
        raise ValueError(
            f"threshold == {threshold}, must be between 0 and 1: it is a total-variation distance."
        )
    if not len(tree):
        return np.zeros(1, dtype=np.int64)
    found = fcluster(tree, threshold + ROUNDING, criterion="distance")
    _, first, codes = np.unique(found, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]


def gap_threshold(tree: Array) -> float:
    """Choose a threshold without any label of validation: the middle of the largest gap.

    The heights at which groups merge, with 0 before them and 1 after them, have a largest gap; a
    cut inside it changes least when the label mixes change a little.

    Examples
    --------
    >>> P = np.array([[1.0, 0.0], [0.9, 0.1], [0.1, 0.9], [0.0, 1.0]])
    >>> round(gap_threshold(merge_tree(P)), 2)
    0.55
    """
    heights = np.concatenate([[0.0], np.sort(tree[:, 2]) if len(tree) else [], [1.0]])
    gaps = np.diff(heights)
    place = int(gaps.argmax())
    return float(heights[place] + gaps[place] / 2)


def choose_threshold(rule: float | str, tree: Array) -> float:
    """Return the threshold a rule stands for: itself, or that of the largest gap."""
    return gap_threshold(tree) if rule == "gap" else float(rule)


def members_of(groups: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Return the members of each group, in the order of the groups.

    Examples
    --------
    >>> members_of({"a": 0, "b": 1, "c": 0})
    [('a', 'c'), ('b',)]
    """
    members: dict[int, list[str]] = {g: [] for g in sorted(set(groups.values()))}
    for name, g in groups.items():
        members[g].append(name)
    return [tuple(group) for group in members.values()]


def check_newcomers(newcomers: Sequence[str], rows: Sequence[str]) -> frozenset[str]:
    """Return the newcomers, of whom there must be fewer than institutions."""
    unknown = [name for name in newcomers if name not in rows]
    if unknown or len(set(newcomers)) >= len(rows):
        raise ValueError(
            f"newcomers == {list(newcomers)}, must be row institutions of the study, {list(rows)}, "
            f"and not all of them: they join groups that others made."
        )
    return frozenset(newcomers)


def place_newcomers(P: Array, new: npt.NDArray[np.bool_], groups: Codes) -> Codes:
    """Return the groups of all institutions: those of the settled ones, and the nearest of others.

    Parameters
    ----------
    P : ndarray of shape (n_parties, n_classes)
    new : ndarray of shape (n_parties,), bool
    groups : ndarray of shape (n_parties - n_new,)
        The groups of those that are not new.

    Examples
    --------
    >>> P = np.array([[1.0, 0.0], [0.4, 0.6], [0.0, 1.0]])
    >>> place_newcomers(P, np.array([False, True, False]), np.array([0, 1]))
    array([0, 1, 1])
    """
    codes = np.empty(len(P), dtype=np.int64)
    codes[~new] = groups
    for k in np.flatnonzero(new):
        codes[k] = nearest_group(P[k], P[~new], groups)
    return codes


def nearest_group(p: Array, P: Array, groups: Codes) -> int:
    """Return the group of a new institution: the one with the nearest mean label mix.

    Parameters
    ----------
    p : ndarray of shape (n_classes,)
        Its label distribution.
    P : ndarray of shape (n_parties, n_classes)
    groups : ndarray of shape (n_parties,)

    Examples
    --------
    >>> P = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> nearest_group(np.array([0.3, 0.7]), P, np.array([0, 1]))
    1
    """
    means = np.stack([P[groups == g].mean(axis=0) for g in range(groups.max() + 1)])
    return int(np.abs(means - p).sum(axis=1).argmin())


def _condensed(P: Array) -> Array:
    return np.asarray(pdist(P, "cityblock") / 2)

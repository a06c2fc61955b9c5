"""Base clusterers: any scikit-learn clusterer, and six that go by a name."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans

from consilience.consensus.codes import unanimous
from consilience.consensus.kernel_kmeans import KernelKMeans
from consilience.consensus.srgf import SubspaceGraphClustering
from consilience.exceptions import StudyError

__all__ = ["BASES", "BaseName", "cluster_once", "named_base", "read_settings"]

BaseName = Literal["kmeans", "dbscan", "hdbscan", "kernel-kmeans", "sc-srgf", "agglomerative"]
BASES: dict[BaseName, Any] = {
    "kmeans": KMeans,
    "dbscan": DBSCAN,
    "hdbscan": HDBSCAN,
    "kernel-kmeans": KernelKMeans,
    "sc-srgf": SubspaceGraphClustering,
    "agglomerative": AgglomerativeClustering,
}
TRIED_ROWS = 200
WEIGHTED = (KMeans, DBSCAN, KernelKMeans)


def named_base(base: Any, n_clusters: int = 8) -> Any:
    """Return the clusterer a name stands for; a clusterer stands for itself.

    Parameters
    ----------
    base : str or clusterer
        A key of :data:`BASES`, or an object with ``fit_predict``.
    n_clusters : int, default=8
        For the named clusterers that ask for a number.

    Examples
    --------
    >>> named_base("kmeans", 3)
    KMeans(n_clusters=3)
    """
    if isinstance(base, str):
        if base not in BASES:
            raise ValueError(f"base == {base!r}, must be one of {sorted(BASES)}, or a clusterer.")
        made = HDBSCAN(copy=True) if base == "hdbscan" else BASES[base]()
        return made.set_params(n_clusters=n_clusters) if "n_clusters" in made.get_params() else made
    if not hasattr(base, "fit_predict"):
        raise TypeError(
            f"base is a {type(base).__name__}, must have fit_predict or be one of {sorted(BASES)}."
        )
    return base


def read_settings(base: Any, pairs: list[str]) -> dict[str, Any]:
    """Read the settings of a base from NAME=VALUE texts, and try them.

    A value is a whole number, a number, true, false, none, or a text.

    Parameters
    ----------
    base : clusterer
    pairs : list of str

    Examples
    --------
    >>> read_settings(DBSCAN(), ["eps=0.5", "algorithm=brute", "p=none"])
    {'eps': 0.5, 'algorithm': 'brute', 'p': None}
    """
    settings: dict[str, Any] = {}
    known = base.get_params()
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise StudyError(f"--set {pair!r} must be NAME=VALUE, such as n_clusters=5.")
        if name not in known:
            raise StudyError(
                f"--set {pair!r}: {type(base).__name__} has no setting {name!r}, but "
                f"{', '.join(sorted(known))}."
            )
        settings[name] = _value(text)
    if settings:
        _try(clone(base).set_params(**settings), pairs)
    return settings


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _try(base: Any, pairs: list[str]) -> None:
    """Let a clusterer check its own settings, on a few rows of no importance."""
    rows = np.random.default_rng(0).normal(size=(TRIED_ROWS, 2))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cluster_once(base, rows, np.random.default_rng(0))
    except (ValueError, TypeError) as error:
        first = str(error).splitlines()[0]
        raise StudyError(f"--set {' '.join(pairs)} is not possible: {first}") from None


def cluster_once(
    base: Any,
    X: npt.NDArray[np.float64],
    rng: np.random.Generator,
    weights: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.int64]:
    """Run a clusterer once and give each noise point a label of its own.

    A clusterer that asks for at least as many groups as there are rows, for more rows than there
    are to make one group, or for as many neighbours as there are other rows, leaves every row
    alone: that is what ends the consensus.

    Parameters
    ----------
    base : clusterer
        Cloned, never changed.
    X : ndarray of shape (n_rows, n_features)
    rng : Generator
        Seeds every ``random_state`` of the clone.
    weights : ndarray of shape (n_rows,), or None
        Rows each row stands for; a clusterer that knows no weights does without.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        Labels >= 0.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [9.0]])
    >>> cluster_once(DBSCAN(eps=0.5, min_samples=2), X, np.random.default_rng(0))
    array([0, 0, 0, 1, 2])
    """
    seeds = {
        name: int(rng.integers(2**31))
        for name in sorted(base.get_params())
        if name == "random_state" or name.endswith("__random_state")
    }
    if _leaves_all_alone(base, len(X)):
        return np.arange(len(X), dtype=np.int64)
    made = clone(base).set_params(**seeds)
    fitted = _once_each(made, X, weights) if isinstance(base, WEIGHTED) else made.fit_predict(X)
    labels = np.asarray(fitted).astype(np.int64)
    noise = labels < 0
    labels[noise] = labels.max(initial=-1) + 1 + np.arange(int(noise.sum()))
    return labels


def _leaves_all_alone(base: Any, n_rows: int) -> bool:
    parameters = base.get_params()
    wanted = parameters.get("n_clusters")
    if n_rows < 2 or (isinstance(wanted, (int, np.integer)) and n_rows <= wanted):
        return True
    if isinstance(base, SubspaceGraphClustering) and n_rows <= base.n_neighbors + 1:
        # Every row is a neighbour of every other: such a graph knows no groups.
        return True
    needed = [parameters.get(name) for name in ("min_samples", "min_cluster_size")]
    return isinstance(base, HDBSCAN) and any(n is not None and n_rows < n for n in needed)


def _once_each(
    base: Any, X: npt.NDArray[np.float64], weights: npt.NDArray[np.float64] | None
) -> npt.NDArray[np.int64]:
    """Run a clusterer on the distinct rows, weighted: the same task with far fewer rows.

    Equal rows have equal neighbours and equal distances, and a weight counts like copies. Rows
    keep the order of their first appearance, on which the labels of DBSCAN's border rows depend.
    """
    place = unanimous(X)
    count = np.bincount(place, weights)
    if len(count) == len(X) and weights is None:
        return np.asarray(base.fit_predict(X))
    if _leaves_all_alone(base, len(count)):
        return place
    rows = X[np.unique(place, return_index=True)[1]]
    return np.asarray(base.fit(rows, sample_weight=count).labels_[place])

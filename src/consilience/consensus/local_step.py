"""A peer's own part of an iteration: repetitions on columns, made into one label vector."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from consilience.consensus.bases import cluster_once, named_base
from consilience.consensus.choice import OwnChoice
from consilience.consensus.codes import relax, unanimous
from consilience.consensus.medoids import Similarity

__all__ = [
    "LocalStep",
    "Profile",
    "cluster_views",
    "local_generator",
    "local_labels",
    "profiled",
    "settings_of",
    "settle",
]


@dataclass(frozen=True)
class LocalStep:
    """What a peer decides alone: how it clusters and ranks its own columns.

    Parameters
    ----------
    base : clusterer
        See :func:`~consilience.consensus.bases.named_base`.
    n_repeats : int, default=1
        R, the number of repetitions.
    feature_fraction : float, default=1.0
        q, the share of the columns each repetition sees, in (0, 1].
    projection : transformer or None, default=None
        Fitted on the columns of each repetition before the clusterer.
    relaxed : float or None, default=None
        Threshold h of the * variant; None keeps every repetition.
    similarity : {"center", "cosine", "euclidean", "rbf"}, default="cosine"
        How the peer ranks the members of a cluster.
    weighted : bool, default=False
        Whether each active row counts for all the rows it stands for, in clustering (where the
        clusterer knows weights) and in ranking. The paper lets each count once.
    n_jobs : int or None, default=None
        Threads for the repetitions. The labels do not depend on it.
    """

    base: Any
    n_repeats: int = 1
    feature_fraction: float = 1.0
    projection: Any = None
    relaxed: float | None = None
    similarity: Similarity = "cosine"
    weighted: bool = False
    n_jobs: int | None = None


def settings_of(step: LocalStep) -> str:
    """Write down everything of a local step that the labels depend on.

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN
    >>> print(settings_of(LocalStep(DBSCAN(eps=2)))[:63])
    base=sklearn.cluster._dbscan.DBSCAN(algorithm='auto', eps=2, le
    """
    parts = (field.name for field in fields(step) if field.name != "n_jobs")
    return "\n".join(f"{name}={_written(getattr(step, name))}" for name in parts)


def _written(value: Any) -> str:
    if not hasattr(value, "get_params"):
        return repr(value)
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    inside = {name: _written(v) for name, v in sorted(value.get_params(deep=False).items())}
    return f"{kind}({', '.join(f'{name}={text}' for name, text in inside.items())})"


Profile = Literal["steady", "paper"]
PAPER_GROUPS = 8


def profiled(
    profile: Profile | None, base: Any = None, n_groups: int | None = None, **settings: Any
) -> LocalStep:
    """Make a local step, with what the profile says for all that is not chosen.

    Parameters
    ----------
    profile : {"steady", "paper"} or None
        ``"steady"``: the peer chooses its base by its own columns, see
        :class:`~consilience.consensus.choice.OwnChoice`, or k-means of `n_groups`; k-means by name
        starts ten times; medoids count for the rows they stand for and are ranked by their
        distance to the mean. ``"paper"``, and None: k-means of 8 groups, started once; each medoid
        counts once; ranked by cosine similarity.
    base : str, clusterer or None
    n_groups : int or None
        For bases by name that ask for a number.
    **settings
        Further fields of :class:`LocalStep`; None is not chosen.

    Examples
    --------
    >>> profiled("steady").base, profiled("steady", n_groups=3).base, profiled("paper").base
    (OwnChoice(), KMeans(n_clusters=3, n_init=10), KMeans())
    """
    steady = profile == "steady"
    chosen = {name: value for name, value in settings.items() if value is not None}
    defaults = {"similarity": "center", "weighted": True} if steady else {}
    if base is None and steady and n_groups is None:
        made: Any = OwnChoice()
    else:
        made = named_base("kmeans" if base is None else base, n_groups or PAPER_GROUPS)
        if steady and not hasattr(base, "fit_predict") and isinstance(made, KMeans):
            made = made.set_params(n_init=10)
    return LocalStep(made, **{**defaults, **chosen})


def settle(step: LocalStep, X: npt.NDArray[np.float64]) -> LocalStep:
    """Let a step that chooses its base do so, on the rows all peers hold."""
    base = step.base
    return replace(step, base=base.choose(X)) if isinstance(base, OwnChoice) else step


def local_generator(seed: int, peer: int, iteration: int, repetition: int) -> np.random.Generator:
    """Make the generator of one repetition of one peer's local step.

    Parameters
    ----------
    seed : int
        Seed of the study, in [0, 2**32).
    peer : int
        Place of the peer among the sorted names of the study.
    iteration, repetition : int
        Counted from 1 and from 0.

    Examples
    --------
    >>> a = local_generator(0, 1, 1, 0).integers(100, size=3)
    >>> b = local_generator(0, 1, 1, 0).integers(100, size=3)
    >>> (a == b).all()
    np.True_
    """
    return np.random.default_rng(np.random.SeedSequence((seed, peer, iteration, repetition)))


def cluster_views(
    X: npt.NDArray[np.float64],
    step: LocalStep,
    *,
    seed: int,
    peer: int,
    iteration: int,
    weights: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.int64]:
    r"""Cluster the active rows R times, on :math:`\lfloor q p_a \rfloor` random columns.

    Parameters
    ----------
    X : ndarray of shape (n_active, n_features)
    step : LocalStep
    seed, peer, iteration : int
        With the number of the repetition they fix every random choice.
    weights : ndarray of shape (n_active,), or None
        Rows each active row stands for, where the step wants to know.

    Returns
    -------
    ndarray of shape (n_active, n_repeats), int64

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> X = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 0.0], [9.0, 9.0]])
    >>> step = LocalStep(KMeans(2), n_repeats=3, feature_fraction=0.5)
    >>> cluster_views(X, step, seed=0, peer=0, iteration=1).shape
    (4, 3)
    """
    n_columns = max(1, int(step.feature_fraction * X.shape[1]))

    def repeat(repetition: int) -> npt.NDArray[np.int64]:
        rng = local_generator(seed, peer, iteration, repetition)
        view = X
        if n_columns < X.shape[1]:
            view = X[:, np.sort(rng.permutation(X.shape[1])[:n_columns])]
        if step.projection is not None:
            projection = clone(step.projection)
            if "random_state" in projection.get_params():
                projection.set_params(random_state=int(rng.integers(2**31)))
            view = np.asarray(projection.fit_transform(view), dtype=np.float64)
        return cluster_once(step.base, view, rng, weights)

    with warnings.catch_warnings():
        # Fewer distinct rows than clusters is an answer here, not a fault.
        warnings.simplefilter("ignore", ConvergenceWarning)
        columns = Parallel(n_jobs=step.n_jobs, prefer="threads")(
            delayed(repeat)(repetition) for repetition in range(step.n_repeats)
        )
    return np.column_stack(columns)


def local_labels(
    X: npt.NDArray[np.float64],
    step: LocalStep,
    *,
    seed: int,
    peer: int,
    iteration: int,
    weights: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.int64]:
    """Make one label vector of the repetitions (``GetClusters``, Alg. 1 of [Belucci2026]_).

    Returns
    -------
    ndarray of shape (n_active,), int64
        Labels by first appearance: two rows share one where every repetition, or every
        repetition that the relaxed variant keeps, puts them together.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> X = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 0.0], [9.0, 9.0], [9.0, 9.1]])
    >>> step = LocalStep(KMeans(2), n_repeats=8, feature_fraction=0.5)
    >>> local_labels(X, step, seed=0, peer=0, iteration=1)
    array([0, 1, 2, 3, 3])
    """
    place = {"seed": seed, "peer": peer, "iteration": iteration}
    labels = cluster_views(X, step, **place, weights=weights)
    return unanimous(labels if step.relaxed is None else relax(labels, step.relaxed))

"""The estimator of VertCoHiRF: the real peers, driven inside one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.consensus.local_step import LocalStep, profiled
from consilience.consensus.medoids import Similarity
from consilience.consensus.prediction import cluster_means, predict_clusters
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.consensus.views import column_views
from consilience.exceptions import PeerError
from consilience.transports import deliver

__all__ = ["ConsensusClustering"]


@dataclass(eq=False, repr=False)
class ConsensusClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows whose columns several peers hold, by consensus on labels and ranks.

    VertCoHiRF [Belucci2026]_. In each iteration every peer clusters the active rows by its own
    columns with a method of its own; rows stay together only where no peer separates them; the
    peers elect a medoid of each group by adding up ranks, and the medoids are the active rows of
    the next iteration. It ends when no two medoids join. Nobody coordinates, and no feature,
    distance or centre leaves a peer.

    Parameters
    ----------
    base : str, clusterer, LocalStep, or a list of them, or None, default=None
        None lets the profile decide. One for all peers or one per peer: a key of
        :data:`~consilience.consensus.bases.BASES`, any scikit-learn clusterer, or a
        :class:`~consilience.consensus.local_step.LocalStep` with settings of its own.
    columns : list of lists of int or str, or None, default=None
        The columns each peer holds; they may overlap. None means one peer that holds all.
    n_groups : int or None, default=None
        For bases given by name that ask for a number. It is the number of groups each peer
        makes; the number of clusters follows from the consensus. None lets each peer choose it, or
        is 8 in the paper's profile.
    n_repeats : int, default=1
        R, repetitions of the local step.
    feature_fraction : float, default=1.0
        q, share of a peer's columns in each repetition, in (0, 1].
    projection : transformer or None, default=None
        Applied to the columns of each repetition.
    relaxed : bool or float, default=False
        The * variant: repetitions that stand against the others are dropped; a number is the
        threshold, True means 0.8.
    similarity : {"center", "cosine", "euclidean", "rbf"} or None, default=None
        How peers rank the members of a cluster; None lets the profile decide.
    weighted : bool or None, default=None
        Whether a medoid counts for all the rows it stands for; None lets the profile decide.
    profile : {"steady", "paper"}, default="steady"
        ``"paper"`` is the method as published; ``"steady"`` lets each peer choose base and number
        of groups by its own columns, and ends alike from other seeds, see
        :func:`~consilience.consensus.local_step.profiled`.
    rule : {"veto", "votes"}, default="veto"
        ``"votes"`` keeps rows together where most votes of most peers are for it: a peer that lies
        can no longer separate everything.
    ranking : {"sum", "median"}, default="sum"
    max_candidates : int or None, default=None
        N_s, members of a cluster that are ranked; set it with ``"euclidean"`` or ``"rbf"`` and
        many rows.
    veto : {"iteration", "persistent"}, default="iteration"
        This and the others, see :class:`~consilience.consensus.terms.ConsensusTerms`.
    max_labels : int or None, default=None
    max_singletons : float, default=0.9
    when_guarded : {"refuse", "exclude"}, default="refuse"
        Guards of the first iteration.
    max_iter : int, default=100
    n_jobs : int or None, default=None
        Threads for the repetitions; the result does not depend on it.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
        Clusters numbered by first appearance.
    n_clusters_ : int
    hierarchy_ : Hierarchy
        All fusions; ``hierarchy_.cut(level)`` gives the clusters after an iteration.
    n_iter_ : int
    log_ : list of str
        What happened that is worth knowing: excluded peers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Property 3.4 of the paper, "no merge of rows that an honest peer separates", holds within an
    iteration. Later iterations see medoids only, and rows that a peer separated in the first one
    can meet through them: on real data most finally merged pairs did. ``veto="persistent"`` makes
    the property hold for good, at the price of stopping after the first iteration, which is what
    it implies.

    Examples
    --------
    A peer that sees rings and a peer that sees piles; together there are four groups.

    >>> from sklearn.cluster import DBSCAN, KMeans
    >>> rng = np.random.default_rng(0)
    >>> angle, noise = rng.uniform(0, 6.28, 200), rng.normal(size=200)
    >>> ring, pile = rng.integers(2, size=(2, 200))
    >>> X = np.column_stack([np.cos(angle) * (1 + ring), np.sin(angle) * (1 + ring)])
    >>> X = np.column_stack([X, 9 * pile + noise])
    >>> bases = [DBSCAN(eps=0.5), KMeans(2)]
    >>> model = ConsensusClustering(bases, columns=[[0, 1], [2]], random_state=0)
    >>> from sklearn.metrics import adjusted_rand_score
    >>> adjusted_rand_score(2 * ring + pile, model.fit_predict(X))
    1.0
    """

    base: Any = None
    _: KW_ONLY
    columns: Sequence[Sequence[Any]] | None = None
    n_groups: int | None = None
    n_repeats: int = 1
    feature_fraction: float = 1.0
    projection: Any = None
    relaxed: bool | float = False
    similarity: str | None = None
    weighted: bool | None = None
    profile: str = "steady"
    rule: str = "veto"
    ranking: str = "sum"
    max_candidates: int | None = None
    veto: str = "iteration"
    max_labels: int | None = None
    max_singletons: float = 0.9
    when_guarded: str = "refuse"
    max_iter: int = 100
    n_jobs: int | None = None
    random_state: Any = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Let the peers agree.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            All columns side by side; each peer is given its own only.
        y : None
            Ignored.
        """
        X = validate_data(self, X, dtype=np.float64)
        views = column_views(self.columns, X.shape[1], getattr(self, "feature_names_in_", None))
        steps = self._steps(len(views))
        width = len(str(len(views)))
        names = tuple(f"peer-{k + 1:0{width}d}" for k in range(len(views)))
        terms = self._terms()
        roles = {
            name: Peer(name, names, np.ascontiguousarray(X[:, view]), terms, step)
            for name, view, step in zip(names, views, steps, strict=True)
        }
        deliver([m for role in roles.values() for m in role.begin()], roles)
        first = roles[names[0]]
        if not all(role.done for role in roles.values()):
            raise PeerError(f"the peers did not finish: {'; '.join(first.log)}")
        self.hierarchy_ = first.hierarchy
        self.labels_ = first.labels
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.n_iter_ = first.iteration
        self.log_ = list(first.log)
        self._views = views
        self._means = [cluster_means(X[:, view], self.labels_) for view in views]
        return self

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Give rows that come later the cluster that ranks best over all peers.

        Each peer orders the clusters by the distance of a row to their means in its own columns;
        the lowest sum of ranks wins, as in the election of medoids. Rows of the fit mostly get the
        label they have, not always: the consensus was not about means.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return predict_clusters([X[:, view] for view in self._views], self._means)

    def _terms(self) -> ConsensusTerms:
        given = {n: getattr(self, n) for n in ConsensusTerms.model_fields if hasattr(self, n)}
        try:
            return ConsensusTerms(seed=_seed(self.random_state), **given)
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"{first['loc'][0]} == {first['input']!r}: {first['msg']}.") from None

    def _steps(self, n_peers: int) -> list[LocalStep]:
        check_scalar(self.n_repeats, "n_repeats", Integral, min_val=1)
        check_scalar(
            self.feature_fraction,
            "feature_fraction",
            Real,
            min_val=0,
            max_val=1,
            include_boundaries="right",
        )
        if self.n_groups is not None:
            check_scalar(self.n_groups, "n_groups", Integral, min_val=1)
        known = get_args(Similarity)
        if self.similarity not in (None, *known):
            raise ValueError(f"similarity == {self.similarity!r}, must be one of {known}, or None.")
        bases = list(self.base) if isinstance(self.base, (list, tuple)) else [self.base] * n_peers
        if len(bases) != n_peers:
            raise ValueError(
                f"base has {len(bases)} entries, must be one for all, or {n_peers}: one per peer."
            )
        relaxed = 0.8 if self.relaxed is True else self.relaxed or None
        return [
            base
            if isinstance(base, LocalStep)
            else profiled(
                self.profile,  # type: ignore[arg-type]
                base,
                self.n_groups,
                n_repeats=self.n_repeats,
                feature_fraction=self.feature_fraction,
                projection=self.projection,
                relaxed=None if relaxed is None else float(relaxed),
                similarity=self.similarity,
                weighted=self.weighted,
                n_jobs=self.n_jobs,
            )
            for base in bases
        ]


def _seed(random_state: Any) -> int:
    if isinstance(random_state, Integral):
        return int(random_state) % 2**32
    return int(check_random_state(random_state).randint(2**31))

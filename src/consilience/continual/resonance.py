"""The resonance network on its own, as an estimator."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.continual.nodes import compute
from consilience.continual.nodes.network import MAX_NODES, MIN_START, Network
from consilience.continual.nodes.profile import find_profile
from consilience.continual.state import load_state, save_state

__all__ = ["ResonanceClustering"]

KIND = "resonance clustering"


@dataclass(eq=False, repr=False)
class ResonanceClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster a stream in one pass, without a number of clusters, by adaptive resonance.

    A point either resonates with its nearest node, which moves towards it, or becomes a node. The
    threshold between the two is estimated from the first nodes. Points that resonate with two
    nodes tie these by an edge; clusters are the connected components.

    Parameters
    ----------
    topology : bool, default True
        With edges this is CAE or CAE_FC, without CA+ (every node its own cluster).
    similarity : {"correntropy", "cim"}, default "correntropy"
        Similarity behind the number of active nodes: Eq. (29) of [Masuyama2024]_ (CAE_FC, CA+)
        or Eq. (12) (CAE, which makes more nodes).
    profile : {"reference", "paper"}, default "reference"
        See :mod:`consilience.continual.nodes.profile`.
    max_nodes : int, default 4096
        Nodes it never exceeds, at least 10: it bounds the memory and the cost of a row. A node that
        won nothing for 7 times as many rows is forgotten.
    compiled : bool, optional
        True insists on the compiled path (extra ``fast``), False on plain numpy; None takes
        the faster one that is installed.

    Attributes
    ----------
    nodes_ : ndarray of shape (n_nodes, n_features)
    edges_ : ndarray of shape (n_edges, 2)
        Pairs of indices into ``nodes_``.
    node_labels_ : ndarray of shape (n_nodes,)
        Cluster of each node. Clusters are numbered by the points their nodes won, most first.
    winning_counts_ : ndarray of shape (n_nodes,)
    n_clusters_ : int
    labels_ : ndarray of shape (n_rows,)
        Clusters of the rows of the last ``fit`` or ``partial_fit``.
    n_features_in_ : int

    Notes
    -----
    The order of the rows matters, as it does for every method that sees each row once. Nothing is
    scaled: features in very different units should be brought to one.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-4, 1, (500, 2)), rng.normal(4, 1, (500, 2))])
    >>> model = ResonanceClustering().fit(rng.permutation(X))
    >>> left, right = model.predict([[-4, -4], [4, 4]])
    >>> bool(left != right)
    True
    """

    topology: bool = True
    _: KW_ONLY
    similarity: str = "correntropy"
    profile: str = "reference"
    max_nodes: int = MAX_NODES
    compiled: bool | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Forget everything and learn the rows of `X`, of shape (n_rows, n_features), in order."""
        for name in ("_network", "labels_"):
            self.__dict__.pop(name, None)
        return self._learn(X, reset=True)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn the rows of `X` in their order, on top of what is known."""
        return self._learn(X, reset=not hasattr(self, "_network"))

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the cluster of the nearest node of each row."""
        check_is_fitted(self, "_network")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._label(X)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what was learnt to a file, from which :meth:`load` goes on.

        The nodes are in it, and most of them are rows: keep it as you keep the table.
        """
        check_is_fitted(self, "_network")
        names = getattr(self, "feature_names_in_", None)
        state = {
            "parameters": self.get_params(),
            "labels": self.labels_,
            "feature_names": None if names is None else [str(name) for name in names],
            "network": self._network.state(),
        }
        save_state(path, KIND, state)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model written by :meth:`save` and go on with it."""
        state = load_state(path, KIND)
        model = cls(**state["parameters"])
        model._network = Network.from_state(state["network"])
        model.n_features_in_ = model._network.n_features
        if state["feature_names"] is not None:
            model.feature_names_in_ = np.array(state["feature_names"], dtype=object)
        model._publish()
        model.labels_ = state["labels"]
        return model

    def _learn(self, X: Any, reset: bool) -> Self:
        X = validate_data(self, X, dtype=np.float64, reset=reset)
        if self.similarity not in ("correntropy", "cim"):
            raise ValueError(f"similarity == {self.similarity!r}, must be 'correntropy' or 'cim'.")
        check_scalar(self.max_nodes, "max_nodes", Integral, min_val=MIN_START)
        profile = find_profile(self.profile)
        if reset:
            self._network = Network(
                X.shape[1],
                profile,
                topology=self.topology,
                similarity=self.similarity,  # type: ignore[arg-type]
                max_nodes=self.max_nodes,
            )
        compute.path(self.compiled).learn(self._network, X)
        self._publish()
        self.labels_ = self._label(X)
        return self

    def _publish(self) -> None:
        self.node_labels_ = self._network.clusters()
        self.n_clusters_ = int(self.node_labels_.max()) + 1
        self.nodes_ = self._network.positions.copy()
        self.edges_ = self._network.edges()
        self.winning_counts_ = self._network.counts[: self._network.n_nodes].copy()

    def _label(self, X: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        nearest = compute.path(self.compiled).nearest(
            X, self._network.positions, self._network.sigma
        )
        labels: npt.NDArray[np.int64] = self.node_labels_[nearest]
        return labels

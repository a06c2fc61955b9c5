"""The estimator of FCAC: the real roles, driven inside one process, round after round."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.continual.analyst import Analyst
from consilience.continual.copies import count_copies
from consilience.continual.naming import Succession
from consilience.continual.nodes import compute
from consilience.continual.nodes.network import MAX_NODES, MIN_START
from consilience.continual.nodes.profile import find_profile
from consilience.continual.party import Party
from consilience.continual.state import load_state, save_state
from consilience.continual.units import Units
from consilience.holdings import row_groups
from consilience.messages import Message, NodeUpdate, Role
from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise
from consilience.privacy.stand_ins import DELTA, StandIns
from consilience.transports import deliver

__all__ = ["ContinualClustering"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
KIND = "continual clustering"
FITTED = ("n_features_in_", "labels_", "copies_", "n_sent_")
"""What a fitted model has beside its roles."""


@dataclass(eq=False, repr=False, kw_only=True)
class ContinualClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster streams held by many institutions, without end and without a number of clusters.

    Each party turns its rows into nodes (CA+), after adding noise if asked to. The analyst feeds
    the nodes of all parties to one lasting network (CAE_FC); the clusters are its connected
    components. Every further call of ``partial_fit`` is a round: nothing starts again, only nodes
    that are new or have moved are sent, and clusters keep their names.

    Parameters
    ----------
    epsilon : float, optional
        Privacy budget per record and round. None sends without noise, and then most nodes equal
        a row of the party: see ``copies_``.
    bounds : pair of array-like of shape (n_features,), optional
        Public lower and upper bounds of each feature; needed with `epsilon`, and the measure of
        the features in the profile ``"improved"``.
    noise : {"rows", "centers"}, default "rows"
        What the noise is on: on every row, as in the paper, or on centres of many rows, which then
        stand in for them. The second keeps far more at the same epsilon.
    delta : float, default 1e-6
        Beside `epsilon`, with noise on centres.
    budget : float, optional
        What all rounds together may spend per record; a round that would exceed it is refused.
        Neither ``fit`` nor ``leave`` nor another `epsilon` gives back what was spent.
    profile : {"reference", "paper", "improved"}, default "reference"
        See :mod:`consilience.continual.nodes.profile`.
    resend : {"changed", "all"}, default "changed"
        Which nodes a party sends in later rounds.
    min_cluster_size : int, default 1
        Nodes a cluster must stand for not to be absorbed by the nearest larger one.
    max_nodes : int, default 4096
        Nodes a party or the analyst never exceeds, at least 10: it bounds memory and the cost of
        a row. A node that won nothing for 7 times as many rows is forgotten.
    random_state : int, RandomState instance or None
        Order in which nodes are presented; an int makes the result repeatable. It never
        touches the noise.

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
        Clusters of the rows of the last call. Names last from round to round, so there may be
        gaps once clusters have merged.
    n_clusters_, n_nodes_ : int
        Clusters and nodes of the analyst's network.
    nodes_ : ndarray of shape (n_nodes_, n_features)
    node_labels_ : ndarray of shape (n_nodes_,)
    edges_ : ndarray of shape (n_edges, 2)
    n_sent_ : int
        Nodes sent by all parties in the last round.
    copies_ : int
        How many of them equal a row of their party in that round bit for bit.
    succession_ : Succession
        Births, splits, merges and deaths in the last round.
    n_rounds_ : int
    parties_ : list of str
    spent_ : dict of str to float
        Budget spent per record by each party that ever took part, since this object was made.
    n_features_in_ : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2)) + np.repeat([[0, 0], [20, 0]], 300, axis=0)
    >>> hospitals = np.arange(600) % 3
    >>> model = ContinualClustering(random_state=0).fit(X, parties=hospitals)
    >>> left, right = model.predict([[0, 0], [20, 0]])
    >>> model.partial_fit(X + 0.1, parties=hospitals).n_rounds_
    2
    >>> bool(left != right), model.predict([[0, 0], [20, 0]]).tolist() == [left, right]
    (True, True)
    """

    epsilon: float | None = None
    bounds: Any = None
    noise: str = "rows"
    delta: float = DELTA
    budget: float | None = None
    profile: str = "reference"
    resend: str = "changed"
    min_cluster_size: int = 1
    max_nodes: int = MAX_NODES
    random_state: Any = None

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Forget everything but what was spent, and learn a first round.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : ignored
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        self.__dict__.pop("_analyst", None)
        return self._round(X, parties, reset=True)

    def partial_fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Learn one more round, on top of all before.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The new rows only.
        y : ignored
        parties : array-like of shape (n_rows,), optional
            As in :meth:`fit`. Institutions that were not there before join; those without rows in
            this round are left as they are.
        """
        return self._round(X, parties, reset=not hasattr(self, "_analyst"))

    def predict(self, X: Any) -> IntArray:
        """Return the cluster of the analyst's node nearest to each row."""
        check_is_fitted(self, "_analyst")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        network = self._analyst.network
        X = self._units().scale(X)
        nearest = compute.path().nearest(X, network.positions, network.sigma)
        labels: IntArray = self._analyst.clusters.node_labels[nearest]
        return labels

    def leave(self, party: Any, *, withdraw: bool = False) -> Self:
        """Let a party go, with all it sent if `withdraw`.

        Parameters
        ----------
        party : str or int
            One of ``parties_``.
        withdraw : bool
            Build the analyst's network again from the nodes of the others.
        """
        check_is_fitted(self, "_analyst")
        self._analyst.leave(str(party), withdraw=withdraw)
        del self._parties[str(party)]
        self._publish()
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state of all roles to one file, from which :meth:`load` goes on."""
        check_is_fitted(self, "_analyst")
        parameters = self.get_params()
        if not isinstance(self.random_state, (int, type(None))):
            parameters["random_state"] = None
        if self.bounds is not None:
            parameters["bounds"] = np.asarray(self.bounds, dtype=np.float64)
        names = getattr(self, "feature_names_in_", None)
        state = {
            "parameters": parameters,
            "fitted": {name: getattr(self, name) for name in FITTED},
            "feature_names": None if names is None else [str(name) for name in names],
            "seed": self._seed,
            "analyst": self._analyst.state(),
            "parties": [party.state() for party in self._parties.values()],
            "spent": {name: budget.rows() for name, budget in self._budgets.items()},
        }
        save_state(path, KIND, state)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model written by :meth:`save` and go on with it."""
        state = load_state(path, KIND)
        model = cls(**state["parameters"])
        for name, value in state["fitted"].items():
            setattr(model, name, value)
        if state["feature_names"] is not None:
            model.feature_names_in_ = np.array(state["feature_names"], dtype=object)
        model._start(model.n_features_in_, state["seed"])
        model._analyst.restore(state["analyst"])
        # An earlier version knew what those had spent who had not left.
        before = {party["name"]: party["charges"] for party in state["parties"]}
        for name, charges in (before | state.get("spent", {})).items():
            model._budgets[name] = Budget.from_rows(model.budget, charges)
        for party in state["parties"]:
            model._parties[party["name"]] = model._make_party(party["name"])
            model._parties[party["name"]].restore(party)
            model._parties[party["name"]].budget = model._budgets[party["name"]]
        model._publish()
        return model

    def _round(self, X: Any, parties: Any, reset: bool) -> Self:
        X = validate_data(self, X, dtype=np.float64, reset=reset)
        names, held = row_groups(np.zeros(len(X), int) if parties is None else parties, len(X))
        groups = dict(zip(map(str, names), held, strict=True))
        self._check_parameters()
        if reset:
            random_state = check_random_state(self.random_state)
            seeded = isinstance(self.random_state, Integral)
            seed = int(self.random_state) if seeded else int(random_state.randint(2**31))
            self._start(X.shape[1], seed)
        self._check_units()
        for name in groups:
            self._check_budget(name)
        for name in groups:
            if name not in self._parties:
                self._parties[name] = self._make_party(name)
                self._analyst.join(name)
        self.n_sent_ = self.copies_ = 0
        messages = self._begin(X, groups)
        roles: dict[str, Role] = {**self._parties, self._analyst.name: self._analyst}
        deliver(messages, roles)
        deliver(self._analyst.solve(), roles)
        self._publish()
        self.labels_ = np.empty(len(X), dtype=np.int64)
        for name, rows in groups.items():
            self.labels_[rows] = self._parties[name].label(X[rows])
        return self

    def _begin(self, X: FloatArray, groups: dict[str, npt.NDArray[np.intp]]) -> Iterable[Message]:
        units = self._units()
        for name, rows in groups.items():
            held = X[rows]
            for message in self._parties[name].begin(held):
                if isinstance(message, NodeUpdate):
                    self.n_sent_ += len(message.nodes)
                    self.copies_ += count_copies(message.nodes, units.scale(held))
                yield message

    def _start(self, n_features: int, seed: int) -> None:
        self._seed, self._learnt_in = seed, self._units()
        self._parties: dict[str, Party] = {}
        self._budgets: dict[str, Budget] = getattr(self, "_budgets", {})
        self._analyst = Analyst(
            (),
            n_features,
            profile=find_profile(self.profile),
            seed=seed,
            answer="nodes",
            min_cluster_size=self.min_cluster_size,
            max_nodes=self.max_nodes,
        )

    def _make_party(self, name: str) -> Party:
        return Party(
            name,
            self.n_features_in_,
            profile=find_profile(self.profile),
            noise=self._hide(),
            budget=self._budgets[name],
            units=self._units(),
            resend=self.resend,
            seed=self._seed,
            max_nodes=self.max_nodes,
        )

    def _hide(self) -> LaplaceNoise | StandIns | None:
        """Return what hides the rows, or refuse terms that cannot."""
        if self.epsilon is None:
            return None
        lower, upper = (np.asarray(bound, dtype=np.float64).tolist() for bound in self.bounds)
        if self.noise == "centers":
            return StandIns(lower, upper, self.epsilon, self.delta)
        return LaplaceNoise(lower, upper, self.epsilon)

    def _check_budget(self, name: str) -> None:
        """Open the account of a party, or refuse a round it cannot pay for before anybody draws."""
        known = self._budgets.get(name, Budget())
        budget = self._budgets[name] = Budget(self.budget, known.charges)
        if name in self._parties:
            # What hides the rows of a round is what the parameters say now.
            self._parties[name].budget, self._parties[name].noise = budget, self._hide()
        if self.epsilon is not None:
            Budget(self.budget, list(budget.charges)).charge(self.epsilon, f"the round of {name}")

    def _units(self) -> Units:
        if self.bounds is None or not find_profile(self.profile).scale:
            return Units()
        lower, upper = np.asarray(self.bounds, dtype=np.float64)
        # A feature that cannot vary has no range to be a fraction of; it stays as it is.
        return Units(lower, np.where(upper > lower, upper, lower + 1.0))

    def _check_units(self) -> None:
        """Refuse rows in other units than the nodes that are there."""
        ends = np.array([[-1.0], [1.0]]) * np.ones(self.n_features_in_)
        if not np.array_equal(self._units().scale(ends), self._learnt_in.scale(ends)):
            raise ValueError(
                "bounds (or whether the profile measures by them) were changed between rounds: the "
                "nodes learnt so far are fractions of the bounds of before. Set them back, or "
                "begin anew with fit."
            )

    def _publish(self) -> None:
        analyst, clusters = self._analyst, self._analyst.clusters
        self.n_rounds_, self.parties_ = analyst.rounds, list(analyst.received)
        self.n_nodes_, self.n_clusters_ = analyst.network.n_nodes, clusters.n_clusters
        self.nodes_ = self._units().restore(analyst.network.positions).copy()
        self.node_labels_, self.edges_ = clusters.node_labels, analyst.network.edges()
        self.succession_: Succession = clusters.succession
        self.spent_ = {name: budget.spent for name, budget in self._budgets.items()}

    def _check_parameters(self) -> None:
        find_profile(self.profile)
        if self.bounds is not None and np.shape(self.bounds) != (2, self.n_features_in_):
            raise ValueError(
                f"bounds have shape {np.shape(self.bounds)}, must be (2, {self.n_features_in_}): "
                f"the lower and the upper bound of each feature."
            )
        check_scalar(self.min_cluster_size, "min_cluster_size", Integral, min_val=1)
        check_scalar(self.max_nodes, "max_nodes", Integral, min_val=MIN_START)
        if self.epsilon is None:
            return
        check_scalar(self.epsilon, "epsilon", Real)
        if self.bounds is None:
            raise ValueError(
                f"epsilon == {self.epsilon} needs bounds, the public lower and upper bounds of "
                f"each feature: bounds read from the data would tell what the noise is to hide."
            )
        if self.noise not in ("rows", "centers"):
            raise ValueError(f"noise == {self.noise!r}, must be 'rows' or 'centers'.")
        self._hide()

"""The methods of DC-CFL's tables with the paper's settings, and how their settings are chosen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from benchmarks.dc_cfl.problems import Problem
from consilience import ClusteredCollaborationClassifier, CollaborationClassifier
from consilience.baselines import Ditto, FedAvg, FedClust, FedProx, LocalNetworks
from consilience.baselines.fedclust import group_by_last_layer
from consilience.baselines.stacked_networks import LayerSizes
from consilience.collaboration.learning.grouping import (
    gap_threshold,
    group_parties,
    label_distributions,
    merge_tree,
)
from consilience.collaboration.learning.model import fit_model

Settings = dict[str, Any]

LEARNING_RATES = (0.1, 0.01, 0.001)
THRESHOLDS = tuple(k / 10 for k in range(1, 10))
"""Of the paper, for DC-CFL and FedClust."""
N_ANCHOR = 1000
N_ROUNDS = 5
FEDERATED: Mapping[str, tuple[Callable[..., Any], tuple[Settings, ...]]] = {
    "FedAvg": (FedAvg, tuple({"learning_rate": r} for r in LEARNING_RATES)),
    "FedProx": (
        FedProx,
        tuple(
            {"learning_rate": r, "mu": mu}
            for r, mu in product(LEARNING_RATES, (1.0, 0.1, 0.01, 0.001))
        ),
    ),
    "Ditto": (Ditto, tuple({"pull": pull} for pull in (2.0, 1.0, 0.1, 0.01))),
    "FedClust": (FedClust, tuple({"threshold": t} for t in THRESHOLDS)),
}
"""Each method with the settings among which validation rows choose (section 5.1)."""


def validate(problem: Problem, method: str) -> Iterator[tuple[Settings, float]]:
    """Yield the settings of a method with their accuracy on rows held out of the training rows."""
    make, candidates = FEDERATED[method]
    judged = problem.validation()
    for settings in _distinct(judged, candidates) if method == "FedClust" else candidates:
        with warnings.catch_warnings():
            # Rates that diverge are among the candidates.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = judged.fit(make(**settings, random_state=problem.seed))
        yield settings, judged.accuracy(model)


def _distinct(problem: Problem, candidates: Iterable[Settings]) -> Iterator[Settings]:
    """Yield the thresholds of FedClust that differ in the groups they make."""
    alone = problem.fit(FedClust(threshold=0.0, n_rounds=1, random_state=problem.seed))
    shape = LayerSizes((problem.X.shape[1], *alone.hidden, len(alone.classes_)))
    seen = set()
    for settings in candidates:
        groups = group_by_last_layer(alone.networks_, shape, settings["threshold"])
        if groups.tobytes() not in seen:
            seen.add(groups.tobytes())
            yield settings


def watch(
    problem: Problem, method: str, ranked: Iterable[Settings], n_rounds: int
) -> tuple[Any, list[float], int]:
    """Train a method and judge it on the test rows after each round.

    Of the settings, ranked from the best on, those with which the networks diverge are passed over,
    which shows without any label. Returns the model, the accuracies and how many were passed over.
    """
    for n_diverged, settings in enumerate(ranked):
        model = FEDERATED[method][0](**settings, n_rounds=n_rounds, random_state=problem.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            rounds = model.rounds(problem.X, problem.y, problem.parties)
            accuracies = [problem.accuracy(model) for _ in rounds]
        if np.isfinite(model.networks_).all():
            return model, accuracies, n_diverged
    raise ValueError(f"the networks of {method} diverge with all settings that were given.")


@dataclass(frozen=True)
class Collaboration:
    """DC and DC-CFL with one learner, on one problem."""

    problem: Problem
    learner: Any

    def one_model(self, prior: str = "pooled") -> float:
        """Return the accuracy of DC: one model for all institutions."""
        model = CollaborationClassifier(clone(self.learner), prior=prior, **self._settings)
        return self.problem.accuracy(self.problem.fit(model))

    def groups(self, threshold: float | str) -> tuple[Any, float]:
        """Return DC-CFL, fitted, and its accuracy."""
        model = ClusteredCollaborationClassifier(clone(self.learner), threshold, **self._settings)
        self.problem.fit(model)
        return model, self.problem.accuracy(model)

    @property
    def _settings(self) -> dict[str, Any]:
        return {"n_anchor": N_ANCHOR, "rounding": None, "random_state": self.problem.seed}


class Thresholds:
    """Accuracy of DC-CFL over its threshold; thresholds with the same groups are learnt once."""

    def __init__(self, collaboration: Collaboration) -> None:
        problem = collaboration.problem
        counts = np.zeros((problem.parties.max() + 1, problem.y.max() + 1))
        np.add.at(counts, (problem.parties, problem.y), 1)
        self.tree = merge_tree(label_distributions(counts))
        self.collaboration = collaboration
        self._known: dict[bytes, float] = {}

    def tell(self, threshold: float, accuracy: float) -> None:
        """Note an accuracy that is known already."""
        self._known[self._groups(threshold).tobytes()] = accuracy

    def accuracy(self, threshold: float) -> float:
        """Return the accuracy at a threshold."""
        groups = self._groups(threshold).tobytes()
        if groups not in self._known:
            self._known[groups] = self.collaboration.groups(threshold)[1]
        return self._known[groups]

    def n_groups(self, threshold: float) -> int:
        """Return the number of groups at a threshold."""
        return int(self._groups(threshold).max()) + 1

    @property
    def gap(self) -> float:
        """The threshold in the largest gap between merges."""
        return gap_threshold(self.tree)

    def _groups(self, threshold: float) -> npt.NDArray[np.int64]:
        return group_parties(self.tree, threshold)


def local_accuracy(problem: Problem, learner: Any) -> float:
    """Return the accuracy of a learner that each institution fits alone."""
    if isinstance(learner, LocalNetworks):
        return problem.accuracy(problem.fit(clone(learner).set_params(random_state=problem.seed)))
    n_classes = int(problem.y.max()) + 1
    predicted = np.empty_like(problem.y_test)
    for party in np.unique(problem.parties_test):
        mine, asked = problem.parties == party, problem.parties_test == party
        targets = np.eye(n_classes)[problem.y[mine]]
        model = fit_model(learner, problem.X[mine], targets, "classification", problem.seed)
        predicted[asked] = model.predict(problem.X_test[asked]).argmax(axis=1)
    return problem.mean_over_parties(predicted)

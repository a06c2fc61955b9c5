"""The trials of DC-CFL [Sugawara2026]_, and what the paper leaves open.

Settings as the published figures need them: columns standardised over all rows, 1,000 anchor rows,
affine maps, the scaled target, a full orthonormal basis for institutions with few rows, and the
network [64, 32] with plain stochastic gradient descent. Beyond the paper: bytes, a threshold
without validation rows, and stronger learners.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks.dc_cfl.methods import (
    FEDERATED,
    N_ANCHOR,
    N_ROUNDS,
    THRESHOLDS,
    Collaboration,
    Thresholds,
    local_accuracy,
    validate,
    watch,
)
from benchmarks.dc_cfl.problems import N_PARTIES, Problem, draw_problem
from benchmarks.problems import Cells
from consilience.baselines import LocalNetworks
from consilience.baselines.stacked_networks import LayerSizes
from consilience.collaboration.reduction import default_n_components
from consilience.exceptions import MissingExtraError
from consilience.messages import LabelledContribution
from consilience.transports.wire import encode

DIRICHLET = "Dir(0.1)"
FIGURE = ("covertype", "C=3")
"""The column of Figure 2."""
LONG = 50
"""Rounds after which FedClust gives up in Table 3."""


def all_methods(name: str, split: str, seed: int, data: Path | None) -> Cells:
    """Measure all methods of Table 2 in one run of one column."""
    problem = draw_problem(name, split, seed, data)
    cell = ("Table 2", name, split)
    yield (*cell, "Local", "accuracy"), local_accuracy(problem, LocalNetworks())
    collaboration = Collaboration(problem, LocalNetworks())
    yield (*cell, "DC", "accuracy"), collaboration.one_model()
    for method in ("DC", "DC-CFL"):
        yield (*cell, method, "bytes up"), bytes_up(problem)
        yield (*cell, method, "bytes down"), bytes_down(problem)
    thresholds = Thresholds(collaboration)
    model, accuracy = collaboration.groups("auto")
    thresholds.tell(model.threshold_, accuracy)
    for method, t in (("DC-CFL", model.threshold_), ("DC-CFL (gap)", thresholds.gap)):
        yield (*cell, method, "accuracy"), thresholds.accuracy(t)
        yield (*cell, method, "t"), t
        yield (*cell, method, "groups"), thresholds.n_groups(t)
    if name == "covertype" and split != DIRICHLET:
        for t in THRESHOLDS:
            yield ("Figure 3", name, split, "DC-CFL", f"t = {t}"), thresholds.accuracy(t)
    for method in FEDERATED:
        yield from _federated(problem, cell, method)


def _federated(problem: Problem, cell: tuple[str, str, str], method: str) -> Cells:
    """Choose the settings of a multi-round method and train it, for fifty rounds for a curve."""
    _, name, split = cell
    wanted = (name, split) == FIGURE or (method == "FedClust" and split != DIRICHLET)
    scores = sorted(validate(problem, method), key=lambda judged: -judged[1])
    ranked = [settings for settings, _ in scores]
    model, curve, n_diverged = watch(problem, method, ranked, LONG if wanted else N_ROUNDS)
    yield ("Chosen", name, split, method, json.dumps(ranked[n_diverged])), 1.0
    yield (*cell, method, "accuracy"), curve[N_ROUNDS - 1]
    yield (*cell, method, "diverged"), n_diverged
    if wanted:
        for k, accuracy in enumerate(curve):
            yield ("Figure 2", name, split, method, f"round {k + 1}"), accuracy
    sent = N_ROUNDS * model.n_exchanged * model.networks_[0].nbytes
    yield (*cell, method, "bytes up"), sent
    yield (*cell, method, "bytes down"), sent + model.n_final * model.networks_[0].nbytes


def stronger(name: str, split: str, seed: int, data: Path | None, threshold: float) -> Cells:
    """Measure Local, DC and DC-CFL with stronger learners, grouped as the network chose."""
    problem = draw_problem(name, split, seed, data)
    for learner, estimator in learners().items():
        there, cell = Collaboration(problem, estimator), (f"Learner: {learner}", name, split)
        yield (*cell, "Local", "accuracy"), local_accuracy(problem, estimator)
        yield (*cell, "DC", "accuracy"), there.one_model()
        yield (*cell, "DC-CFL", "accuracy"), there.groups(threshold)[1]


def learners() -> dict[str, Any]:
    """Return the stronger learners by name."""
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingExtraError("gradient boosting", "xgboost", "boost") from error
    return {
        "random forest": RandomForestClassifier(50),
        "gradient boosting": XGBClassifier(n_jobs=1),
        "logistic regression": LogisticRegression(max_iter=300),
    }


def bytes_up(problem: Problem, n_anchor: int = N_ANCHOR) -> float:
    """Return the bytes of a contribution as it is written, for the mean number of rows."""
    n_rows = round(len(problem.X) / N_PARTIES)
    width = default_n_components(problem.X.shape[1])
    message = LabelledContribution(
        study="0" * 64,
        sender="institution-00/all",
        recipient="analyst",
        representation=np.zeros((n_rows, width)),
        anchor=np.zeros((n_anchor, width)),
        anchor_digest="0" * 64,
        targets=np.zeros((n_rows, int(problem.y.max()) + 1)),
    )
    return float(len(encode(message)))


def bytes_down(problem: Problem) -> float:
    """Return the bytes of an affine map and of the network on its space, in single precision."""
    m, n_classes = problem.X.shape[1], int(problem.y.max()) + 1
    # m - 1 dimensions and the constant span m.
    network = LayerSizes((m, 64, 32, n_classes)).n_parameters
    return float(8 * (default_n_components(m) + 1) * m + 4 * network)

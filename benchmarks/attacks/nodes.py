"""What the nodes of a continual party tell of who took part, without noise and with it."""

from __future__ import annotations

import numpy as np

from benchmarks.attacks.studies import Study
from benchmarks.problems import Cells
from consilience.continual.audit import MAX_ROWS, ROUNDING, points_told
from consilience.continual.party import Party
from consilience.messages import NodeUpdate
from consilience.privacy.audits.membership import infer_membership

MIN_LATER = 10
EPSILONS = (None, 1_000.0, 100.0, 10.0)


def measure_nodes(study: Study, seed: int) -> Cells:
    """Ask of each candidate, members of a window and others, whether it is behind a node."""
    rng = np.random.default_rng(seed)
    X = study.X[rng.permutation(len(study.X))[: 2 * MAX_ROWS]]
    half = len(X) // 2
    n_later = max(MIN_LATER, half // 10)
    members, later, others = np.split(X, [half, half + n_later])
    for epsilon in EPSILONS:
        noise = None if epsilon is None else study.noise(epsilon)
        party = Party("victim", X.shape[1], noise=noise)
        (first,), (second,) = party.begin(members), party.begin(later)
        assert isinstance(first, NodeUpdate)
        assert isinstance(second, NodeUpdate)
        points = points_told(first, second)
        setting = "no noise" if epsilon is None else f"epsilon {epsilon:g} per row"
        for window, told in (
            ("first window", infer_membership(first.nodes, members, others)),
            ("second window", infer_membership(points, later, others, ROUNDING)),
        ):
            cell = ("Nodes", study.name, f"{window}, {setting}", "membership")
            yield (*cell, "points that are rows"), told.copied
            yield (*cell, "rows exposed"), told.exposed
            yield (*cell, "AUC"), told.auc
            yield (*cell, "advantage"), told.advantage

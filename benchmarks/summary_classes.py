"""Classes from private summaries, against DC-CFL with noise on its rows at the same epsilon.

    CONSILIENCE_DATA=DIR python -m benchmarks.summary_classes

The three sets of DC-CFL, shared among 5 institutions with three classes each or by a Dirichlet
draw. Accuracy is the mean over institutions of that on their own test rows, a fifth of
all. DC-CFL sends its classes as they are, and rows with Laplace noise within public bounds; its
learner is a logistic regression, its threshold chosen by itself. `alone` learns at each institution
from its own rows, `pooled` from all, without noise, both by a forest. How summaries are learnt from
was chosen on optdigits, phoneme, wall-robot-navigation, mozilla4, bank-marketing and shuttle; that
parties learn from their own rows as well was decided after a look at two of the sets.
Results go to benchmarks/results/summary-classes.csv.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks.dc_cfl.problems import SETS, Problem, share
from benchmarks.summaries import public_bounds
from consilience import ClusteredCollaborationClassifier, SummaryClassifier
from consilience.datasets import load
from consilience.privacy.noise import LaplaceNoise

EPSILONS = (1.0, 4.0)
GRIDS = ((5, "C=3"), (5, "Dir(0.1)"))
RESULTS = Path(__file__).parent / "results" / "summary-classes.csv"
Predicted = npt.NDArray[Any]


def by_summaries(problem: Problem, epsilon: float) -> Predicted:
    """Let institutions send class-wise summaries, and learn at home."""
    bounds = public_bounds(np.vstack([problem.X, problem.X_test]))
    model = SummaryClassifier(epsilon=epsilon, bounds=bounds, random_state=problem.seed)
    problem.fit(model)
    return model.predict(problem.X_test, parties=problem.parties_test)


def by_dc_cfl(problem: Problem, epsilon: float) -> Predicted:
    """Run DC-CFL on rows with noise; test rows have none, as they stay where they are."""
    lower, upper = public_bounds(np.vstack([problem.X, problem.X_test]))
    noise = LaplaceNoise(lower.tolist(), upper.tolist(), epsilon, insecure_seed=problem.seed)
    model = ClusteredCollaborationClassifier(
        LogisticRegression(max_iter=200), random_state=problem.seed
    )
    model.fit(noise.apply(problem.X), problem.y, parties=problem.parties)
    X_test = np.clip(problem.X_test, lower, upper)
    return np.asarray(model.predict(X_test, parties=problem.parties_test))


def alone(problem: Problem, epsilon: float) -> Predicted:
    """Learn at every institution from its own rows."""
    found = np.empty(len(problem.y_test), dtype=problem.y.dtype)
    for party in np.unique(problem.parties_test):
        own, asked = problem.parties == party, problem.parties_test == party
        model = RandomForestClassifier(100, random_state=problem.seed)
        found[asked] = model.fit(problem.X[own], problem.y[own]).predict(problem.X_test[asked])
    return found


def pooled(problem: Problem, epsilon: float) -> Predicted:
    """Learn from the rows of all."""
    model = RandomForestClassifier(100, random_state=problem.seed)
    return np.asarray(model.fit(problem.X, problem.y).predict(problem.X_test))


WAYS: Mapping[str, tuple[Callable[[Problem, float], Predicted], tuple[float, ...]]] = {
    "summaries": (by_summaries, EPSILONS),
    "DC-CFL, noise on rows": (by_dc_cfl, EPSILONS),
    "alone": (alone, (np.inf,)),
    "pooled": (pooled, (np.inf,)),
}


def compare(name: str, n_parties: int, split: str, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Measure every way on one set, shared in one way."""
    dataset = load(SETS[name], data=Path(os.environ["CONSILIENCE_DATA"]))
    varies = dataset.X.std(axis=0) > 0  # the others have no bounds
    problem = share(dataset.X[:, varies], dataset.y, split, seed, n_parties)
    for way, (learn, epsilons) in WAYS.items():
        for epsilon in epsilons:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = learn(problem, epsilon)
            yield {
                "data": name,
                "institutions": n_parties,
                "split": split,
                "way": way,
                "epsilon": epsilon,
                "seed": seed,
                "accuracy": round(problem.mean_over_parties(found), 4),
            }


def main() -> None:
    """Measure all that is not measured yet, and keep it as it comes."""
    old = pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame()
    for n_parties, split in GRIDS:
        for name in SETS:
            known = len(old) and (
                (old.data == name) & (old.institutions == n_parties) & (old.split == split)
            )
            if np.any(known):
                continue
            for row in compare(name, n_parties, split):
                print(*row.values(), flush=True)
                old = pd.concat([old, pd.DataFrame([row])])
            old.to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()

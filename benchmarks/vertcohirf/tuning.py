"""Tuning with a budget that is the same for every method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.exceptions import MissingExtraError

Range = tuple[int, int] | tuple[float, float]


@dataclass(frozen=True)
class Trial:
    """One setting and what it scored."""

    score: float
    parameters: dict[str, Any]


def search(
    evaluate: Callable[[dict[str, Any], int], float],
    space: Mapping[str, Range],
    trials: int,
    seed: int,
) -> list[Trial]:
    """Try settings that the TPE sampler proposes, and return them best first.

    ``evaluate`` goes from parameters and the seed of the trial, made from ``seed`` and its number,
    to a score, the higher the better; NaN is a failed trial and is not returned. ``space`` has the
    ends of each range, whole numbers if both are. The first ten trials are random.

    Examples
    --------
    >>> search(lambda p, seed: -abs(p["k"] - 5), {"k": (1, 9)}, 20, 0)[0].parameters
    {'k': 5}
    """
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError("tuning", "optuna", "dev") from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        chosen: dict[str, Any] = {}
        for name, (low, high) in space.items():
            whole = isinstance(low, int) and isinstance(high, int)
            suggest = trial.suggest_int if whole else trial.suggest_float
            chosen[name] = suggest(name, low, high)
        own = np.random.SeedSequence((seed, trial.number)).generate_state(1)[0]
        return evaluate(chosen, int(own))

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=trials)
    tried = [Trial(t.value, t.params) for t in study.trials if t.value is not None]
    return sorted(tried, key=lambda t: -t.score)

"""Tuning with a budget that is the same for every method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from consilience.exceptions import MissingExtraError

__all__ = ["Range", "best_score"]

Range = tuple[int, int] | tuple[float, float]


def best_score(
    evaluate: Callable[[dict[str, Any]], float],
    space: Mapping[str, Range],
    trials: int,
    seed: int,
) -> float:
    """Return the best score over a number of trials of the TPE sampler.

    Parameters
    ----------
    evaluate : callable
        From parameters to a score, the higher the better; NaN counts as a failed trial.
    space : mapping of str to (low, high)
        Whole numbers if both ends are, ends included; over a tenfold range or more they are drawn
        on a logarithmic scale, so that a few trials find small numbers of clusters too. An empty
        space needs one trial.
    trials : int
        The budget. The sampler's first ten trials are random; it learns from the eleventh on.
    seed : int

    Examples
    --------
    >>> round(best_score(lambda p: -abs(p["k"] - 5), {"k": (1, 9)}, 20, 0), 1)
    0.0
    """
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError("tuning", "optuna", "bench") from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        chosen: dict[str, Any] = {}
        for name, (low, high) in space.items():
            whole = isinstance(low, int) and isinstance(high, int)
            if whole:
                chosen[name] = trial.suggest_int(name, low, high, log=high >= 10 * low > 0)
            else:
                chosen[name] = trial.suggest_float(name, low, high)
        return evaluate(chosen)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=trials if space else 1)
    scores = [t.value for t in study.trials if t.value is not None]
    return float(max(scores)) if scores else float("nan")

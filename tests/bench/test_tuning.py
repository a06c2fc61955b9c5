import pytest

pytest.importorskip("optuna", reason="needs the extra 'bench'")

from consilience.bench.tuning import best_score


def test_whole_numbers_stay_whole_and_every_trial_counts():
    seen = []

    def evaluate(p):
        seen.append(p)
        return p["share"]

    best = best_score(evaluate, {"k": (2, 5), "share": (0.0, 1.0)}, 12, 0)
    assert len(seen) == 12
    assert all(isinstance(p["k"], int) and 2 <= p["k"] <= 5 for p in seen)
    assert best == max(p["share"] for p in seen)


def test_failed_trials_count_and_may_be_all():
    assert best_score(lambda p: float("nan"), {"k": (1, 2)}, 3, 0) != 0

import numpy as np
import pytest

from consilience.exceptions import BudgetError
from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise
from consilience.privacy.release import release

NOISE = LaplaceNoise([0.0], [1.0], epsilon=1.0, insecure_seed=0)


def test_message_is_built_from_noisy_rows_only():
    X = np.full((5, 1), 0.5)
    seen = release(X, NOISE, Budget(), lambda rows: rows, "window 0")
    assert not np.isin(seen, X).any()


def test_nothing_is_built_when_the_budget_is_spent():
    budget = Budget(limit=1.5)
    release(np.zeros((1, 1)), NOISE, budget, np.shape, "window 0")
    with pytest.raises(BudgetError):
        release(np.zeros((1, 1)), NOISE, budget, pytest.fail, "window 1")


def test_charge_stays_when_drawing_fails():
    budget = Budget(limit=1.0)
    with pytest.raises(ValueError, match="NaN"):
        release(np.array([[np.nan]]), NOISE, budget, pytest.fail, "window 0")
    assert budget.spent == 1.0


def test_without_noise_nothing_is_charged_and_nothing_is_claimed():
    budget = Budget()
    X = np.ones((2, 1))
    assert release(X, None, budget, lambda rows: rows, "window 0") is X
    assert not budget.charges

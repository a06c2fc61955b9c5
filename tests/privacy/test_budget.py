import pytest

from consilience.exceptions import BudgetError
from consilience.privacy.budget import Budget


def test_charges_add_up_over_rounds():
    budget = Budget(limit=1.0)
    for window in range(10):
        budget.charge(0.1, f"window {window}")
    assert budget.spent == pytest.approx(1.0)
    assert budget.remaining == pytest.approx(0.0)


def test_charge_over_the_limit_is_refused_and_not_entered():
    budget = Budget(limit=1.0)
    budget.charge(0.9, "window 0")
    with pytest.raises(BudgetError, match=r"window 1 costs epsilon 0\.2"):
        budget.charge(0.2, "window 1")
    assert [c.purpose for c in budget.charges] == ["window 0"]


def test_account_without_a_limit_still_adds():
    budget = Budget()
    budget.charge(50.0, "window 0")
    budget.charge(50.0, "window 1")
    assert budget.spent == 100.0
    assert budget.remaining == float("inf")


def test_ledger_survives_the_trip_through_plain_lists():
    budget = Budget(limit=3.0)
    budget.charge(1.0, "window 0", insecure=True)
    again = Budget.from_rows(3.0, budget.rows())
    assert again == budget
    assert again.insecure


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_numbers_that_mean_nothing_are_refused(value):
    with pytest.raises(ValueError, match="must be finite and > 0"):
        Budget(limit=value)
    with pytest.raises(ValueError, match="must be finite and > 0"):
        Budget().charge(value, "window 0")

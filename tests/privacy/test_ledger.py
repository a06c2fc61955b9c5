import pytest

from consilience.exceptions import BudgetError
from consilience.privacy.ledger import Ledger


def test_charges_add_up_over_rounds():
    ledger = Ledger(limit=1.0)
    for window in range(10):
        ledger.charge(0.1, f"window {window}")
    assert ledger.spent == pytest.approx(1.0)
    assert ledger.remaining == pytest.approx(0.0)


def test_charge_over_the_limit_is_refused_and_not_entered():
    ledger = Ledger(limit=1.0)
    ledger.charge(0.9, "window 0")
    with pytest.raises(BudgetError, match=r"window 1 costs epsilon 0\.2"):
        ledger.charge(0.2, "window 1")
    assert [c.purpose for c in ledger.charges] == ["window 0"]


def test_account_without_a_limit_still_adds():
    ledger = Ledger()
    ledger.charge(50.0, "window 0")
    ledger.charge(50.0, "window 1")
    assert ledger.spent == 100.0
    assert ledger.remaining == float("inf")


def test_ledger_survives_the_trip_through_plain_lists():
    ledger = Ledger(limit=3.0)
    ledger.charge(1.0, "window 0", insecure=True)
    again = Ledger.from_rows(3.0, ledger.rows())
    assert again == ledger
    assert again.insecure


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_numbers_that_mean_nothing_are_refused(value):
    with pytest.raises(ValueError, match="must be finite and > 0"):
        Ledger(limit=value)
    with pytest.raises(ValueError, match="must be finite and > 0"):
        Ledger().charge(value, "window 0")

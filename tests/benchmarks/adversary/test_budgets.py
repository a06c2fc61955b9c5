"""The campaign against budgets finds nothing here, and finds what it should elsewhere."""

import numpy as np
import pytest

from benchmarks.adversary import budgets
from consilience.privacy import accountant

pytest.importorskip("opendp")


@pytest.mark.parametrize("noise", ["counts", "summaries"])
def test_three_draws_are_granted_whatever_is_killed(noise):
    budgets._load(noise)
    assert budgets._kill(noise, 3, np.random.default_rng(0)) == 0


def test_eight_at_once_get_what_is_granted():
    budgets._load("counts")
    assert budgets._at_once("counts") == 0


def test_an_account_that_forgets_is_found_out(monkeypatch):
    budgets._load("counts")
    monkeypatch.setattr(accountant, "charges_in", lambda ledger: [])
    assert budgets._kill("counts", 1, np.random.default_rng(0)) > 0

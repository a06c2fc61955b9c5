import pandas as pd
import pytest

from benchmarks import plan
from benchmarks.plan import Rates


def test_rates_give_back_the_studies_they_were_found_on():
    points = [(200, 10, 3.0), (1_000, 10, 7.0), (200, 500, 4.0)]
    rates = Rates.of(points)
    for rows, institutions, value in points:
        assert rates.at(rows, institutions) == pytest.approx(value)
    assert rates.at(2_000, 10) == pytest.approx(12.0)


def test_what_would_be_below_nothing_is_nothing():
    assert Rates.of([(200, 10, 3.0), (1_000, 10, 2.0), (200, 500, 4.0)]).row == 0


def test_a_small_study_is_simulated():
    found = plan.simulate(2_000, 4)
    assert found["labels"] == 2 * 2_000
    assert found["disk_mb"] > 2_000 * 8 * plan.COLUMNS / 1e6


def test_page_says_what_was_foreseen_and_measured():
    frame = pd.read_csv(plan.RESULTS / "plan.csv")
    assert plan.checks(frame) in plan.PAGE.read_text(encoding="utf-8")


def test_tables_have_a_line_for_every_size():
    frame = pd.read_csv(plan.RESULTS / "plan.csv")
    assert plan.analyst_table(frame).count("\n") == 1 + 5 * 4
    assert "10^8" in plan.party_table()

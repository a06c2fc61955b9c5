import json

import numpy as np
import pytest

from consilience.privacy.audits.columns import count_columns
from consilience.privacy.audits.finding import Estimate, Finding, estimate, find, not_run
from consilience.privacy.audits.scores import score


def finding_of(*noises):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    columns = count_columns(X, ["a", "b", "c"])
    runs = [score(X, X + s * rng.normal(size=X.shape), columns) for s in noises]
    controls = [score(X, rng.normal(size=X.shape), columns) for _ in noises]
    return find("collusion", "who", "what", runs, controls, columns, 200)


def test_level_follows_what_was_rebuilt():
    assert finding_of(0.01, 0.02).level == "red"
    assert finding_of(0.6, 0.6).level == "amber"
    assert finding_of(2.0, 2.0).level == "green"


FIGURES = {
    "median_r2": (0.49, 0.6, 0.95),
    "worst_r2": (0.79, 0.9, 0.99),
    "rare_r2": (0.79, 0.9, 0.99),
    "top1": (0.09, 0.25, 0.4),
    "exact": (0.005, 0.03, 0.1),
    "advantage": (0.4, 0.6, 0.95),
}


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_has_thresholds_of_its_own(figure):
    nothing = Estimate(0.0, 0.0, 0.0)
    found = [
        Finding("a", "who", "what", control_exact=nothing, **{figure: Estimate(value, 0, 1)})
        for value in FIGURES[figure]
    ]
    assert [finding.level for finding in found] == ["green", "amber", "red"]
    assert found[1].exposure == FIGURES[figure][1]


def test_what_chance_gives_does_not_count():
    chance = {"control_top1": Estimate(0.3, 0, 1), "control_exact": Estimate(0.3, 0, 1)}
    told = {"top1": Estimate(0.35, 0, 1), "exact": Estimate(0.3, 0, 1)}
    assert Finding("a", "who", "what", **chance, **told).level == "green"


def test_room_for_the_whole_of_a_row_is_never_green():
    faint = {"median_r2": Estimate(0.1, 0, 1)}
    levels = [
        Finding("a", "who", "what", spare_bits=Estimate(bits, 0, 1), **faint).level
        for bits in (-50.0, 50.0)
    ]
    assert levels == ["green", "amber"]


def test_interval_covers_the_mean_and_control_is_not_positive():
    finding = finding_of(0.5, 0.6, 0.7)
    assert finding.median_r2.low < finding.median_r2.mean < finding.median_r2.high
    assert finding.control_r2.mean <= 0


def test_single_repeat_has_no_interval():
    assert np.isnan(estimate([0.5]).low)


def test_interval_is_students():
    # n = 4, s = 1, t(0.975, 3) = 3.182: half width 1.591.
    values = np.array([-1.5, -0.5, 0.5, 1.5]) / np.std([-1.5, -0.5, 0.5, 1.5], ddof=1)
    assert estimate(values).high == pytest.approx(1.591, abs=1e-3)


def test_an_attack_that_was_not_run_is_never_green():
    finding = not_run("collusion", "who", "what", "3 rows")
    assert finding.level == "not run"
    assert json.loads(json.dumps(finding.to_dict()))["reason"] == "3 rows"

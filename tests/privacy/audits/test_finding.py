import json

import numpy as np
import pytest

from consilience.privacy.audits.columns import count_columns
from consilience.privacy.audits.finding import estimate, find, not_run
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

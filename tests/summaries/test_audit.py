"""The audit of summaries: attacks that find what is there, and never more than was promised."""

import numpy as np
import pytest

from consilience.study.study import Study
from consilience.summaries import audit as module
from consilience.summaries.audit import audit_summary, measure_epsilon

NUMERIC = {"kind": "numeric", "bounds": [-1, 1]}
TERMS = {
    "kind": "summaries",
    "name": "example",
    "grid": {"rows": ["a", "b"], "columns": ["lab"]},
    "schema": {"lab": {"x": NUMERIC, "y": NUMERIC}},
}


def study(**terms):
    return Study.from_terms({**TERMS, "summaries": terms})


def make_rows(n=150):
    X = np.random.default_rng(0).normal(size=(n, 2)) / 20
    X[0] = [1.0, 1.0]  # the one whom everybody would recognise
    return X


def test_the_bound_is_what_clopper_and_pearson_allow():
    every, none = np.ones(100, dtype=bool), np.zeros(100, dtype=bool)
    # 100 of 100 and 0 of 100: at least .9638 and at most .0362, the exact one-sided limits.
    assert module._lower_bound(every, none, 1e-6) == pytest.approx(
        np.log(0.96378 / 0.03622), abs=1e-3
    )
    assert module._lower_bound(none, every, 1e-6) == 0.0
    assert module._lower_bound(every, every, 1e-6) == 0.0


def test_hardly_any_noise_is_found_out():
    found = measure_epsilon(
        study(epsilon=200.0), "a/lab", make_rows(), np.random.default_rng(0), n_shadows=60
    )
    assert found.advantage > 0.8
    assert found.lower > 1.0


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_no_attack_measures_more_than_was_stated(epsilon):
    # Each bound is wrong with a chance of 5 %, but then by little: the seed is fixed.
    found = measure_epsilon(
        study(epsilon=epsilon), "a/lab", make_rows(), np.random.default_rng(1), n_shadows=80
    )
    assert found.lower <= epsilon


def test_with_all_columns_known_one_in_k_is_recognised_at_most():
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    found = audit_summary(
        study(guarantee="k-anonymous", min_rows=10), "a/lab", X, n_repeats=2, seed=0
    )
    [finding] = found.findings
    assert 0.05 < finding.top1.mean <= 0.1
    assert "took part" in found.advice[0]


def test_an_audit_with_noise_says_what_was_measured_and_what_was_stated():
    found = audit_summary(study(epsilon=1.0), "a/lab", make_rows(), n_repeats=2, seed=0)
    assert found.findings[0].level == "green"
    assert "stated: 1." in found.advice[0]
    assert found.to_json()


def test_too_few_rows_are_not_called_safe():
    [finding] = audit_summary(study(), "a/lab", make_rows(20)).findings
    assert finding.level == "not run"

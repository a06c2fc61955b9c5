"""Terms of learning that contradict each other are refused with the reason."""

import pytest
from pydantic import ValidationError

from consilience.study.terms import Learning

TERMS = {"holder": "p", "target": "ill", "classes": ("no", "yes")}


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"labels": "distribution"}, "with no threshold"),
        ({"labels": "distribution", "threshold": "auto"}, "with threshold == 'auto'"),
        ({"epsilon": 1.0}, "is for labels = 'distribution'"),
        ({"labels": "rows", "threshold": 0.2, "epsilon": 1.0}, "sends the class of every row"),
        ({"labels": "distribution", "threshold": 0.2, "budget": 1.0}, "without epsilon"),
        (
            {"labels": "distribution", "threshold": 0.2, "epsilon": 2.0, "budget": 1.0},
            "not one contribution could be sent",
        ),
        ({"answer": "model", "estimator": "xgboost"}, "Those that can: ridge"),
        ({"threshold": 1.5}, "less than or equal to 1"),
        ({"threshold": -0.1}, "greater than or equal to 0"),
        ({"threshold": "best"}, "'auto' or 'gap'"),
    ],
)
def test_terms_that_contradict_each_other_are_refused(terms, reason):
    with pytest.raises(ValidationError, match=reason):
        Learning(**TERMS, **terms)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("inf"), float("nan"), True, "1"])
def test_epsilon_that_promises_nothing_is_refused(epsilon):
    with pytest.raises(ValidationError):
        Learning(**TERMS, labels="distribution", threshold=0.2, epsilon=epsilon)


def test_a_study_that_says_nothing_new_keeps_its_digest():
    assert set(Learning(**TERMS).model_dump(exclude_none=True)) == {
        *TERMS, "estimator", "answer", "explain", "seed"
    }  # fmt: skip
    assert not Learning(**TERMS, labels="rows").counts_alone

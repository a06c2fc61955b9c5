"""Terms of learning that contradict each other are refused with the reason."""

import pytest
from pydantic import ValidationError

from consilience.collaboration.learning.terms import ClassTerms

TERMS = {"holder": "p", "target": "ill", "classes": ("no", "yes")}


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"epsilon": 1.0}, "is for labels = 'distribution'"),
        ({"labels": "rows", "threshold": 0.2, "epsilon": 1.0}, "sends the class of every row"),
        ({"labels": "distribution", "threshold": 0.2}, "'rows'"),
        ({"answer": "model", "estimator": "xgboost"}, "Those that can: ridge"),
        ({"prior": "pooled"}, "'own'"),
        ({"layers": (32,)}, "is for estimator = 'network'"),
        ({"layers": (0,), "estimator": "network"}, "greater than or equal to 1"),
        ({"threshold": 1.5}, "less than or equal to 1"),
        ({"threshold": -0.1}, "greater than or equal to 0"),
        ({"threshold": "best"}, "'auto' or 'gap'"),
    ],
)
def test_terms_that_contradict_each_other_are_refused(terms, reason):
    with pytest.raises(ValidationError, match=reason):
        ClassTerms(**TERMS, **terms)


def test_a_study_that_says_nothing_new_keeps_its_digest():
    assert set(ClassTerms(**TERMS).model_dump(exclude_none=True)) == {
        *TERMS, "estimator", "answer", "explain", "seed"
    }  # fmt: skip

"""Groups of institutions are made from counts: which terms make no sense with them."""

import pytest
from pydantic import ValidationError

from consilience.collaboration.learning.groups.terms import Groups, GroupTerms
from consilience.exceptions import StudyError
from consilience.study.study import Study

TERMS = {"holder": "p", "target": "ill", "classes": ("no", "yes")}


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({}, "with no threshold"),
        ({"threshold": "auto"}, "with threshold == 'auto'"),
        ({"threshold": 0.2, "budget": 1.0}, "without epsilon"),
        ({"threshold": 0.2, "epsilon": 2.0, "budget": 1.0}, "not one contribution could be sent"),
        ({"threshold": 0.2, "labels": "rows"}, "'distribution'"),
    ],
)
def test_terms_that_contradict_each_other_are_refused(terms, reason):
    with pytest.raises(ValidationError, match=reason):
        GroupTerms(**TERMS, **terms)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("inf"), float("nan"), True, "1"])
def test_epsilon_that_promises_nothing_is_refused(epsilon):
    with pytest.raises(ValidationError):
        GroupTerms(**TERMS, threshold=0.2, epsilon=epsilon)


def test_the_holder_of_the_classes_is_a_column_group():
    terms = {
        "name": "s",
        "kind": "groups",
        "grid": {"rows": ["a", "b"], "columns": ["p"]},
        "schema": {"p": {"x": {"kind": "numeric", "bounds": [0, 1]}}},
        "learning": {**TERMS, "threshold": 0.3},
    }
    study = Study.from_terms(terms)
    assert study.of(Groups).target_of("p") == "ill"
    # One column is enough: there is no reduction that would have to leave one out.
    assert study.width_of("p") == 1
    terms["learning"]["holder"] = "q"
    with pytest.raises(StudyError, match=r"learning\.holder == 'q', must be one of the columns"):
        Study.from_terms(terms)

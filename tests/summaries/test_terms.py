"""The terms of a study of summaries: what goes together, and what does not."""

import pytest

from consilience.exceptions import StudyError
from consilience.study.study import Study
from consilience.summaries.terms import Summaries

TERMS = {
    "kind": "summaries",
    "name": "example",
    "grid": {"rows": ["a", "b"], "columns": ["lab"]},
    "schema": {
        "lab": {
            "age": {"kind": "numeric", "bounds": [0, 100]},
            "ward": {"kind": "categorical", "categories": ["n", "s"]},
        }
    },
}


def study(**terms):
    return Study.from_terms({**TERMS, "summaries": terms})


def test_a_study_without_terms_has_noise():
    terms = Study.from_terms(TERMS).of(Summaries).summaries
    assert (terms.noisy, terms.counted, terms.epsilon) == (True, False, 1.0)


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"epsilon": 2.0, "budget": 1.0}, "not one summary could be sent"),
        ({"guarantee": "k-anonymous", "budget": 1.0}, "have no price"),
        ({"spreads": {"ward": 1.0}}, "must name numeric columns"),
        ({"spreads": {"size": 1.0}}, "must name numeric columns"),
        ({"epsilon": 0}, "greater than 0"),
        ({"delta": 0.5}, "less than or equal"),
        ({"min_rows": 1}, "greater than or equal to 2"),
        ({"guarantee": "none"}, "guarantee"),
        ({"target": "ill"}, "belong together"),
        ({"target": "ill", "classes": ["a", "a"]}, "must not repeat"),
        ({"target": "age", "classes": ["a", "b"]}, "also a feature"),
        ({"target": "ill", "classes": ["a", "b"], "guarantee": "k-anonymous"}, "for sure"),
        ({"target": "ill", "classes": ["a", "b"], "mixture": True}, "there are none"),
    ],
)
def test_terms_that_contradict_are_refused(terms, reason):
    with pytest.raises(StudyError, match=reason):
        study(**terms)


def test_a_limit_on_rebuilt_rows_means_nothing_here():
    with pytest.raises(StudyError, match="no row leaves"):
        Study.from_terms({**TERMS, "max_reconstruction": 0.5})


def test_parties_need_no_common_secret():
    found = study()
    assert found.method.keys_of(None, found) == {}


def test_terms_that_are_not_said_leave_the_digest_as_it_was():
    assert "mixture" not in study().terms()["summaries"]
    assert "target" not in study().terms()["summaries"]


def test_the_study_says_what_it_promises_and_who_holds_classes():
    found = study(target="ill", classes=["no", "yes"])
    assert found.method.promise.startswith("No record leaves")
    assert (found.method.target_of("lab"), found.method.target_classes) == ("ill", ("no", "yes"))


def test_spreads_are_said_in_one_place():
    both = {"scaling": "spread", "spreads": {"age": 10.0}}
    with pytest.raises(StudyError, match=r"say spread in the columns of the schema"):
        Study.from_terms({**TERMS, "summaries": both})

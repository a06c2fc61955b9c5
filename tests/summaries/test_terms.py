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

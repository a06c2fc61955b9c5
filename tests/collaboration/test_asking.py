"""A question goes through the reduction of the contribution, and is answered from it."""

import numpy as np
import pytest

from consilience.by_files import by_files
from consilience.exceptions import StudyError


def test_the_same_row_has_the_same_coordinates_in_a_question(solved):
    kind = by_files(solved.study, "ask")
    [contribution] = solved.leaving("a/lab").letters
    [question] = kind.inquire(solved.participant("a/lab"), solved.source("a/lab")).letters
    np.testing.assert_array_equal(
        question.message.representation, contribution.message.representation
    )
    assert question.file == "a.lab.question"


def test_a_question_is_audited_as_a_contribution_is(solved):
    leaving = by_files(solved.study, "ask").inquire(
        solved.participant("a/lab"), solved.source("a/lab")
    )
    assert leaving.audit.n_rows == leaving.facts["rows"] == 30
    assert leaving.facts["reconstruction"] == leaving.audit.reconstruction


def test_nothing_is_asked_before_something_was_contributed(new_case):
    case = new_case()
    with pytest.raises(StudyError, match="Contribute first"):
        by_files(case.study, "ask").inquire(case.participant("a/lab"), case.source("a/lab"))


def test_studies_of_groups_have_nothing_to_ask(of_kind):
    with pytest.raises(StudyError, match="`consilience ask` has nothing to do"):
        by_files(of_kind("groups").study, "ask")

"""The study of a group: its members, their keys, and no more counts."""

import pytest

from consilience.exceptions import StudyError
from consilience.study.group import study_of_group

LEARNING = {
    "holder": "lab",
    "target": "ill",
    "classes": ["no", "yes"],
    "estimator": "logistic",
    "labels": "distribution",
    "threshold": 0.3,
    "epsilon": 2.0,
    "budget": 4.0,
}


def test_a_group_learns_among_itself(new_case):
    case = new_case(rows=("a", "b", "c"), n=(9, 9, 9), learning=LEARNING, columns=("lab",))
    study = study_of_group(case.study, ["c", "a"], 1)
    assert study.grid.rows == ("a", "c")
    assert set(study.keys) == {"analyst", "a/lab", "c/lab"}
    assert study.learning.estimator == "logistic"
    assert (study.learning.labels, study.learning.threshold) == (None, None)
    assert (study.learning.epsilon, study.learning.budget) == (None, None)
    assert study.name == "a small study (group 1)"
    assert study.digest == study_of_group(case.study, ["a", "c"], 1).digest


def test_absent_places_of_others_are_gone(new_case):
    case = new_case(
        rows=("a", "b", "c"), n=(9, 9, 9), learning=LEARNING, grid={"absent": ["b/life", "c/life"]}
    )
    assert study_of_group(case.study, ["a", "c"], 0).grid.absent == ("c/life",)


def test_nobody_learns_alone(new_case):
    case = new_case(learning=LEARNING)
    with pytest.raises(StudyError, match=r"\['a'\] is alone in its group"):
        study_of_group(case.study, ["a"], 0)

"""The study of a group: its members, their keys, and no more counts."""

import pandas as pd
import pytest

from consilience.collaboration.learning.groups.study_of_group import study_of_group
from consilience.collaboration.learning.terms import Classes
from consilience.exceptions import StudyError
from consilience.study.draft import draft_study
from consilience.study.study import Study

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
    terms = study.of(Classes).learning
    assert terms.estimator == "logistic"
    assert (terms.labels, terms.threshold) == (None, None)
    assert (terms.epsilon, terms.budget) == (None, None)
    assert study.name == "a small study (group 1)"
    assert study.digest == study_of_group(case.study, ["a", "c"], 1).digest


def test_its_file_names_its_kind_where_the_study_of_counts_did(new_case):
    terms = new_case(learning=LEARNING, columns=("lab",)).terms
    tagged = {k: v for k, v in terms.items() if k != "clustering"} | {"kind": "groups"}
    for given, kind in ((terms, None), (tagged, "classes")):
        study = study_of_group(Study.from_terms(given), ["a", "b"], 0)
        assert (study.kind, study.method.kind) == (kind, "classes")


def test_absent_places_of_others_are_gone(new_case):
    case = new_case(
        rows=("a", "b", "c"), n=(9, 9, 9), learning=LEARNING, grid={"absent": ["b/life", "c/life"]}
    )
    assert study_of_group(case.study, ["a", "c"], 0).grid.absent == ("c/life",)


def test_nobody_learns_alone(new_case):
    case = new_case(learning=LEARNING)
    with pytest.raises(StudyError, match=r"\['a'\] is alone in its group"):
        study_of_group(case.study, ["a"], 0)


def test_rows_leave_as_in_a_new_study_of_classes(new_case):
    terms = new_case(learning=LEARNING, columns=("lab",)).terms
    tagged = {k: v for k, v in terms.items() if k != "clustering"} | {"kind": "groups"}
    study = study_of_group(Study.from_terms(tagged), ["a", "b"], 0)
    table = pd.DataFrame(
        {"id": [1, 2], "age": [3.0, 4.0], "pulse": [5.0, 6.0], "ill": ["no", "yes"]}
    )
    drafted = Study.from_text(
        draft_study("classes", "new", ["a", "b"], {"lab": table}, target="ill"), "the draft"
    )
    assert study.of(Classes).reduction == drafted.of(Classes).reduction
    assert study.of(Classes).max_exact_rows == drafted.of(Classes).max_exact_rows
    assert study.max_reconstruction == drafted.max_reconstruction

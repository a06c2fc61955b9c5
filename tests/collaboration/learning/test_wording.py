"""The terms of a study of classes in words."""

import pytest

from consilience.collaboration.learning.wording import describe_classes
from consilience.study.study import Study

LEARNING = {"holder": "lab", "target": "ill", "classes": ["no", "yes"]}


def agreed(**learning):
    study = Study.from_terms(
        {
            "name": "s",
            "kind": "classes",
            "grid": {"rows": ["a"], "columns": ["lab"]},
            "schema": {"lab": {f"x{k}": {"kind": "numeric", "bounds": [0, 1]} for k in range(4)}},
            "learning": LEARNING | learning,
        }
    )
    return {str(term): str(said) for term, said in describe_classes(study).parts[0].rows}


def test_it_is_said_who_sends_the_classes():
    rows = agreed()
    assert rows["What each party sends"].endswith("parties of lab the class of each row")
    assert rows["Classes"].startswith("no, yes")


@pytest.mark.parametrize(
    ("terms", "receives"),
    [
        ({}, "the predicted class of its rows"),
        ({"answer": "scores"}, "the scores of the classes of its rows"),
        ({"answer": "model"}, "can predict new rows at home"),
        ({"explain": "column"}, "predictions for the anchor, to fit a readable model in its own"),
        ({"explain": "all"}, "a readable model in all columns"),
    ],
)
def test_what_each_party_receives_follows_the_terms(terms, receives):
    said = agreed(**terms)["What each party receives"]
    assert receives in said
    assert ("anchor" in said) == (terms.get("explain", "no") != "no")


def test_one_model_or_one_a_group_is_said():
    assert agreed(seed=3)["Learning"] == "ridge, one model, seed 3"
    assert "one model per group" in agreed(threshold=0.2)["Learning"]

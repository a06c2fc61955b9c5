"""What is promised, in words that a data protection officer can copy."""

import pytest

from consilience.study.study import Study
from consilience.summaries.terms import SummaryTerms
from consilience.summaries.wording import describe_summaries
from summaries.test_terms import TERMS


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        ("dp", ["(1, 1e-06)-differentially private"]),
        ("k-anonymous", ["mean over at least 10 persons"]),
        ("both", ["(1, 1e-06)-differentially private", "at least 10 persons"]),
    ],
)
def test_the_promise_names_its_figures(guarantee, said):
    text = SummaryTerms(guarantee=guarantee).promise
    assert text.startswith("No record leaves the institution")
    assert all(words in text for words in said)


@pytest.mark.parametrize("rule", ["refuse", "go on"])
def test_the_agreement_says_what_a_missing_party_does(rule):
    terms = {**TERMS, "grid": {**TERMS["grid"], "missing_party": rule}}
    [table] = describe_summaries(Study.from_terms(terms)).parts
    words = "stops the study" if rule == "refuse" else "the others go on"
    assert words in dict(map(tuple, table.rows))["A party that sends nothing"]


def test_the_agreement_speaks_of_classes_where_there_are_some():
    classes = {"target": "ill", "classes": ["no", "yes"]}
    [table] = describe_summaries(Study.from_terms({**TERMS, "summaries": classes})).parts
    told = dict(map(tuple, table.rows))
    assert told["Classes"] == "no, yes (ill)"
    assert "Clusters" not in told
    [table] = describe_summaries(Study.from_terms({**TERMS, "summaries": {"mixture": True}})).parts
    assert "any shape" in dict(map(tuple, table.rows))["Clusters"]

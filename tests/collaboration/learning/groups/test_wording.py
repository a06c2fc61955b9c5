"""The terms of a study of groups in words: counts, and nothing of a row."""

from consilience.collaboration.learning.groups.wording import describe_groups
from consilience.study.study import Study

LEARNING = {"holder": "lab", "target": "ill", "classes": ["no", "yes"], "threshold": 0.3}


def agreed(**learning):
    study = Study.from_terms(
        {
            "name": "s",
            "kind": "groups",
            "grid": {"rows": ["a", "b"], "columns": ["lab", "life"], "missing_party": "go on"},
            "schema": {c: {"x": {"kind": "numeric", "bounds": [0, 1]}} for c in ("lab", "life")},
            "learning": LEARNING | learning,
        }
    )
    (table,) = describe_groups(study).parts
    return {str(term): str(said) for term, said in table.rows}


def test_only_counts_leave_and_only_from_those_who_hold_classes():
    sent = agreed()["What each party of lab sends"]
    assert sent == "how many rows of each class it has; no row, no class of one, no pseudonym"


def test_noise_and_what_it_may_cost_are_said():
    assert agreed()["Noise on the counts"] == "none; the counts are exact"
    noisy = agreed(epsilon=2.0, budget=4.0)["Noise on the counts"]
    assert "epsilon 2 per record" in noisy
    assert "4 for all contributions together" in noisy


def test_a_party_that_sends_nothing_is_left_out_where_the_study_goes_on():
    assert agreed()["A party that sends nothing"] == "is left out: the others go on"

import pytest

from consilience.desk.seat import Seat
from consilience.desk.views.draft import corrections, show_draft
from consilience.exceptions import StudyError
from consilience.study.method import KINDS


def test_every_kind_is_offered_in_words(tmp_path):
    shown = show_draft(Seat("x", tmp_path))
    assert [kind for kind, _, _ in shown["kinds"]] == list(KINDS)
    assert all(told.question.endswith("?") for _, told, _ in shown["kinds"])


def test_a_form_becomes_the_terms_of_columns():
    form = {
        **{"name-0": "age", "group-0": "lab", "kind-0": "numeric", "low-0": "0", "high-0": "120,5"},
        **{"spread-0": "12", "missing-0": "fill", "outside-0": "refuse"},
        **{
            "name-1": "ward",
            "group-1": "lab",
            "kind-1": "categorical",
            "categories-1": "a\r\nb\r\n",
        },
        **{"name-2": "day", "group-2": "lab", "kind-2": "leave out"},
    }
    assert corrections(form) == {
        ("lab", "age"): {"kind": "numeric", "bounds": [0, 120.5], "spread": 12, "missing": "fill"},
        ("lab", "ward"): {"kind": "categorical", "categories": ["a", "b"]},
        ("lab", "day"): {},
    }


def test_a_bound_that_is_no_number_is_refused():
    with pytest.raises(StudyError, match="'age' is no number"):
        corrections({"name-0": "age", "kind-0": "numeric", "low-0": "x", "high-0": "1"})

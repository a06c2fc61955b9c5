import pytest

from consilience.exceptions import StudyError
from consilience.study.amending import amend_columns

ONE_LINE = """# terms
name = "example"
grid = {rows = ["north", "south"], columns = ["lab"]}
[schema.lab]
"mean radius" = { kind = "numeric", bounds = [10, 90] }
weight = { kind = "numeric", bounds = [0, 300] } # public
height = { kind = "numeric", bounds = [0, 300] }
"""


def test_a_line_is_replaced_and_the_others_stay():
    terms = {"kind": "categorical", "categories": ['a"b', "c"]}
    after = amend_columns(ONE_LINE, {("lab", "mean radius"): terms})
    assert after.splitlines()[4] == (
        '"mean radius" = { kind = "categorical", categories = ["a\\"b", "c"] }'
    )
    assert after.splitlines()[:4] == ONE_LINE.splitlines()[:4]
    assert "# public" in after


def test_a_column_without_terms_is_left_out():
    after = amend_columns(ONE_LINE, {("lab", "weight"): {}})
    assert "weight" not in after


def test_what_would_be_no_study_is_refused():
    with pytest.raises(StudyError, match="lower first"):
        amend_columns(ONE_LINE, {("lab", "weight"): {"kind": "numeric", "bounds": [3, 1]}})
    with pytest.raises(StudyError, match="line of its own"):
        amend_columns(ONE_LINE, {("lab", "nothing"): {"kind": "numeric", "bounds": [0, 1]}})

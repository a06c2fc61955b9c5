"""Who takes part, and which grids are none."""

import pytest
from pydantic import ValidationError

from consilience.study.grid import Grid, Ids


def test_parties_are_the_places_that_somebody_holds():
    grid = Grid(rows=["a", "b"], columns=["x", "y"], absent=["b/x"])
    assert grid.parties == ["a/x", "a/y", "b/y"]


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"rows": []}, "at least 1 item"),
        ({"rows": ["a", "a"]}, r"rows == \['a', 'a'\], must not repeat"),
        ({"columns": ["x", "x"]}, "columns == .* must not repeat"),
        ({"rows": ["Köln 2"]}, "small letters .* such as 'koln-2'"),
        ({"rows": ["a/b"]}, "such as 'a-b'"),
        ({"absent": ["a/z"]}, r"absent names \['a/z'\], which are no places"),
        ({"absent": ["a/x"]}, "absent names every place"),
        ({"missing_party": "wait"}, "'refuse' or 'go on'"),
        ({"row": ["a"]}, "Extra inputs"),
    ],
)
def test_a_grid_that_is_none_is_refused_with_the_reason(terms, reason):
    with pytest.raises(ValidationError, match=reason):
        Grid(**{"rows": ["a"], "columns": ["x"], **terms})


def test_rows_without_partner_are_dropped_unless_the_study_says_otherwise():
    assert Ids().unmatched == "drop"
    with pytest.raises(ValidationError, match="'drop', 'keep' or 'refuse'"):
        Ids(unmatched="lose")

import pandas as pd
import pytest

from consilience.study.grid import Ids
from consilience.study.id_faults import (
    Writing,
    id_column_faults,
    id_faults,
    shape_of_ids,
    tell_shape,
    tell_unmatched,
)


def found(ids, terms=None, meet=True, most_rows=None):
    ids = pd.Series(ids, dtype="string")
    same = ids.fillna("").str.strip()
    return id_faults(ids, same, terms or Ids(), meet=meet, most_rows=most_rows)


@pytest.mark.parametrize(
    ("ids", "shape"),
    [
        (["AB-0007"], "two letters, dash, four digits (all of the ids)"),
        (["A1", "B2", "17"], "one letter, one digit (67 % of the ids)"),
        (["123456789012"], "12 digits (all of the ids)"),
        (["a..b/ö_€ "], "one letter, two points, one letter, slash, one letter, underscore, sign"),
        (["", None], "there are none"),
    ],
)
def test_the_shape_of_ids_shows_none(ids, shape):
    assert shape_of_ids(pd.Series(ids, dtype="string")).startswith(shape)


def test_doubtful_ids_follow_the_rule_and_are_counted():
    ids = ["a", "", "b", "a", None, "a"]
    refused = found(ids)
    assert [(f.rows, f.refused) for f in refused] == [(2, True), (2, True)]
    assert [f.terms for f in refused] == ['ids.empty = "drop"', 'ids.duplicates = "first"']
    told = found(ids, Ids(duplicates="first", empty="drop"))
    assert [(f.rows, f.refused) for f in told] == [(2, False), (2, False)]


def test_where_rows_do_not_meet_ids_may_be_anything():
    assert not found(["a", "", "a", " 7"], meet=False)


def test_rows_of_a_person_are_counted_where_something_is_promised():
    [fault] = found(["a", "a", "a"], meet=False, most_rows=2)
    assert fault.refused
    assert "stands in 3 rows" in fault.what
    assert not found(["a", "a"], meet=False, most_rows=2)


DOUBTS = {
    "spaces": ([" a", "b"], 1, "spaces"),
    "lost zeros": (["7", "12", "100"], 2, "fewer digits"),
    "points": (["7.0", "8.0"], 2, "with a point"),
    "exponents": (["1.2E+05", "x"], 1, "exponent"),
    "unseen signs": (["a\u200b", "b"], 1, "cannot be seen"),
}


@pytest.mark.parametrize(("ids", "n", "said"), DOUBTS.values(), ids=DOUBTS)
def test_ids_that_may_be_written_otherwise_elsewhere_are_told(ids, n, said):
    [fault] = found(ids)
    assert (fault.rows, fault.refused) == (n, False)
    assert said in fault.what


def test_zeros_that_the_study_drops_or_that_are_there_are_no_doubt():
    assert not found(["7", "12"], Ids(drop_zeros=True))
    assert not found(["007", "0012"])


def test_a_table_without_its_ids_shows_no_name():
    [fault] = id_column_faults("id", pd.DataFrame({"SECRET": [1]}))
    assert "SECRET" not in str(fault)


@pytest.mark.parametrize(
    ("counts", "told"),
    [([60, 60], True), ([60, 55, 58], True), ([60, 3], False), ([0, 0], False), ([5], False)],
)
def test_as_many_unmatched_on_each_side_may_be_the_same_ones(counts, told):
    assert bool(tell_unmatched(counts)) == told


def test_the_shape_is_told_where_some_met_no_other():
    ids = pd.Series(["AB-0007", "AB-0008"])
    assert "two letters, dash, four digits" in tell_shape(ids, 1)
    assert not any(text in tell_shape(ids, 1) for text in ids)
    assert tell_shape(ids, 0) == ""


@pytest.mark.parametrize("cut", [0, 2, 5])
def test_the_writing_of_parts_adds_up(cut):
    ids = [" 7", "12.0", "1\u200b", "100", "0"]
    assert Writing.of(ids[:cut]) + Writing.of(ids[cut:]) == Writing.of(ids)
    assert Writing.of(ids) == Writing(1, 1, 1, {1: 2, 3: 1}, True)

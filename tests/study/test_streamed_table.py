"""A table in parts, in its own order, is the table at once."""

import numpy as np
import pytest

from consilience.exceptions import TableError
from consilience.mapped import _map_of
from consilience.sources import delimited, parts
from consilience.study.streamed_table import read_rows_at_home

PARTY, ID = "a/lab", "patient id"


@pytest.fixture
def case(new_case):
    """A study of summaries in which a person has two rows at most."""
    case = new_case(columns=("lab",))
    del case.terms["clustering"]
    given = {"guarantee": "k-anonymous", "min_rows": 5, "rows_per_person": 2}
    case.terms |= {"kind": "summaries", "summaries": given}
    return case.write()


@pytest.fixture
def both(tmp_path, monkeypatch):
    """Read a party's table at once, and in parts; return rows, or what refuses the table."""

    def both(case):
        case.save_tables()
        folder, found = tmp_path / "spill", []
        folder.mkdir(exist_ok=True)
        for least in (2**40, 0):
            monkeypatch.setattr(parts, "LARGE_BYTES", least)
            monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 7)
            try:
                found.append(read_rows_at_home(case.study, PARTY, case.source(PARTY), folder))
            except TableError as error:
                found.append(str(error))
        assert list(folder.iterdir()) == []
        return found

    return both


def assert_same(whole, streamed):
    assert _map_of(whole.matrix) is None
    assert _map_of(streamed.matrix) is not None
    np.testing.assert_array_equal(streamed.matrix, whole.matrix)
    assert (streamed.classes is None) == (whole.classes is None)
    if whole.classes is not None:
        np.testing.assert_array_equal(streamed.classes, whole.classes)


def test_rows_are_the_same_in_the_same_order(case, both):
    assert_same(*both(case))


def test_rows_without_an_id_and_with_a_missing_value(case, both):
    case.terms["schema"]["lab"]["age"]["missing"] = "drop"
    case.write()
    table = case.tables[PARTY]
    table["age"] = table["age"].astype(float)
    table.loc[table.index[[3, 11]], "age"] = np.nan
    table.loc[table.index[[5, 19]], ID] = ""
    whole, streamed = both(case)
    assert len(whole.matrix) == len(table) - 2
    assert_same(whole, streamed)


def test_classes_are_those_of_the_rows(case, both):
    del case.terms["schema"]["lab"]["grade"]
    table = case.tables[PARTY]
    classes = sorted(set().union(*(t["grade"] for t in case.tables.values())))
    case.terms["summaries"] = {"target": "grade", "classes": classes}
    case.write()
    table.loc[table.index[4], "grade"] = None
    whole, streamed = both(case)
    assert whole.classes[4] == -1
    assert_same(whole, streamed)


@pytest.mark.parametrize("wrong", ["person", "nobody", "cell"])
def test_a_table_is_refused_in_the_same_words(case, both, wrong):
    table = case.tables[PARTY]
    if wrong == "person":
        table.loc[table.index[[7, 29]], ID] = table[ID].iloc[0]
    elif wrong == "nobody":
        table.loc[table.index[[2, 9, 20]], ID] = ""
    else:
        table["age"] = table["age"].astype(object)
        table.loc[table.index[9], "age"] = "many"
    whole, streamed = both(case)
    assert ("stands in 3 rows" in whole) == (wrong != "cell")
    assert streamed == whole

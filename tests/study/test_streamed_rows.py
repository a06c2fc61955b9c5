"""Rows of a table in parts are those of the table at once, bit by bit."""

from copy import deepcopy

import numpy as np
import pytest

from consilience.exceptions import TableError
from consilience.mapped import _map_of
from consilience.sources import delimited
from consilience.study.rows import read_rows
from consilience.study.streamed_rows import stream_rows

PARTY, ID = "a/lab", "patient id"


@pytest.fixture(autouse=True)
def short_parts(monkeypatch):
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 7)


@pytest.fixture
def both(tmp_path):
    """Read a party's table in parts, and at once; return rows, or what refuses the table."""

    def both(case):
        case.save_tables()
        key = case.private(PARTY).read_key("row")
        folder = tmp_path / "spill"
        folder.mkdir(exist_ok=True)
        found = []
        for read, more in ((stream_rows, (folder,)), (read_rows, ())):
            try:
                found.append(read(case.study, PARTY, case.source(PARTY), key, *more))
            except TableError as error:
                found.append(str(error))
        assert list(folder.iterdir()) == []
        return found

    return both


def assert_same(streamed, whole):
    assert _map_of(streamed.matrix) is not None
    assert _map_of(whole.matrix) is None
    np.testing.assert_array_equal(streamed.matrix, whole.matrix)
    np.testing.assert_array_equal(streamed.pseudonyms, whole.pseudonyms)
    assert streamed.notes == whole.notes
    assert (streamed.target is None) == (whole.target is None)
    if whole.target is not None:
        assert streamed.target.codes.tolist() == whole.target.codes.tolist()
        assert streamed.target.dtype == whole.target.dtype


def test_rows_are_the_same(case, both):
    assert_same(*both(case))


def change(case, **terms):
    """Change terms of the first column and of ids."""
    ids, name = terms.pop("ids", {}), "age"
    case.terms = deepcopy(case.terms)
    case.terms["schema"]["lab"][name] |= terms
    case.terms.setdefault("ids", {}).update(ids)
    case.write()
    return case.tables[PARTY], name


@pytest.mark.parametrize("missing", ["fill", "drop"])
def test_what_is_told_of_a_table_is_counted_over_its_parts(case, both, missing):
    table, name = change(case, missing=missing, outside="clip", ids={"empty": "drop"})
    table[name] = table[name].astype(float)
    table.loc[table.index[[1, 9, 20]], name] = np.nan
    table.loc[table.index[[2, 15]], name] = 1e9
    table.loc[table.index[5], ID] = ""
    table.loc[table.index[6], ID] = "  " + str(table[ID].iloc[6])
    streamed, whole = both(case)
    assert len(whole.notes) >= 3
    assert_same(streamed, whole)


def test_the_first_row_of_an_id_counts_also_if_it_is_left_out(case, both):
    table, name = change(case, missing="drop", ids={"duplicates": "first"})
    table[name] = table[name].astype(float)
    for first, again in ((0, 12), (3, 25), (3, 26)):
        table.loc[table.index[again], ID] = table[ID].iloc[first]
    table.loc[table.index[[3, 12]], name] = np.nan
    streamed, whole = both(case)
    assert any("3 rows repeat" in note for note in whole.notes)
    assert_same(streamed, whole)


@pytest.mark.parametrize("wrong", ["id", "cell", "column", "missing"])
def test_a_table_is_refused_in_the_same_words(case, both, wrong):
    table, name = case.tables[PARTY], "age"
    table[name] = table[name].astype(object)
    if wrong == "id":
        table.loc[table.index[20], ID] = table[ID].iloc[0]
    elif wrong == "cell":
        table.loc[table.index[20], name] = "many"
    elif wrong == "missing":
        table.loc[table.index[20], name] = None
    else:
        table["more"] = 1
    streamed, whole = both(case)
    assert isinstance(whole, str)
    assert streamed == whole


@pytest.fixture
def learning(of_kind):
    """A study of classes, some of whose rows have none."""
    case = of_kind("classes")
    case.tables[PARTY].loc[case.tables[PARTY].index[[2, 9, 25]], "ill"] = None
    return case


def test_classes_stay_with_their_rows(learning, both):
    streamed, whole = both(learning)
    assert (whole.target.codes < 0).sum() == 3
    assert any("3 rows without a class" in note for note in whole.notes)
    assert_same(streamed, whole)


@pytest.mark.parametrize("classes", [("1", "2"), ("01", "2")])
def test_classes_that_look_like_numbers_are_what_all_cells_make_of_them(learning, both, classes):
    """In the first parts 01 reads as a number; an empty cell further down makes texts of all."""
    table = learning.tables[PARTY]
    learning.terms["learning"]["classes"] = list(classes)
    learning.write()
    written = np.where(table["ill"] == "yes", *classes).astype(object)
    written[-1] = None
    table["ill"] = written
    streamed, whole = both(learning)
    if isinstance(whole, str):
        assert streamed == whole
    else:
        np.testing.assert_array_equal(streamed.target.codes, whole.target.codes)
        assert streamed.notes == whole.notes


@pytest.mark.parametrize("wrong", ["class", "column"])
def test_classes_are_refused_or_missed_in_the_same_words(learning, both, wrong):
    table = learning.tables[PARTY]
    if wrong == "class":
        table.loc[table.index[20], "ill"] = "perhaps"
    else:
        table.pop("ill")
    streamed, whole = both(learning)
    if wrong == "class":
        assert "not among the 2 classes" in whole
        assert streamed == whole
    else:
        assert streamed.target is None
        assert streamed.notes == whole.notes

"""Rows of parts are compared with those of whole tables in ``test_streamed_rows.py``."""

import numpy as np
import pytest

from consilience.sources import delimited
from consilience.sources.parts import NotInPartsError
from consilience.study.table_parts import PartsOfTable, fits_in_parts

PARTY = "a/lab"


@pytest.fixture
def opened(case, tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 7)
    key = case.private(PARTY).read_key("row")
    return lambda: PartsOfTable(case.study, PARTY, case.source(PARTY), tmp_path, key)


def test_parts_say_where_their_rows_stand(case, opened):
    table = opened()
    found = list(table.read(np.array([3, 8])))
    n = len(case.tables[PARTY])
    assert table.n_rows == n
    assert np.concatenate([p.places for p in found]).tolist() == [
        k for k in range(n) if k not in (3, 8)
    ]
    assert {p.codes.shape[1] for p in found} == {16}
    assert all(len(p.codes) == len(p.matrix) == len(p.places) for p in found)


def test_nothing_is_said_here_of_a_table_that_is_refused(case, opened):
    table = case.tables[PARTY]
    table.loc[table.index[9], "patient id"] = ""
    case.save_tables()
    parts = opened()
    list(parts.read())
    with pytest.raises(NotInPartsError):
        parts.notes()


def test_pseudonyms_of_a_match_take_all_rows(case):
    assert fits_in_parts(case.study, PARTY)
    case.terms = {**case.terms, "ids": {"match": "psi"}}
    case.write()
    assert not fits_in_parts(case.study, PARTY)

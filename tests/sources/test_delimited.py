import contextlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.exceptions import TableError
from consilience.sources.delimited import read_delimited
from consilience.sources.dialect import Dialect
from consilience.sources.faults import refuse
from consilience.study.checking import kinds_of
from consilience.study.schema import Categorical, Numeric, Ordinal, Schema

SCHEMA = Schema(
    columns={
        "age": Numeric(bounds=(0, 120), missing="fill"),
        "ward": Categorical(categories=("NA", "None", "007"), missing="fill"),
        "grade": Ordinal(categories=("low", "high")),
    }
)
COLUMNS = list(SCHEMA.columns)


@pytest.fixture
def read(tmp_path):
    def read(text, dialect=None):
        path = tmp_path / "table.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_delimited(path, kinds_of(SCHEMA, "id"), dialect)

    return read


def test_texts_stay_texts_and_numbers_become_numbers(read):
    table = read("age,id,ward,grade\n40,007,007,low\n50,NA,None,high\n,1e3,NA,low\n").table
    assert table["id"].tolist() == ["007", "NA", "1e3"]
    assert table["ward"].tolist() == ["007", "None", "NA"]
    encoded = SCHEMA.encode(table[COLUMNS]).matrix
    assert encoded[:, 0].tolist() == [40, 50, 60]
    assert encoded[:, 1:4].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]


def test_missing_numbers_may_be_written_in_the_usual_ways(read):
    signs = ["", "NA", "nan", "NULL", "None", "#N/A"]
    text = "id,age,ward,grade\n" + "".join(f"{k},{s},NA,low\n" for k, s in enumerate(signs))
    table = read(text).table[COLUMNS]
    assert SCHEMA.encode(table).matrix[:, 0].tolist() == [60] * len(signs)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("separator", "decimal"), [(",", "."), (";", ","), ("\t", ","), ("|", ".")]
)
def test_every_dialect_reads_alike(read, encoding, end, separator, decimal):
    lines = [
        ["id", "age", "ward", "grade", "note"],
        ["007", f"4{decimal}5", "None", "low", '"Bär, wohl; auf"'],
        ["8", f"1{decimal}25", "007", "high", "Ü"],
    ]
    found = read((end.join(separator.join(line) for line in lines) + end).encode(encoding))
    assert found.table["id"].tolist() == ["007", "8"]
    assert found.table["age"].tolist() == [4.5, 1.25]
    assert found.table["note"].tolist() == ["Bär, wohl; auf", "Ü"]
    assert not found.faults
    assert found.decimal == decimal


def test_quoted_decimal_commas_are_numbers(read):
    assert read('id,age,ward,grade\n1,"4,5",NA,low\n2,"5,25",NA,low\n').table["age"].tolist() == [4.5, 5.25]  # fmt: skip  # noqa: E501


def test_a_given_dialect_is_not_found_out(read):
    found = read("id,age,ward,grade\n1,4.5,NA,low\n", Dialect(separator=";"))
    assert len(found.table.columns) == 1
    assert "semicolon (given)" in found.told


BROKEN = {
    "all lines too long": ("id,age,ward,grade\n1,2,NA,low,9\n3,4,NA,low,9\n", "2 lines have more"),
    "one line too long": ("id,age,ward,grade\n1,2,NA,low\n3,4,NA,low,9\n", "1 lines have more"),
    "a line too short": ("id,age,ward,grade\n1,2,NA,low\n3,4\n", "1 lines have fewer"),
    "an open quote": ("id,age,ward,grade\n" + '1,2,"NA,low\n', "never closed"),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_broken_lines_are_counted_and_the_rest_is_read(read, text, said):
    found = read(text)
    assert list(found.table.columns) == ["id", *COLUMNS]
    with pytest.raises(TableError, match=said):
        refuse(found.faults)


def test_a_number_that_is_missing_stays_so_in_a_broken_file(read):
    table = read("id,age,ward,grade\n1,NA,NA,low\n3,4,NA,low,9\n").table
    assert table["age"].isna().tolist() == [True, False]
    assert table["ward"].tolist() == ["NA", "NA"]


def test_repeated_columns_get_names_of_their_own(read):
    assert list(read("id,age,age\n1,2,3,4\n").table.columns) == ["id", "age", "age.1"]
    assert list(read("id,age,age\n1,2,3\n").table.columns) == ["id", "age", "age.1"]


def test_an_empty_file_is_refused(read):
    with pytest.raises(TableError, match="is empty"):
        read("")


CELL = st.sampled_from(["1", "-1", "1e400", "NaN", "inf", "", " ", "low", "NA", '"', "0x1", "1_0",
                        "9" * 40, "True", "2020-01-01", "\x00", "ä", "1,5", "-0"])  # fmt: skip


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(CELL, min_size=1, max_size=6), max_size=5))
def test_any_cells_give_a_finite_matrix_or_a_refusal(read, rows):
    text = "id,age,ward,grade\n" + "".join(",".join(row) + "\n" for row in rows)
    with contextlib.suppress(TableError):
        found = read(text)
        refuse(found.faults)
        matrix = SCHEMA.encode(found.table.drop(columns="id")).matrix
        assert np.isfinite(matrix).all()
        lower, upper = SCHEMA.bounds
        assert ((lower <= matrix) & (matrix <= upper)).all()


def test_columns_of_no_known_kind_are_read_by_what_they_hold(read):
    table = read("id,age,ward,grade,more\n1,2,NA,low,3\n").table
    assert pd.api.types.is_numeric_dtype(table["more"])

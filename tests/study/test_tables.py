import contextlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.exceptions import TableError
from consilience.study.schema import Categorical, Numeric, Ordinal, Schema
from consilience.study.tables import Source, read_example, read_table, write_table

SCHEMA = Schema(
    columns={
        "age": Numeric(bounds=(0, 120), missing="fill"),
        "ward": Categorical(categories=("NA", "None", "007"), missing="fill"),
        "grade": Ordinal(categories=("low", "high")),
    }
)


@pytest.fixture
def read(tmp_path):
    def read(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(Source(path, "id"), SCHEMA)

    return read


def test_ids_and_columns_are_parted_and_texts_stay_texts(read):
    ids, table = read("age,id,ward,grade\n40,007,007,low\n50,NA,None,high\n,1e3,NA,low\n")
    assert ids.tolist() == ["007", "NA", "1e3"]
    assert table["ward"].tolist() == ["007", "None", "NA"]
    encoded = SCHEMA.encode(table).matrix
    assert encoded[:, 0].tolist() == [40, 50, 60]
    assert encoded[:, 1:4].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]


def test_missing_numbers_may_be_written_in_the_usual_ways(read):
    signs = ["", "NA", "nan", "NULL", "None", "#N/A"]
    text = "id,age,ward,grade\n" + "".join(f"{k},{s},NA,low\n" for k, s in enumerate(signs))
    assert SCHEMA.encode(read(text)[1]).matrix[:, 0].tolist() == [60] * len(signs)


def test_byte_order_mark_and_other_line_ends_do_no_harm(read):
    ids, table = read(b"\xef\xbb\xbfid,age,ward,grade\r\nP1,4,NA,low\r\n")
    assert (ids.tolist(), len(table)) == (["P1"], 1)


@pytest.mark.parametrize(
    "text",
    [
        "id,age,ward,grade\n1,2,NA,low,9\n3,4,NA,low,9\n",
        "id,age,ward,grade\n1,2,NA,low\n3,4,NA,low,9\n",
        "",
        "id,age,ward,grade\n" + '1,2,"NA,low\n',
        b"id,age,ward,grade\n\xff,2,NA,low\n",
    ],
)
def test_what_is_no_table_is_refused(read, text):
    with pytest.raises(TableError, match=r"table\.csv cannot be read as a table"):
        read(text)


def test_id_column_must_be_there(read):
    with pytest.raises(TableError, match="no column 'id'"):
        read("age,ward,grade\n1,NA,low\n")


def test_parquet_is_read_like_csv(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    pd.DataFrame({"id": [1, 2], "age": [3.0, None], "ward": ["NA", None], "grade": "low"}).to_parquet(path)  # fmt: skip  # noqa: E501
    ids, table = read_table(Source(path, "id"), SCHEMA)
    assert ids.tolist() == ["1", "2"]
    assert SCHEMA.encode(table).matrix[:, 0].tolist() == [3, 60]


CELL = st.sampled_from(["1", "-1", "1e400", "NaN", "inf", "", " ", "low", "NA", '"', "0x1", "1_0",
                        "9" * 40, "True", "2020-01-01", "\x00", "ä", "1,5", "-0"])  # fmt: skip


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(CELL, min_size=1, max_size=6), max_size=5))
def test_any_cells_give_a_finite_matrix_or_a_refusal(read, rows):
    text = "id,age,ward,grade\n" + "".join(",".join(row) + "\n" for row in rows)
    with contextlib.suppress(TableError):
        matrix = SCHEMA.encode(read(text)[1]).matrix
        assert np.isfinite(matrix).all()
        lower, upper = SCHEMA.bounds
        assert ((lower <= matrix) & (matrix <= upper)).all()


def test_example_tells_numbers_from_texts(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("id,age,ward,sparse\n1,2,None,\n2,NA,3,5\n3,4.5,x,\n")
    table = read_example(path)
    assert [pd.api.types.is_numeric_dtype(table[c]) for c in table] == [True, True, False, True]
    assert table["ward"].tolist() == ["None", "3", "x"]


def test_labels_are_written_with_empty_cells_for_none(tmp_path):
    table = pd.DataFrame({"id": ["a", "b"], "cluster": pd.array([1, None], dtype="Int64")})
    assert write_table(table, tmp_path / "x.csv") == b"id,cluster\na,1\nb,\n"

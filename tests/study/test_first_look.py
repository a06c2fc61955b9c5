import pandas as pd
import pytest

from consilience.sources.source import Source
from consilience.study.first_look import look_at, questions_about, see_column

TABLE = """id;age;sex;bmi;ward;day;free;gone;mixed
07;40;1;22,5;north;01.02.2023;SECRET a;;1
08;50;2;31,25;south;02.02.2023;SECRET b;;2
08;;1;28,0;north;;SECRET c;;x
"""


@pytest.fixture
def looked(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    return look_at(Source(tmp_path / "t.csv", "id"))


def test_numbers_with_units_and_commas_are_numbers_that_need_writing():
    money = pd.Series([f"{k}.{k:03d},50 EUR" for k in range(100, 160)])
    seen = see_column("income", money)
    assert seen.kind == "numeric"
    assert "60 with a unit or a word behind" in seen.doubt
    comma = see_column("balance", pd.Series([f"{k},25" for k in range(60)]))
    assert "60 with a decimal comma" in comma.doubt
    code = see_column("code", pd.Series([f"R-{k}" for k in range(60)]))
    assert code.kind == "text"


def test_every_column_is_what_it_seems(looked):
    kinds = {seen.name: seen.kind for seen in looked.columns}
    assert kinds == {
        "age": "numeric",
        "sex": "numeric",
        "bmi": "numeric",
        "ward": "categorical",
        "day": "date",
        "free": "categorical",
        "gone": "empty",
        "mixed": "numeric",
    }
    doubts = {seen.name: seen.doubt for seen in looked.columns}
    assert "if these are codes" in doubts["sex"]
    assert "1 of 3 values are no numbers" in doubts["mixed"]
    assert doubts["age"] == "numeric, with 2 different whole numbers: if these are codes, make it categorical"  # fmt: skip  # noqa: E501
    assert (looked.n_rows, looked.shape) == (3, "two digits (all of the ids)")
    assert [fault.rows for fault in looked.faults] == [1]


def test_many_texts_are_no_category():
    seen = see_column("free", pd.Series([f"text {k}" for k in range(40)], dtype="string"))
    assert (seen.kind, seen.distinct) == ("text", 40)


def test_a_table_without_a_header_shows_no_cell(tmp_path):
    (tmp_path / "t.csv").write_text("4711,40.5,2023-01-01\n4712,50.5,2023-01-02\n")
    looked = look_at(Source(tmp_path / "t.csv", "id"))
    assert [seen.name for seen in looked.columns] == ["column 1", "column 2", "column 3"]
    assert "4711" not in " ".join(map(str, looked.faults))
    assert any("looks like cells" in fault.what for fault in looked.faults)


def test_a_draft_asks_about_codes_and_tells_of_gaps():
    table = pd.DataFrame({"id": ["a", "b", "c"], "sex": [1.0, 2, 1], "age": [20.5, None, 3.5]})
    table["class"] = [1.0, None, 2]
    code, gap = questions_about({"lab": table}, {"lab": ["sex", "age"]})
    assert "is 'sex' a number, or a code? It has 2 different" in code
    assert "1 column lacks values, 'age' most (33%)" in gap

import pandas as pd
import pytest

from consilience.exceptions import TableError
from consilience.sources.source import Source
from consilience.study.examples import read_example


def read(tmp_path, data, name="e.csv", **options):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_example(Source(path, "id"), **options)


def test_example_tells_numbers_from_texts(tmp_path):
    table = read(tmp_path, "id,age,ward,sparse\n1,2,None,\n2,NA,3,5\n3,4.5,x,\n")
    kinds = [pd.api.types.is_numeric_dtype(table[c]) for c in table]
    assert kinds == [False, True, False, True]
    assert table["ward"].tolist() == ["None", "3", "x"]


def test_decimal_commas_are_numbers_and_no_categories(tmp_path):
    for text in ('id,bmi\n1,"22,5"\n2,"31,25"\n', "id;bmi\n1;22,5\n2;31,25\n"):
        assert read(tmp_path, text)["bmi"].tolist() == [22.5, 31.25]


def test_days_are_days(tmp_path):
    for text in ("id,day\n1,2023-01-02\n2,\n", "id;day\n1;02.01.2023\n2;\n"):
        days = read(tmp_path, text)["day"]
        assert pd.api.types.is_datetime64_any_dtype(days)
        assert days[0] == pd.Timestamp(2023, 1, 2)


def test_a_target_of_numbers_stays_a_text(tmp_path):
    assert read(tmp_path, "id,ill\n1,0\n2,1\n", texts=["ill"])["ill"].tolist() == ["0", "1"]


def test_parquet_and_excel_are_examples_too(tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("openpyxl")
    table = pd.DataFrame({"id": ["a", "b"], "age": [1.5, 2], "ward": ["n", "s"]})
    table.to_parquet(tmp_path / "t.parquet")
    table.to_excel(tmp_path / "t.xlsx", index=False)
    for name in ("t.parquet", "t.xlsx"):
        found = read_example(Source(tmp_path / name, "id"))
        assert found["age"].tolist() == [1.5, 2]
        assert found["ward"].tolist() == ["n", "s"]


def test_an_example_without_its_ids_is_refused(tmp_path):
    with pytest.raises(TableError, match="no column 'id' among its 2"):
        read(tmp_path, "who,age\n1,2\n")

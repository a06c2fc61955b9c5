"""Where example tables are, of each column group."""

import pytest

from consilience.cli.shared.example_tables import by_group, example_sources
from consilience.exceptions import StudyError
from consilience.sources.source import Source


def test_each_group_has_its_place_query_and_sheet(tmp_path):
    for name in ("a.csv", "b.xlsx", "q.sql"):
        (tmp_path / name).write_text("")
    tables = f"lab=sqlite:///w.db,life={tmp_path / 'b.xlsx'}"
    alike = Source("", "who")
    found = example_sources(["lab", "life"], tables, f"lab={tmp_path / 'q.sql'}", "life=May", alike)
    assert found["lab"] == Source("sqlite:///w.db", "who", query=tmp_path / "q.sql")
    assert found["life"] == Source(tmp_path / "b.xlsx", "who", sheet="May")


def test_a_table_for_each_group_and_no_other(tmp_path):
    (tmp_path / "a.csv").write_text("")
    with pytest.raises(StudyError, match=r"one table for each of \['lab', 'life'\]"):
        example_sources(["lab", "life"], f"lab={tmp_path / 'a.csv'}", None, None, Source("", "id"))


def test_a_path_alone_says_of_no_group_what_it_is():
    with pytest.raises(StudyError, match=r"--from is 'a\.csv'"):
        by_group("--from", "a.csv")

import inspect

import pytest
import typer
from typer.testing import CliRunner

from consilience.cli.shared.table_options import OPTIONS, as_dialect, as_place, reads_table
from consilience.exceptions import StudyError
from consilience.sources.dialect import Dialect
from consilience.sources.source import Source

got = []


@reads_table
def verb(name: str, source: Source) -> None:
    got.append((name, source))


@reads_table
def lazy(source: Source | None = None, often: int = 1) -> None:
    got.append((often, source))


def run(function, *words):
    got.clear()
    app = typer.Typer()
    app.command()(function)
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code


def test_options_stand_in_place_of_the_source():
    assert list(inspect.signature(verb).parameters) == ["name", *OPTIONS]


def test_a_file_and_its_writing_become_a_source(tmp_path):
    path = tmp_path / "t.csv"
    path.touch()
    words = ["--data", path, "--id", "who", "--ignore", "a", "--ignore", "b", "--separator", "tab"]
    assert run(verb, "x", *words, "--decimal", "comma", "--encoding", "cp1252") == 0
    source = Source(path, "who", Dialect("\t", ",", "cp1252"), ("a", "b"))
    assert got == [("x", source)]


def test_a_table_need_not_be_named_where_the_verb_says_so(tmp_path):
    assert run(lazy, "--often", 3) == 0
    assert got == [(3, None)]
    assert run(verb, "x") == 2


def test_a_database_needs_a_query_and_a_file_none(tmp_path):
    query = tmp_path / "q.sql"
    query.touch()
    with pytest.raises(StudyError, match="needs --query"):
        run(verb, "x", "--data", "sqlite:///a.db")
    with pytest.raises(StudyError, match="a query is for a database"):
        run(verb, "x", "--data", query, "--query", query)
    assert run(verb, "x", "--data", "sqlite:///a.db", "--query", query) == 0
    assert got[0][1].query == query


def test_what_is_no_file_is_named(tmp_path):
    with pytest.raises(StudyError, match="there is no file"):
        as_place(str(tmp_path / "gone.csv"))


def test_signs_may_be_given_by_name_or_as_they_are():
    assert as_dialect("semicolon", "point", None) == as_dialect(";", ".", None)
    with pytest.raises(StudyError, match="--separator is 'dots'"):
        as_dialect("dots", None, None)
    with pytest.raises(StudyError, match="--decimal is ';'"):
        as_dialect(None, ";", None)

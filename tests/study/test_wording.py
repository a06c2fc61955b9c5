"""Studies in words: where two differ, and where in the file something is wrong."""

import pytest
from pydantic import BaseModel, ValidationError

from consilience.study.wording import difference, explain, lines_of


class Small(BaseModel):
    a: int = 0
    b: int = 0


def errors(**values):
    with pytest.raises(ValidationError) as caught:
        Small(**values)
    return caught.value


def test_a_difference_names_the_field_and_both_values():
    here, there = {"a": {"b": 1, "c": [2]}}, {"a": {"b": 1}, "d": "x"}
    assert difference(here, there) == [
        "a.c is [2] here and not set there",
        'd is not set here and "x" there',
    ]
    assert difference(here, here) == []


def test_lines_are_found_by_table_and_key_however_they_are_written():
    text = (
        '# top\n[grid]\nrows = ["a"]\n\n[schema."my lab"]\n"x = y" = {kind = "n", bounds = [0]}\n'
    )
    found = lines_of(text)
    assert found[("grid",)] == 2
    assert found[("grid", "rows")] == 3
    assert found[("schema",)] == 5
    assert found[("schema", "my lab", "x = y", "bounds")] == 6
    assert lines_of("a.b.c = 1\n")[("a", "b", "c")] == 1


def test_a_problem_has_its_line_and_no_value_of_the_file():
    said = explain([errors(a="secret")], {("a",): 7})
    assert said.startswith("line 7, a: ")
    assert "secret" not in said


def test_problems_of_all_parts_are_told_and_no_more_than_five():
    several = [errors(a="x", b="y"), errors(a="x", b="y"), errors(a="x", b="y")]
    assert explain(several, {}).count(";") == 4

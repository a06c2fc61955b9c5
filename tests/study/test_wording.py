"""Studies in words: where two differ, and where in the file something is wrong."""

import json

import pytest
from pydantic import BaseModel, ValidationError

from consilience.study.wording import difference, explain, in_short, lines_of


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


def test_terms_in_short_grow_with_columns_and_not_with_institutions():
    roles = {f"hospital-{k}/lab": {"sign": "0" * 64, "seal": "1" * 64} for k in range(1000)}
    columns = {f"x{k}": {"kind": "numeric", "bounds": [0, k]} for k in range(1000)}
    terms = {"name": "many", "keys": roles, "schema": {"lab": columns}}
    short = in_short(terms)
    assert short["schema"] == terms["schema"]
    assert len(json.dumps(short["keys"])) < 100
    assert in_short(short) == short
    other = in_short({**terms, "keys": roles | {"hospital-7/lab": {"sign": "2" * 64}}})
    [line] = difference(short, other)
    assert line.startswith("keys.sha256 is ")


def test_terms_of_few_institutions_are_stated_in_full():
    terms = {"keys": {f"{k}/lab": {"sign": "0" * 64} for k in range(20)}}
    assert in_short(terms) == terms

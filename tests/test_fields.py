from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from consilience.exceptions import MessageError
from consilience.fields import (
    AtLeast,
    Bytes,
    Coordinates,
    Floats,
    Shape,
    Wholes,
    check_fields,
    rules_of,
)


@dataclass
class Example:
    name: str = "n"
    share: float = 0.5
    n_rows: Annotated[int, AtLeast(1)] = 2
    rows: Annotated[Floats, Shape("n_rows", "n_columns")] | None = None
    codes: Annotated[Bytes, Shape("n_rows", 16)] | None = None
    marks: Annotated[Wholes, Shape("n_columns")] | None = None
    note: str | None = None


GOOD = [
    {},
    {"share": 3, "note": "x"},
    {"share": -1e308, "rows": np.ones((2, 5)), "marks": np.arange(5)},
    {"rows": np.full((2, 1), 1e308), "codes": np.zeros((2, 16), np.uint8)},
    {"marks": np.arange(7), "n_rows": 2**63 - 1},
]


@pytest.mark.parametrize("fields", GOOD)
def test_what_keeps_the_rules_passes(fields):
    check_fields(Example(**fields))


BAD = {
    "no text": ({"name": 3}, "name of an Example must be a text"),
    "no text where there may be one": ({"note": 3}, "note of an Example must be a text"),
    "nothing where a text must be": ({"name": None}, "must be a text"),
    "text as a number": ({"share": "0.5"}, "share of an Example must be a finite number"),
    "true as a number": ({"share": True}, "finite number"),
    "NaN as a number": ({"share": np.nan}, "finite number"),
    "infinite number": ({"share": -np.inf}, "finite number"),
    "whole number no float can hold": ({"share": 10**400}, "finite number"),
    "true as a whole number": ({"n_rows": True}, "n_rows of an Example must be a whole"),
    "fraction as a whole number": ({"n_rows": 2.0}, "whole number >= 1"),
    "too low": ({"n_rows": 0}, "whole number >= 1"),
    "beyond every array": ({"n_rows": 2**63}, "whole number >= 1"),
    "list as an array": ({"rows": [[1.0]]}, "array of float64 with 2 dimensions, not list"),
    "another kind of numbers": ({"marks": np.ones(2)}, "of int64 with 1 dimensions, not float64"),
    "half as many bits": ({"rows": np.ones((2, 1), np.float32)}, "not float32 with 2 dimensions"),
    "high byte first": ({"rows": np.ones((2, 1), dtype=">f8")}, "not >f8 with 2 dimensions"),
    "another number of dimensions": ({"rows": np.ones(2)}, "not float64 with 1 dimensions"),
    "NaN": ({"rows": np.array([[1.0], [np.nan]])}, "rows of an Example has NaN or infinite"),
    "infinities that cancel": ({"rows": np.array([[np.inf], [-np.inf]])}, "NaN or infinite"),
    "size of a number": ({"codes": np.zeros((2, 8), np.uint8)}, r"\(2, 8\), must be \(2, 16\)"),
    "size of a whole number": (
        {"rows": np.ones((3, 2))},
        r"shape \(3, 2\), must be \(2, 2\): n_rows x n_columns, as in the other fields",
    ),
    "size of another array": (
        {"rows": np.ones((2, 2)), "marks": np.arange(3)},
        r"marks of an Example has shape \(3,\), must be \(2,\): n_columns",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "reason"), BAD.values(), ids=BAD)
def test_what_breaks_a_rule_is_refused(fields, reason):
    with pytest.raises(MessageError, match=reason):
        check_fields(Example(**fields))


def test_rules_are_read_off_the_annotations():
    rules = rules_of(Example)
    assert [rule.optional for rule in rules.values()] == [False] * 3 + [True] * 4
    assert [rule.content for rule in rules.values()] == [
        *((str,), (float,), (int,)),
        *((np.float64,), (np.uint8,), (np.int64,)),
        (str,),
    ]


def test_coordinates_are_floats_or_whole_numbers_of_one_size():
    sent = dataclass(type("Sent", (), {"__annotations__": {"Z": Annotated[Coordinates, Shape(2)]}}))
    for dtype in (np.float64, np.int16, np.int32):
        check_fields(sent(np.ones(2, dtype)))
    with pytest.raises(MessageError, match=r"float64 .* or int8 .* or int32 .*, not int64"):
        check_fields(sent(np.ones(2, np.int64)))


@pytest.mark.parametrize("hint", [int, bytes, Floats, dict[str, int], Annotated[str, AtLeast(0)]])
def test_no_field_is_declared_without_a_rule(hint):
    kind = dataclass(type("Loose", (), {"__annotations__": {"field": hint}}))
    with pytest.raises(TypeError, match="can be declared"):
        rules_of(kind)

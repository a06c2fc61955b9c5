import numpy as np
import pandas as pd
import pytest

from consilience.study.column_faults import (
    Beyond,
    alike_names,
    category_faults,
    missing_faults,
    name_faults,
    number_faults,
    outside_faults,
)
from consilience.study.values import read_numbers


def test_columns_that_fit_have_no_fault():
    assert not name_faults(["age", "ward"], ["ward", "age"])


def test_every_column_that_does_not_fit_is_named():
    said = [fault.what for fault in name_faults(["age", "ward", "pain"], ["age", "WARD ", "x", "age.1"])]  # fmt: skip  # noqa: E501
    assert said == [
        "the table has no column 'ward', but 'WARD '",
        "the table has no column 'pain'",
        "the table also has 'x'",
        "the table has 'age' twice",
    ]


def test_a_table_without_a_header_shows_no_cell():
    [fault] = name_faults(["age", "ward"], ["SECRET", "41"])
    assert "SECRET" not in str(fault)
    assert "41" not in str(fault)


def test_two_columns_of_one_name_are_told():
    assert "the table has 'age' twice" in [f.what for f in name_faults(["age"], ["age", "age"])]


def test_names_are_alike_but_for_spaces_and_case():
    assert alike_names(["blood group", "age"], ["Blood Group ", "age"]) == {"blood group": "Blood Group "}  # fmt: skip  # noqa: E501


def test_values_beyond_the_bounds_come_with_bounds_that_hold_them_and_are_none_of_them():
    beyond = Beyond.of(np.array([5.0, 200, -3, np.nan]), (0, 120))
    [fault] = outside_faults("age", beyond, (0, 120), "refuse")
    assert fault.what.endswith("1 below and 1 above")
    assert (fault.rows, fault.refused) == (2, True)
    assert fault.terms == 'bounds = [-100, 300], or outside = "clip"'
    [told] = outside_faults("age", beyond, (0, 120), "clip")
    assert (told.rows, told.refused) == (2, False)


@pytest.mark.parametrize("cut", range(5))
def test_what_lies_beyond_adds_up_over_parts(cut):
    numbers = np.array([5.0, 200, -3, np.nan])
    parts = Beyond.of(numbers[:cut], (0, 120)) + Beyond.of(numbers[cut:], (0, 120))
    assert parts == Beyond.of(numbers, (0, 120)) == Beyond(1, 1, -3, 200)


def test_missing_values_come_with_what_becomes_of_them():
    [refused] = missing_faults("age", 2, "refuse", "60")
    assert refused.terms == 'missing = "fill" (as 60), or "drop"'
    for rule in ("fill", "drop"):
        [told] = missing_faults("age", 2, rule, "60")
        assert (told.rows, told.refused) == (2, False)
    assert not missing_faults("age", 0, "refuse", "60")


def test_wrong_cells_are_counted_and_never_shown():
    values = pd.Series(["SECRET", "1"])
    [number] = number_faults("age", values, read_numbers(values), "finite numbers")
    [category] = category_faults("ward", values, np.array([True, False]), ("1", "2"))
    for fault in (number, category):
        assert fault.rows == 1
        assert "SECRET" not in str(fault) + fault.terms


def test_decimal_commas_point_to_the_option():
    values = pd.Series(["1,5", "2"])
    [fault] = number_faults("age", values, read_numbers(values), "finite numbers")
    assert "--decimal" in fault.way_out

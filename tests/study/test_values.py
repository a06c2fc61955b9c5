from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from consilience.study.values import (
    category_codes,
    explain_categories,
    explain_numbers,
    is_missing,
    read_days,
    read_numbers,
)

START = date(2023, 1, 1)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1.5, None]),
        pd.Series(["1.5", None]),
        pd.Series([Decimal("1.5"), None]),
        pd.Series([1.5, None], dtype="Float64"),
    ],
)
def test_numbers_of_any_type_are_read(values):
    read = read_numbers(values)
    np.testing.assert_array_equal(read.numbers, [1.5, np.nan])
    assert read.missing.tolist() == [False, True]
    assert not read.wrong.any()


@pytest.mark.parametrize("value", ["x", "inf", np.inf, datetime(2020, 1, 1), "1,5", [1], "1e999"])
def test_what_is_no_finite_number_is_wrong(value):
    read = read_numbers(pd.Series([value, 2.0], dtype=object))
    assert read.wrong[0]
    assert np.isnan(read.numbers[0])


def test_a_column_of_days_is_none_of_numbers():
    assert read_numbers(pd.Series(pd.to_datetime(["2020-01-01", None]))).wrong.tolist() == [True, False]  # fmt: skip  # noqa: E501


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["2023-01-03", "2023-01-03T10:00:00", "2023-01-03 23:59"], [2, 2, 2]),
        (["03.01.2023", "3.1.2023"], [2, 2]),
        (["2023/01/03", "20230103"], [2, 2]),
        (["03/01/2023", "31/01/2023"], [2, 30]),
        (["01/03/2023", "01/31/2023"], [2, 30]),
        (["01/03/2023", "01/04/2023"], [np.nan, np.nan]),
        (["31/01/2023", "01/31/2023"], [np.nan, np.nan]),
        (["2022-12-31", "2023-02-30", "soon"], [-1, np.nan, np.nan]),
    ],
)
def test_days_are_read_in_the_usual_ways_and_never_guessed(texts, days):
    np.testing.assert_array_equal(read_days(pd.Series(texts), START).numbers, days)


def test_days_of_other_types_are_read_and_empty_ones_are_missing():
    stamps = pd.Series(pd.to_datetime(["2023-01-03 08:00", None]))
    assert read_days(stamps, START).numbers[0] == 2
    assert read_days(stamps.dt.tz_localize("UTC"), START).numbers[0] == 2
    assert read_days(pd.Series([date(2023, 1, 3)], dtype=object), START).numbers.tolist() == [2]
    read = read_days(pd.Series([None, " ", "x"]), START)
    assert read.missing.tolist() == [True, True, False]
    assert read.wrong.tolist() == [False, False, True]


def test_categories_are_compared_as_texts_without_blanks():
    assert category_codes(("1", "2"), pd.Series([1, 2, 3])).tolist() == [0, 1, -1]
    assert is_missing(pd.Series(["N/A", "null", "0"])).tolist() == [True, True, False]


SECRETS = ["1,5", "1,234.5", "<7", "12 mg", "inf", "01.02.2023", "-", "unknown", "SECRET"]


def test_why_cells_are_no_numbers_is_said_in_counts():
    said = explain_numbers(pd.Series(SECRETS))
    for way in ("1 with a decimal comma", "1 with separators of thousands", "1 with a sign such"):
        assert way in said
    for way in ("1 with a unit", "1 infinite", "1 days", "2 a sign for a missing one"):
        assert way in said
    assert "1 otherwise" in said
    assert not any(secret in said for secret in SECRETS if len(secret) > 3)


def test_how_cells_differ_from_categories_is_said_in_counts():
    said = explain_categories(("yes", "no", "1"), pd.Series(["Yés", "NO.", "1.0", "SECRET"]))
    assert said == (
        "2 but for case, accents or punctuation, 1 but for a .0 behind a number, 1 otherwise; "
        "4 different ones"
    )

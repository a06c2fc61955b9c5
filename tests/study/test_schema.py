import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from consilience.exceptions import TableError
from consilience.study.schema import Categorical, Date, Numeric, Ordinal, Schema

SCHEMA = Schema(
    columns={
        "age": Numeric(bounds=(0, 120)),
        "ward": Categorical(categories=("north", "south")),
        "pain": Ordinal(categories=("none", "some", "much")),
    }
)


def table(**changes):
    columns = {"age": [40, 50.5], "ward": ["south", " north "], "pain": ["much", "none"]}
    return pd.DataFrame(columns | changes)


def test_table_becomes_the_matrix_worked_by_hand():
    encoded = SCHEMA.encode(table())
    assert SCHEMA.feature_names == ["age", "ward=north", "ward=south", "pain"]
    assert encoded.matrix.tolist() == [[40, 0, 1, 2], [50.5, 1, 0, 0]]
    assert encoded.kept.tolist() == [0, 1]


def test_bounds_follow_the_features():
    lower, upper = SCHEMA.bounds
    assert lower.tolist() == [0, 0, 0, 0]
    assert upper.tolist() == [120, 1, 1, 2]


def test_order_of_columns_in_the_table_does_not_matter():
    shuffled = table()[["pain", "age", "ward"]]
    np.testing.assert_array_equal(SCHEMA.encode(shuffled).matrix, SCHEMA.encode(table()).matrix)


def test_numbers_written_as_text_are_read():
    assert SCHEMA.encode(table(age=["40", "50.5"])).matrix[:, 0].tolist() == [40, 50.5]


def test_missing_values_follow_the_rule_of_their_column():
    fill = Schema(
        columns={
            "age": Numeric(bounds=(0, 120), missing="fill"),
            "ward": Categorical(categories=("north", "south"), missing="fill"),
            "pain": Ordinal(categories=("none", "some", "much"), missing="fill"),
        }
    )
    empty = table(age=[None, 3], ward=[None, "north"], pain=[None, "some"])
    assert fill.encode(empty).matrix.tolist() == [[60, 0, 0, 1], [3, 1, 0, 1]]
    drop = Schema(columns={"age": Numeric(bounds=(0, 120), missing="drop")})
    encoded = drop.encode(pd.DataFrame({"age": [1, None, 3]}))
    assert encoded.matrix.ravel().tolist() == [1, 3]
    assert encoded.kept.tolist() == [0, 2]


def test_values_beyond_the_bounds_are_clipped_where_agreed():
    clip = Schema(columns={"age": Numeric(bounds=(0, 100), outside="clip")})
    assert clip.encode(pd.DataFrame({"age": [-5, 130]})).matrix.ravel().tolist() == [0, 100]


REFUSED = {
    "lacks a column": (table().drop(columns="pain"), "no column 'pain'"),
    "extra column": (table(name=["x", "y"]), "also has 'name'"),
    "text for a number": (
        table(age=["old", 3]),
        r"'age' has 1 value that cannot be read as finite",
    ),
    "infinite": (table(age=[np.inf, 3]), r"'age' has 1 value that cannot be read as finite"),
    "out of bounds": (table(age=[121, -1]), r"'age' has 2 values outside .* \[0, 120\]"),
    "unknown category": (table(ward=["west", "north"]), r"'ward' has 1 value outside"),
    "missing number": (table(age=[None, 3]), r"'age' has 1 missing value"),
    "missing category": (table(pain=["some", None]), r"'pain' has 1 missing value"),
    "no rows": (table().iloc[:0], r"no rows"),
    "doubled column": (
        pd.DataFrame([[1, "north", "none", 2]], columns=["age", "ward", "pain", "age"]),
        "has 'age' twice",
    ),
}


@pytest.mark.parametrize(("bad", "message"), REFUSED.values(), ids=REFUSED)
def test_table_that_does_not_fit_is_refused(bad, message):
    with pytest.raises(TableError, match=message):
        SCHEMA.encode(bad)


def test_no_message_shows_a_value():
    secrets = {"age": ["SECRET-AGE", 98765], "ward": ["SECRET-WARD", "north"]}
    for name, values in secrets.items():
        with pytest.raises(TableError) as caught:
            SCHEMA.encode(table(**{name: values}))
        assert not any(str(v) in str(caught.value) for v in values[:1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Numeric(bounds=(3, 3)), r"bounds == \[3.0, 3.0\]"),
        (lambda: Numeric(bounds=(0, float("inf"))), "finite"),
        (lambda: Categorical(categories=("a", "a")), "must not repeat"),
        (lambda: Categorical(categories=("a",)), "at least 2"),
        (lambda: Schema(columns={}), "at least 1"),
        (lambda: Numeric(bounds=(0, 1), colour="red"), "Extra inputs"),
    ],
)
def test_contradictory_terms_are_refused(make, message):
    with pytest.raises(ValidationError, match=message):
        make()


@given(st.lists(st.floats(0, 120), min_size=1, max_size=20))
def test_numbers_pass_unchanged(values):
    schema = Schema(columns={"age": Numeric(bounds=(0, 120))})
    assert schema.encode(pd.DataFrame({"age": values})).matrix.ravel().tolist() == values


def test_ranges_are_four_units_around_the_middle():
    described = Schema(
        columns={
            "gain": Numeric(bounds=(0, 100), center=10, spread=5, weight=2),
            "age": Numeric(bounds=(0, 120)),
            "ward": Categorical(categories=("north", "south")),
            "pain": Ordinal(categories=("none", "some", "much")),
        }
    )
    lower, upper = described.ranges
    np.testing.assert_allclose((lower + upper) / 2, [10, 60, 0.5, 0.5, 1])
    expected = [2.5, 30, np.sqrt(0.5), np.sqrt(0.5), np.sqrt(2 / 3)]
    np.testing.assert_allclose((upper - lower) / 4, expected)


def test_categories_count_together_as_one_number():
    for n in (2, 3, 8):
        names = tuple(map(str, range(n)))
        lower, upper = Schema(columns={"c": Categorical(categories=names)}).ranges
        one_hot = np.eye(n) / ((upper - lower) / 4)
        assert one_hot.var(axis=0).sum() == pytest.approx(1)


def test_missing_number_is_filled_with_its_centre():
    schema = Schema(columns={"gain": Numeric(bounds=(0, 100), center=3, missing="fill")})
    assert schema.encode(pd.DataFrame({"gain": [None, 7]})).matrix.tolist() == [[3], [7]]


@pytest.mark.parametrize(
    "terms", [{"center": 11}, {"center": -1}, {"spread": 0}, {"spread": 11}, {"weight": 0}]
)
def test_what_cannot_be_usual_is_refused(terms):
    with pytest.raises(ValidationError, match=r"must|greater"):
        Numeric(bounds=(0, 10), **terms)


def test_a_day_becomes_the_days_since_the_first():
    day = Date(first="2023-01-01", last="2023-12-31", missing="fill")
    schema = Schema(columns={"day": day})
    table = pd.DataFrame({"day": ["2023-01-03", "04.01.2023", None]})
    encoded, [told] = schema.examine(table)
    assert encoded.matrix.ravel().tolist() == [2, 3, 182]
    assert told.what == "1 missing value, filled as 2023-07-02"
    assert [b.tolist() for b in schema.bounds] == [[0], [364]]
    lower, upper = schema.ranges
    assert (upper - lower).tolist() == [364]
    with pytest.raises(TableError, match="1 value outside the study's bounds"):
        schema.encode(pd.DataFrame({"day": ["2024-01-03"]}))
    with pytest.raises(TableError, match="1 value that cannot be read as days"):
        schema.encode(pd.DataFrame({"day": ["SECRET"]}))


def test_the_first_day_comes_before_the_last():
    with pytest.raises(ValidationError, match="must be before last"):
        Date(first="2023-01-02", last="2023-01-01")


def test_faults_and_encoding_go_together():
    encoded, faults = SCHEMA.examine(table(age=[None, "x"], ward=["west", "north"]))
    assert encoded is None
    assert [fault.column for fault in faults] == ["age", "age", "ward"]


@pytest.mark.parametrize("cut", [0, 1, 3])
def test_counts_of_parts_say_what_is_wrong_with_the_whole(cut):
    """As long as no cell is of another kind, which is told with the writing of all of them."""
    schema = Schema(
        columns={
            "age": Numeric(bounds=(0, 120), missing="fill", outside="clip"),
            "ward": Categorical(categories=("north", "south"), missing="drop"),
        }
    )
    whole = pd.DataFrame({"age": [40, None, 130, -1], "ward": ["north", "south", None, "south"]})
    parts = [schema.count(part) for part in (whole[:cut], whole[cut:])]
    added = {name: parts[0][1][name] + parts[1][1][name] for name in schema.columns}
    encoded, faults = schema.examine(whole)
    assert schema.word(added) == faults
    assert len(faults) == 3
    np.testing.assert_array_equal(np.vstack([p.matrix for p, _ in parts]), encoded.matrix)

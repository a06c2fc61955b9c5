import numpy as np
import pandas as pd
import pytest

from consilience.report.profile import profile_columns
from consilience.study.schema import Categorical, Numeric, Ordinal


def test_profiles_are_those_worked_out_by_hand():
    table = pd.DataFrame(
        {
            "age": [10.0, 20.0, 50.0, 60.0, 999.0],
            "ward": ["a", "a", "b", "a", "b"],
            "stage": ["low", "low", "high", "middle", "high"],
        }
    )
    columns = {
        "age": Numeric(bounds=(0, 100)),
        "ward": Categorical(categories=("a", "b")),
        "stage": Ordinal(categories=("low", "middle", "high")),
    }
    first, second = profile_columns(table, np.array([0, 0, 1, 1, -1]), columns, 2)
    age, ward_a, ward_b, stage = first
    assert [p.name for p in first] == ["age", "ward = a", "ward = b", "stage"]
    assert (age.inside[0], age.rest[0]) == ("15", "55")
    assert age.difference == pytest.approx(-40 / np.std([10, 20, 50, 60]))
    assert (ward_a.inside[0], ward_a.rest[0], ward_b.rest[0]) == ("100%", "50%", "50%")
    assert stage.inside == ("0", "low · low · low")
    assert stage.rest[1].startswith("middle")
    assert second[0].difference == -age.difference


def test_missing_values_are_no_part_of_a_profile():
    table = pd.DataFrame({"x": [1.0, np.nan, 3.0]})
    (profile,) = profile_columns(table, np.zeros(3, int), {"x": Numeric(bounds=(0, 9))}, 1)
    assert profile[0].inside[0] == "2"
    assert np.isnan(profile[0].difference)
    assert profile[0].rest == ("", "")


def test_constant_column_tells_nothing():
    table = pd.DataFrame({"x": [0.1] * 6})
    labels = np.array([0, 1, 0, 1, 0, 1])
    profiles = profile_columns(table, labels, {"x": Numeric(bounds=(0, 9))}, 2)
    assert [p[0].difference for p in profiles] == [0, 0]

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.collaboration.terms import Clusters
from consilience.exceptions import StudyError
from consilience.study import Study
from consilience.study.draft import draft_study, infer_columns


def draft(table, **changes):
    columns = {"lab": infer_columns(table, "id")}
    given = {"name": "n", "rows": ["a"], "columns": ["lab"], "n_clusters": "auto", **changes}
    return Study.from_text(draft_study(schemas=columns, **given))


def test_draft_of_an_example_is_a_study():
    table = pd.DataFrame({"id": [1, 2, 3], "age": [23, 61, 40], "ward": ["n", "s", "n"]})
    study = draft(table, n_clusters="4")
    assert study.schemas["lab"]["age"].bounds == (20, 70)
    assert study.schemas["lab"]["ward"].categories == ("n", "s")
    method = study.of(Clusters)
    assert method.clustering.n_clusters == 4
    assert method.n_components(study, "lab") == 2


@settings(max_examples=40)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5))
def test_bounds_hold_the_example_and_are_in_order(values):
    table = pd.DataFrame({"id": range(len(values)), "x": values, "y": values})
    lower, upper = draft(table).schemas["lab"]["x"].bounds
    assert lower <= min(values) <= max(values) <= upper
    assert lower < upper
    assert math.isfinite(upper - lower)


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=6)


@settings(max_examples=40)
@given(NAMES.filter(lambda name: name != "id"), st.sets(NAMES.map(str.strip), min_size=2))
def test_any_name_and_category_survives_the_draft(name, categories):
    categories = sorted(categories)[:30]
    table = pd.DataFrame({"id": range(len(categories)), name: categories})
    study = draft(table, name=name)
    assert study.name == name
    assert study.schemas["lab"][name].categories == tuple(categories)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None, None], "is empty"),
        ([1.0, math.inf], "no finite bounds"),
        ([-1.7e308, 1.7e308], "no finite bounds"),
        (["same", "same"], "1 different texts"),
        ([f"t{k}" for k in range(31)], "31 different texts"),
    ],
)
def test_columns_that_make_no_schema_are_refused(values, reason):
    table = pd.DataFrame({"id": range(len(values)), "x": values})
    with pytest.raises(StudyError, match=reason):
        infer_columns(table, "id")


def test_id_column_must_be_there():
    with pytest.raises(StudyError, match="no column 'id'"):
        infer_columns(pd.DataFrame({"x": [1]}), "id")

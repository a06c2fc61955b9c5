import math
import tomllib

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.collaboration.terms import Clusters
from consilience.exceptions import StudyError
from consilience.study.draft import draft_study, infer_columns
from consilience.study.method import KINDS, method_of_kind
from consilience.study.study import Study


def draft(table, **changes):
    given = {"kind": "clusters", "name": "n", "rows": ["a"], "examples": {"lab": table}, **changes}
    return Study.from_text(draft_study(**given))


def test_numbers_that_are_written_otherwise_are_said_to_be():
    table = pd.DataFrame({"id": range(60), "income": [f"{k},50 EUR" for k in range(60)]})
    with pytest.raises(StudyError, match=r"'income' .* not written as such: 60 with a unit"):
        infer_columns(table, "id")


def test_draft_of_an_example_is_a_study():
    table = pd.DataFrame({"id": [1, 2, 3], "age": [23, 61, 40], "ward": ["n", "s", "n"]})
    study = draft(table, clusters=4)
    assert study.schemas["lab"]["age"].bounds == (20, 70)
    assert study.schemas["lab"]["ward"].categories == ("n", "s")
    method = study.of(Clusters)
    assert method.clustering.n_clusters == 4
    assert method.n_components(study, "lab") == 1


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


TABLE = pd.DataFrame(
    {"id": [1, 2, 3], "age": [23, 61, 40], "bmi": [20, 30, 25], "ill": list("nyn")}
)
NEEDED = {"classes": {"target": "ill"}, "groups": {"target": "ill"}}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drafted_with_its_own_terms_and_no_others(kind):
    given = {"kind": kind, "name": "n", "rows": ["a"], "examples": {"lab": TABLE}}
    text = draft_study(**given, **NEEDED.get(kind, {}))
    study = Study.from_text(text)
    assert (study.kind, study.method.kind, study.carried) == (kind, kind, None)
    shared = {field.alias or name for name, field in Study.model_fields.items()}
    tables = set(tomllib.loads(text)) - shared
    assert tables <= set(method_of_kind(kind).model_fields)
    assert tables


@pytest.mark.parametrize("kind", KINDS)
def test_an_option_of_other_kinds_is_refused_with_those_it_is_for(kind):
    known = {k: set(method_of_kind(k).draft_options) for k in KINDS}
    for option in set().union(*known.values()) - known[kind]:
        whose = " and ".join(k for k in KINDS if option in known[k])
        with pytest.raises(StudyError, match=f"--{option} is for {whose}, not for {kind}"):
            draft_study(kind, "n", ["a"], {"lab": TABLE}, **{option: "x"})
    if method_of_kind(kind).draft_options.get("target") is ...:
        with pytest.raises(StudyError, match=f"--for {kind} needs --target"):
            draft_study(kind, "n", ["a"], {"lab": TABLE})


def test_a_kind_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(StudyError, match="--for is 'pool', must be one of clusters, classes"):
        draft_study("pool", "n", ["a"], {"lab": TABLE})


def test_days_and_gaps_are_drafted_with_what_they_need():
    days = pd.Series(pd.to_datetime(["2021-03-04", "2023-01-01"]))
    table = pd.DataFrame({"id": ["a", "b"], "day": days, "age": [20.0, None]})
    assert infer_columns(table, "id") == {
        "day": {"kind": "date", "first": "2021-01-01", "last": "2023-12-31"},
        "age": {"kind": "numeric", "bounds": [20.0, 30.0], "missing": "fill"},
    }


def test_every_column_that_makes_no_schema_is_named_at_once():
    table = pd.DataFrame({"id": ["a", "b"], "one": ["x", "x"], "none": [None, None]})
    with pytest.raises(StudyError, match=r"'one' .* has 1 different texts.*'none' .* is empty"):
        infer_columns(table, "id")

"""A first draft of a study file, with a comment on every choice a person has to make."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from consilience.exceptions import StudyError
from consilience.study.bounds import outward
from consilience.study.method import KINDS, method_of_kind
from consilience.study.toml import toml_value
from consilience.study.typical import propose_typical
from consilience.study.values import explain_numbers, look_like_numbers

__all__ = ["draft_study", "infer_columns", "infer_learning", "usual_kind"]

MAX_CATEGORIES = 30
MAX_CLASSES = 100


def infer_columns(table: pd.DataFrame, id_column: str) -> dict[str, dict[str, Any]]:
    """Guess kind, bounds, centre, spread and categories of each column of an example table.

    Bounds are widened outward to round numbers, centre and spread rounded. What is read from rows
    may say something about them: a person corrects the draft before it is shown to anyone.

    Examples
    --------
    >>> table = pd.DataFrame({"id": [1, 2], "age": [23, 61], "ward": ["n", "s"]})
    >>> infer_columns(table, "id")["age"]
    {'kind': 'numeric', 'bounds': [20.0, 70.0]}
    """
    if id_column not in table.columns:
        raise StudyError(
            f"the example table has no column {id_column!r}; name the id column with --id."
        )
    columns: dict[str, dict[str, Any]] = {}
    unfit = []
    for name in table.columns.drop(id_column):
        try:
            terms = _infer_column(table[name].dropna())
        except ValueError as error:
            unfit.append(f"column {name!r} of the example table {error}")
            continue
        # Without a rule the first missing value would be refused, and there are some.
        rule = {"missing": "fill"} if table[name].isna().any() else {}
        columns[str(name)] = {**terms, **rule}
    if unfit:
        raise StudyError(
            f"{'; '.join(unfit)}. Leave out what takes no part with --ignore COLUMN, or group it."
        )
    return columns


def _infer_column(values: pd.Series) -> dict[str, Any]:
    """Guess the terms of a column from what is in it; say what is wrong if it makes none."""
    if values.empty:
        raise ValueError("is empty")
    if pd.api.types.is_datetime64_any_dtype(values):
        first, last = values.min().year, values.max().year
        return {"kind": "date", "first": f"{first}-01-01", "last": f"{last}-12-31"}
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        lower, upper = float(values.min()), float(values.max())
        if not math.isfinite(upper - lower):
            raise ValueError("has no finite bounds")
        bounds = list(outward(lower, upper))
        return {"kind": "numeric", "bounds": bounds, **propose_typical(values)}
    categories = sorted(set(values.astype(str).str.strip()))
    if len(categories) > MAX_CATEGORIES and look_like_numbers(values):
        raise ValueError(
            f"has numbers that are not written as such: {explain_numbers(values)}. Write them as "
            f"numbers, or say how they are written with --decimal"
        )
    if not 2 <= len(categories) <= MAX_CATEGORIES:
        raise ValueError(
            f"has {len(categories)} different texts, must have 2 to {MAX_CATEGORIES} to be a "
            f"category"
        )
    return {"kind": "categorical", "categories": categories}


def infer_learning(
    tables: Mapping[str, pd.DataFrame], target: str
) -> tuple[dict[str, pd.DataFrame], dict[str, Any]]:
    """Find who holds the classes and which there are, and part them from the features.

    Examples
    --------
    >>> table = pd.DataFrame({"id": [1, 2, 3], "age": [23, 61, 40], "ill": ["no", "yes", "no"]})
    >>> rest, learning = infer_learning({"lab": table}, "ill")
    >>> list(rest["lab"].columns), learning
    (['id', 'age'], {'holder': 'lab', 'target': 'ill', 'classes': ['no', 'yes']})
    """
    holders = [column for column, table in tables.items() if target in table]
    if len(holders) != 1:
        raise StudyError(
            f"{len(holders)} of the example tables have a column {target!r}, must be one: the "
            f"column group that holds the classes and sends them."
        )
    [holder] = holders
    classes = sorted(set(tables[holder][target].dropna().astype(str).str.strip()))
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise StudyError(
            f"column {target!r} has {len(classes)} different values, must have 2 to {MAX_CLASSES} "
            f"to be a class."
        )
    rest = {**tables, holder: tables[holder].drop(columns=target)}
    return rest, {"holder": holder, "target": target, "classes": classes}


def usual_kind(n_column_groups: int, options: Mapping[str, Any]) -> str:
    """Return the kind that is drafted where nobody names one: that of which the least leaves.

    Where all institutions hold the same columns nobody's rows need to leave: summaries of them do.
    Columns that are split, or an option that says nothing to summaries, need reduced rows.

    Examples
    --------
    >>> usual_kind(1, {"clusters": 5}), usual_kind(2, {}), usual_kind(1, {"clusters": "2-10"})
    ('summaries', 'clusters', 'clusters')
    """
    known = method_of_kind("summaries").draft_options
    number = options.get("clusters", "auto")
    fits = n_column_groups == 1 and set(options) <= set(known)
    return "summaries" if fits and (number == "auto" or isinstance(number, int)) else "clusters"


def draft_study(
    kind: str,
    name: str,
    rows: Sequence[str],
    examples: Mapping[str, pd.DataFrame],
    id_column: str = "id",
    **options: Any,
) -> str:
    """Write the text of a study file, by ``draft.toml.j2`` in the folder of its kind.

    Parameters
    ----------
    kind : str
        One of :data:`~consilience.study.method.KINDS`.
    name : str
    rows : list of str
        Row institutions.
    examples : dict of column group to DataFrame
        From which columns, bounds and categories are guessed.
    id_column : str, default="id"
    options
        What else the kind is drafted from, see ``draft_options`` of its terms.
    """
    terms = _complete(kind, options)
    if terms.get("target") is not None:
        examples, learning = infer_learning(examples, terms["target"])
        terms |= learning
    schemas = {column: infer_columns(table, id_column) for column, table in examples.items()}
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("consilience", ""),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {"toml": toml_value, "sha256": _sha256}
    folder = KINDS[kind].removeprefix("consilience.").replace(".", "/")
    return environment.get_template(f"{folder}/draft.toml.j2").render(
        kind=kind,
        name=name,
        rows=list(rows),
        columns=list(examples),
        idle_terms=method_of_kind(kind).idle_column_terms,
        schemas=schemas,
        **terms,
    )


def _complete(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Add what was not said, and refuse what means nothing to a kind."""
    if kind not in KINDS:
        raise StudyError(f"--for is {kind!r}, must be one of {', '.join(KINDS)}.")
    known = method_of_kind(kind).draft_options
    for option in given:
        if option not in known:
            others = [k for k in KINDS if option in method_of_kind(k).draft_options]
            raise StudyError(f"--{option} is for {' and '.join(others)}, not for {kind}.")
    for option, default in known.items():
        if default is ... and option not in given:
            raise StudyError(f"--for {kind} needs --{option} too: the draft depends on it.")
    return {**known, **given}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

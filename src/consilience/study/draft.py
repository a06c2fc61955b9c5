"""A first draft of a study file, with a comment on every choice a person has to make."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import jinja2
import pandas as pd

from consilience.exceptions import StudyError
from consilience.study.schema import Schema
from consilience.study.toml import toml_value

__all__ = ["draft_study", "infer_columns", "infer_learning"]

MAX_CATEGORIES = 30
MAX_CLASSES = 100


def infer_columns(table: pd.DataFrame, id_column: str) -> dict[str, dict[str, Any]]:
    """Guess kind, bounds and categories of each column of an example table.

    Bounds are widened outward to round numbers. What is read from rows may say something about
    them: a person corrects the draft before it is shown to anyone.

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
    for name in table.columns.drop(id_column):
        values = table[name].dropna()
        if values.empty:
            raise StudyError(f"column {name!r} of the example table is empty; drop it.")
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            lower, upper = float(values.min()), float(values.max())
            if not math.isfinite(upper - lower):
                raise StudyError(f"column {name!r} of the example table has no finite bounds.")
            bounds = _outward(lower, upper)
            columns[str(name)] = {"kind": "numeric", "bounds": list(bounds)}
        else:
            categories = sorted(set(values.astype(str).str.strip()))
            if not 2 <= len(categories) <= MAX_CATEGORIES:
                raise StudyError(
                    f"column {name!r} of the example table has {len(categories)} different texts, "
                    f"must have 2 to {MAX_CATEGORIES} to be a category. Drop or group it."
                )
            columns[str(name)] = {"kind": "categorical", "categories": categories}
    return columns


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


def draft_study(
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    schemas: Mapping[str, Mapping[str, Any]],
    n_clusters: str = "auto",
    *,
    purpose: str = "clusters",
    learning: Mapping[str, Any] | None = None,
    public: Mapping[str, str] | None = None,
    paper: bool = False,
) -> str:
    """Write the text of a study file.

    Parameters
    ----------
    name : str
    rows, columns : list of str
        The grid.
    schemas : dict of column group to columns
        As `infer_columns` guesses them.
    n_clusters : str
        A number or ``"auto"``.
    purpose : {"clusters", "classes", "peers", "stream"}
        What the study is about, and with it the terms that are drafted.
    learning : dict, optional
        For classes: holder, target, classes and explain.
    public : dict, optional
        For classes: name and sha256 of the file of public rows.
    paper : bool
        Reduce as the papers do: all dimensions but one, in the table's own units, no rotation, and
        a uniform anchor.
    """
    widths = {
        column: len(Schema.model_validate({"columns": schemas[column]}).feature_names)
        for column in columns
    }
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    environment.filters["toml"] = toml_value
    source = files("consilience.study").joinpath("study.toml.j2").read_text(encoding="utf-8")
    return environment.from_string(source).render(
        purpose=purpose,
        reduced=purpose in ("clusters", "classes"),
        learning=learning,
        public=public,
        name=name,
        rows=list(rows),
        columns=list(columns),
        schemas=schemas,
        n_clusters=int(n_clusters) if n_clusters.isdecimal() else n_clusters,
        n_components={
            column: max(1, width - 1) if paper else (width + 1) // 2
            for column, width in widths.items()
        },
        paper=paper,
        widths=widths,
    )


def _outward(lower: float, upper: float) -> tuple[float, float]:
    """Widen an interval to round numbers, about one digit coarse.

    Examples
    --------
    >>> _outward(23, 61), _outward(5, 5), _outward(-0.031, 0.004)
    ((20.0, 70.0), (5.0, 6.0), (-0.04, 0.01))
    """
    largest = max(abs(lower), abs(upper))
    # Of a constant, or nearly so, the unit follows the size.
    size = upper - lower if upper - lower > 1e-12 * largest else largest
    unit = 10.0 ** math.floor(math.log10(size)) if size > 1e-300 else 1.0
    low, high = math.floor(lower / unit) * unit, math.ceil(upper / unit) * unit
    digits = max(0, -math.floor(math.log10(unit)))
    low, high = round(low, digits), round(high, digits)
    # Rounding may have gone inward by a last bit.
    low, high = min(low, lower), max(high, upper)
    return low, high if high > low else low + unit

"""The pages on which a study is drafted, and its columns are corrected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.desk.seat import Seat
from consilience.exceptions import StudyError
from consilience.study.method import KINDS, method_of_kind

__all__ = ["corrections", "show_draft"]


def show_draft(seat: Seat) -> dict[str, Any]:
    """Show the example tables there are, and what a study can ask."""
    kinds = [(kind, method_of_kind(kind)) for kind in KINDS]
    return {
        "tables": sorted(seat.tables),
        "kinds": [(kind, method.told, "target" in method.draft_options) for kind, method in kinds],
    }


def corrections(form: Mapping[str, str]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the terms of each column as the form has them, by group and name."""
    found = {}
    number = 0
    while f"name-{number}" in form:
        said = {name: form.get(f"{name}-{number}", "").strip() for name in FIELDS}
        column = form.get(f"group-{number}", ""), form[f"name-{number}"]
        found[column] = {} if said["kind"] == "leave out" else _terms(column[1], said)
        number += 1
    return found


FIELDS = ("kind", "low", "high", "center", "spread", "categories", "missing", "outside")


def _terms(name: str, said: Mapping[str, str]) -> dict[str, Any]:
    """Return the terms of one column; what belongs to another kind is left away."""
    kind = said["kind"]
    terms: dict[str, Any] = {"kind": kind}
    if kind == "numeric":
        terms["bounds"] = [_number(name, said["low"]), _number(name, said["high"])]
        if said["center"]:
            terms["center"] = _number(name, said["center"])
    elif kind == "date":
        terms |= {"first": said["low"], "last": said["high"]}
    else:
        terms["categories"] = [c.strip() for c in said["categories"].split("\n") if c.strip()]
    if said["spread"]:
        terms["spread"] = _number(name, said["spread"])
    if said["missing"] not in ("", "refuse"):
        terms["missing"] = said["missing"]
    if kind in ("numeric", "date") and said["outside"] not in ("", "refuse"):
        terms["outside"] = said["outside"]
    return terms


def _number(name: str, text: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise StudyError(f"a bound, centre or spread of {name!r} is no number.") from None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value

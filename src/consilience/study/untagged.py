"""Study files that do not name their kind, as all did once: it follows from the tables they have.

Such a file also carries the terms of a study of clusters, whatever it is about, if only by their
defaults; they are part of its digest, so they are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CARRIED_KIND", "infer_kind"]

CARRIED_KIND = "clusters"
"""The kind whose terms a file without a tag has beside its own."""

TABLES = {"learning": "classes", "consensus": "peers", "stream": "stream"}


def infer_kind(terms: Mapping[str, Any]) -> str:
    """Return the kind of a study whose file names none.

    Examples
    --------
    >>> infer_kind({"learning": {"labels": "distribution"}}), infer_kind({})
    ('groups', 'clusters')
    """
    found = [table for table in TABLES if table in terms]
    if len(found) > 1:
        named = " and ".join(f"[{table}]" for table in found)
        raise ValueError(
            f"{found[0]}: the study has {named}, must have one of them at most: each makes it "
            f"another kind of study. Leave one out"
        )
    kind = TABLES[found[0]] if found else CARRIED_KIND
    counted = kind == "classes" and isinstance(terms["learning"], Mapping)
    if counted and terms["learning"].get("labels") == "distribution":
        return "groups"
    return kind

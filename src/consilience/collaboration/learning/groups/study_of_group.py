"""The study of one group: what its members agree on if they want to learn together."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.collaboration.learning.terms import Classes
from consilience.exceptions import StudyError
from consilience.holdings import Place
from consilience.study.study import ANALYST, Study

__all__ = ["study_of_group"]

GROUPED = ("labels", "threshold", "epsilon", "budget")
MAX_NAME = 150
REDUCTION = {"reducer": "pca", "scaling": "spread", "rotate": True, "rounding": "auto"}
"""How rows are reduced where the study of counts does not say: as in a draft of classes."""
MAX_EXACT_ROWS = 0.05


def study_of_group(study: Study, rows: Sequence[str], number: int) -> Study:
    """Return the study in which the members of a group learn one model from rows and classes.

    Every member writes the same one, so its digest is the same everywhere. Public keys are those
    the members had; the analyst is the same until another takes its place. Where the study says
    nothing of how rows leave, the terms are those that ``consilience init --for classes`` drafts.

    Parameters
    ----------
    study : Study
        In which only label counts left.
    rows : sequence of str
        The members, at least two.
    number : int
        Of the group, for its name.
    """
    if len(rows) < 2:
        raise StudyError(f"{list(rows)} is alone in its group: there is nobody to learn with.")
    terms = study.terms()
    grid = terms["grid"]
    grid["rows"] = [row for row in grid["rows"] if row in rows]
    grid["absent"] = [place for place in grid["absent"] if Place.of(place).row in rows]
    terms["name"] = f"{study.name[:MAX_NAME]} (group {number})"
    if "kind" in terms:
        terms["kind"] = Classes.kind
    terms["learning"] = {k: v for k, v in terms["learning"].items() if k not in GROUPED}
    if "kind" in terms and "reduction" not in terms:
        terms["reduction"] = REDUCTION | {"n_components": dict.fromkeys(grid["columns"], "half")}
        terms.setdefault("max_exact_rows", MAX_EXACT_ROWS)
    roles = {ANALYST, *(f"{row}/{column}" for row in rows for column in grid["columns"])}
    terms["keys"] = {role: keys for role, keys in terms["keys"].items() if role in roles}
    return Study.from_terms(terms)

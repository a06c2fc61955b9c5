"""What a study is about: the terms of one kind, and where each kind lives.

A kind of study is a folder of this package. Its ``terms.py`` holds a :class:`Method`, the tables of
the study file that only studies of this kind have; its ``by_files.py`` does what the verbs of the
command line ask of it. :data:`KINDS` is the only place that knows them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from consilience.holdings import Place

if TYPE_CHECKING:
    from consilience.study.study import Study

__all__ = [
    "ANALYST",
    "KINDS",
    "Method",
    "NoiseTerms",
    "Terms",
    "Told",
    "load_kind",
    "method_of_kind",
]

ANALYST = "analyst"

KINDS = {
    "clusters": "consilience.collaboration",
    "classes": "consilience.collaboration.learning",
    "groups": "consilience.collaboration.learning.groups",
    "peers": "consilience.consensus",
    "stream": "consilience.continual",
    "summaries": "consilience.summaries",
}
"""Each kind of study, and its folder."""


class Told(NamedTuple):
    """A kind of study in a sentence each: what it answers, what leaves a house, what comes back."""

    question: str
    leaves: str
    gives: str


class Terms(BaseModel):
    """A table of the study: it knows its fields, refuses others, and does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Method(Terms):
    """The terms that make a study one of its kind.

    Its fields stand in the study file beside the terms every study has, under their own names.
    """

    kind: ClassVar[str]
    told: ClassVar[Told]
    verb: ClassVar[str] = "contribute"
    """The command by which a party takes part."""

    draft_options: ClassVar[Mapping[str, Any]] = {}
    """What a draft may be told beside who takes part; its default, or ``...`` if it has none."""

    target_table: ClassVar[str] = "learning"
    """The table of the study file that says which classes there are, where there are some."""

    idle_column_terms: ClassVar[tuple[str, ...]] = ()
    """Terms of columns that say nothing in a study of this kind; a draft leaves them out."""

    @property
    def sending(self) -> tuple[str, ...]:
        """The fields that say what a party sends of its rows; all, if not known better."""
        return tuple(type(self).model_fields)

    def check(self, study: Study) -> None:
        """Refuse terms that do not go with the grid or the schema of their study.

        Raises
        ------
        ValueError
            With the field to change as its first word.
        """

    def check_carried(self, method: Method) -> None:
        """Refuse terms that mean something else than nothing, carried by a study of another kind.

        Raises
        ------
        ValueError
        """

    def keys_of(self, place: Place, study: Study) -> dict[str, tuple[str, str]]:
        """Return the secrets a party needs, each with the name of the circle that shares it."""
        return {"row": ("row", place.row)}

    def senders_to(self, name: str, study: Study) -> list[str]:
        """Return whose letters a role waits for: the analyst for all parties, a party for it."""
        return list(study.grid.parties) if name == ANALYST else [ANALYST]

    def target_of(self, column: str) -> str | None:
        """Return the column of the tables of a column group that holds classes, if one does."""
        return None

    @property
    def target_classes(self) -> tuple[str, ...]:
        """The classes that column may hold."""
        return ()

    @property
    def promise(self) -> str:
        """What is promised of every person, as a sentence to copy; empty where nothing is."""
        return ""

    @property
    def most_rows_of_an_id(self) -> int | None:
        """How many rows of a person its promise allows, where it makes one."""
        return None


class NoiseTerms(Terms):
    """What noise may cost.

    Parameters
    ----------
    epsilon : float, optional
        Privacy budget per record and contribution. Nothing means no noise, and no guarantee.
    budget : float, optional
        What all contributions of a party together may spend per record; nothing keeps account
        without a limit.

    Examples
    --------
    >>> NoiseTerms(epsilon=50, budget=100).budget
    100.0
    """

    epsilon: float | None = Field(default=None, gt=0, strict=True)
    budget: float | None = Field(default=None, gt=0, strict=True)

    @model_validator(mode="after")
    def _affordable(self) -> NoiseTerms:
        if self.budget is None:
            return self
        if self.epsilon is None:
            raise ValueError(
                f"budget == {self.budget:g} without epsilon: a contribution without noise has no "
                f"price that a budget could hold. Set epsilon too"
            )
        if self.epsilon > self.budget:
            raise ValueError(
                f"epsilon == {self.epsilon:g}, must be <= {self.budget:g}, the budget: not one "
                f"contribution could be sent"
            )
        return self


def load_kind(kind: str, part: str) -> Any:
    """Return a file of the folder of a kind, loaded only now: a verb loads what it uses."""
    return import_module(f"{KINDS[kind]}.{part}")


def method_of_kind(kind: str) -> type[Method]:
    """Return the terms of a kind.

    Examples
    --------
    >>> method_of_kind("peers").kind
    'peers'
    """
    found: type[Method] = load_kind(kind, "terms").METHOD
    return found

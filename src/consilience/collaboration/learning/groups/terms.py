"""What the parties of a study of groups agree on: label counts leave, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import model_validator

from consilience.collaboration.learning.terms import LearningTerms
from consilience.holdings import Place
from consilience.study.method import ANALYST, Method, Told
from consilience.study.study import Study

__all__ = ["METHOD", "GroupTerms", "Groups"]


class GroupTerms(LearningTerms):
    """How institutions are grouped, and what a group that wants to learn would agree on.

    The study ends with groups; a group whose members want to learn together agrees on a study of
    its own, with the terms it has in common with
    :class:`~consilience.collaboration.learning.terms.LearningTerms`. ``epsilon`` and ``budget`` are
    those of the noise on the counts.
    """

    labels: Literal["distribution"] = "distribution"

    @model_validator(mode="after")
    def _groupable(self) -> GroupTerms:
        if self.threshold in (None, "auto"):
            given = "no threshold" if self.threshold is None else "threshold == 'auto'"
            raise ValueError(
                f"labels == 'distribution' with {given}: institutions are grouped by their "
                f"counts, and no row is held out to judge a threshold by. Set threshold to a "
                f"number between 0 and 1, or to 'gap'"
            )
        return self


class Groups(Method):
    """A study of groups: parties send how many rows of each class they have, and nothing else."""

    kind: ClassVar[str] = "groups"
    told: ClassVar[Told] = Told(
        "Which institutions see the same mix of classes?",
        "How many rows of each class you have.",
        "Which institutions are alike.",
    )
    draft_options: ClassVar[Mapping[str, Any]] = {"target": ...}

    learning: GroupTerms

    def check(self, study: Study) -> None:
        """Refuse what cannot be counted."""
        self.learning.check(study)

    def senders_to(self, name: str, study: Study) -> list[str]:
        """Return whose letters a role waits for; parties without classes have nothing to send."""
        senders = super().senders_to(name, study)
        return [s for s in senders if s == ANALYST or Place.of(s).column == self.learning.holder]

    def target_of(self, column: str) -> str | None:
        """Return the column of the classes, at those who hold them."""
        return self.learning.target if column == self.learning.holder else None

    @property
    def target_classes(self) -> tuple[str, ...]:
        """The classes that column may hold."""
        return self.learning.classes


METHOD = Groups

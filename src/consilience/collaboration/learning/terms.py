"""What the parties of a study of classes agree on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from consilience.collaboration.terms import Reduced
from consilience.holdings import Place
from consilience.study.grid import Name
from consilience.study.method import NoiseTerms, Told
from consilience.study.study import Study

__all__ = ["METHOD", "ClassTerms", "Classes", "LearningTerms"]

CARRIED = ("ridge", "logistic", "forest", "network")
"""The estimators whose models can be sent to parties."""


class LearningTerms(NoiseTerms):
    """What is learnt of classes, from whom, and what comes back.

    Parameters
    ----------
    holder : str
        The column group whose parties hold the classes of their rows. With this term they *send*
        them: the analyst learns the class of every row that has one.
    target : str
        The column of their tables that holds the class; it is no feature. Empty cells are rows
        to be predicted.
    classes : tuple of str
        All classes there are, which is public knowledge.
    estimator : {"ridge", "logistic", "forest", "network", "xgboost"}
        What the analyst fits.
    threshold : float, "auto", "gap" or nothing
        One model per group of row institutions whose label mixes differ by no more than this
        [Sugawara2026]_; nothing means one model for all.
    answer : {"labels", "scores", "model"}
        Whether parties learn the predicted class alone, the model's scores, or the predicted class
        and the model itself, with which they can predict new rows at home.
    prior : "own" or nothing
        Whether each row institution expects the mix of classes of its own labelled rows, which a
        party that receives a model or scores can tell from that of all; nothing expects the mix of
        all.
    layers : tuple of int, optional
        The widths of the hidden layers of a ``network``; those of [Sugawara2026]_ if nothing is
        said.
    explain : {"no", "column", "all"}
        Whether parties also get predictions for the anchor and fit a readable model to them: in
        the features of their own column group, or in all features, for which every party must
        hold the keys of all column groups and can then, with the analyst, attack them all.
    seed : int
    """

    holder: Name
    target: str = Field(min_length=1)
    classes: tuple[str, ...] = Field(min_length=2)
    estimator: Literal["ridge", "logistic", "forest", "network", "xgboost"] = "ridge"
    threshold: Annotated[float, Field(ge=0, le=1)] | Literal["auto", "gap"] | None = None
    answer: Literal["labels", "scores", "model"] = "labels"
    prior: Literal["own"] | None = None
    layers: (
        Annotated[tuple[Annotated[int, Field(ge=1, le=4096)], ...], Field(max_length=8)] | None
    ) = None
    explain: Literal["no", "column", "all"] = "no"
    seed: int = Field(default=0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def _distinct(self) -> LearningTerms:
        if len(set(self.classes)) < len(self.classes):
            raise ValueError(f"classes == {list(self.classes)}, must not repeat")
        if self.layers is not None and self.estimator != "network":
            raise ValueError(
                f"layers == {list(self.layers)} is for estimator = 'network', not for "
                f"{self.estimator!r}. Leave it out"
            )
        if self.answer == "model" and self.estimator not in CARRIED:
            raise ValueError(
                f"estimator == {self.estimator!r} cannot be had with answer = 'model': its model "
                f"cannot be carried as plain numbers. Those that can: {', '.join(CARRIED)}"
            )
        return self

    def check(self, study: Study) -> None:
        """Refuse a holder who is nobody, classes that are features, a model nobody could use."""
        if self.holder not in study.grid.columns:
            raise ValueError(
                f"learning.holder == {self.holder!r}, must be one of the columns of the grid, "
                f"{list(study.grid.columns)}"
            )
        if self.target in study.schemas[self.holder]:
            raise ValueError(
                f"learning.target == {self.target!r} is also a feature of {self.holder!r}; remove "
                f"it from the schema, or the model is told the answer"
            )
        if self.answer == "model" and len(study.grid.columns) > 1:
            raise ValueError(
                f"learning.answer == 'model' needs one column group, the grid has "
                f"{list(study.grid.columns)}: a party could not use the model, since it takes all "
                f"columns of a row. Choose 'labels' or 'scores', and learning.explain = 'column' "
                f"to predict new rows"
            )


class ClassTerms(LearningTerms):
    """What is learnt where the class of every row leaves; ``labels`` may say so."""

    labels: Literal["rows"] | None = None

    @model_validator(mode="after")
    def _without_counts(self) -> ClassTerms:
        if self.epsilon is not None:
            raise ValueError(
                f"epsilon == {self.epsilon:g} is for labels = 'distribution': it is noise on the "
                f"counts, and this study sends the class of every row. Set reduction.epsilon for "
                f"noise on the rows"
            )
        return self


class Classes(Reduced):
    """A study of classes: parties send reduced rows and their classes, an analyst learns."""

    kind: ClassVar[str] = "classes"
    told: ClassVar[Told] = Told(
        "Which class does a row have, learnt from all?",
        "Coordinates of each row in fewer dimensions, and its class.",
        "A prediction for each of your rows.",
    )
    draft_options: ClassVar[Mapping[str, Any]] = {
        "target": ...,
        "explain": "no",
        "public": None,
        "paper": False,
    }

    learning: ClassTerms

    @property
    def anchor_is_everywhere(self) -> bool:
        """Whether every party holds the anchor of all column groups."""
        return self.learning.explain == "all" or super().anchor_is_everywhere

    def check(self, study: Study) -> None:
        """Refuse what no data collaboration can do, and what cannot be learnt."""
        super().check(study)
        self.learning.check(study)

    def keys_of(self, place: Place, study: Study) -> dict[str, tuple[str, str]]:
        """Return the keys of a party; those of all columns where it explains in all of them."""
        keys = super().keys_of(place, study)
        if self.learning.explain == "all" and self.anchor.kind != "smote":
            others = (column for column in study.grid.columns if column != place.column)
            keys |= {f"column-{column}": ("column", column) for column in others}
        return keys

    def target_of(self, column: str) -> str | None:
        """Return the column of the classes, at those who hold them."""
        return self.learning.target if column == self.learning.holder else None

    @property
    def target_classes(self) -> tuple[str, ...]:
        """The classes that column may hold."""
        return self.learning.classes


METHOD = Classes

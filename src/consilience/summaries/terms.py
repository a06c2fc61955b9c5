"""What the parties of a study of summaries agree on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from consilience.holdings import Place
from consilience.study.method import Method, Terms, Told
from consilience.study.study import Study

__all__ = ["METHOD", "Summaries", "SummaryTerms"]

Positive = Annotated[float, Field(gt=0, strict=True)]


class SummaryTerms(Terms):
    """What stands between a row and what leaves, and what is looked for.

    Parameters
    ----------
    guarantee : {"dp", "k-anonymous", "both"}
        Differential privacy by noise; means of at least `min_rows` rows without noise; or noise,
        and no centre that may stand for fewer rows.
    epsilon, delta : float
        What a summary may cost a record, where there is noise.
    budget : float, optional
        What everything in the ledger of a party may cost a record together; nothing sets no limit.
    min_rows : int
        The fewest rows behind a centre, where the guarantee speaks of them.
    n_clusters : int or "auto"
        The analyst chooses between 1 and 10 if it is "auto".
    rows_per_person : int
        The most rows of one id in the table of a party; noise hides all of them together.
    scaling : {"bounds", "spread"}
        Whether the bounds of every column are brought to the same width, or columns are counted in
        their public spreads, a categorical one as a whole like a number. With spreads, what lies
        further than two of them from the centre of its column counts as if it lay there.
    spreads : dict of str to float
        With bounds, for numeric columns, what difference counts as 1; the width of the bounds where
        nothing is said. Public knowledge, as bounds are.
    mixture : bool, optional
        Whether clusters are Gaussians of any shape; nothing finds round ones, as k-means does.
    target : str, optional
        A column of classes, which is no feature: the study then is about classes, not clusters.
        Every class is summarised by itself, and every party learns at home from the centres of
        all.
    classes : tuple of str, optional
        All classes there are, which is public knowledge.
    seed : int
        For the clusters the analyst looks for; it never touches the noise.
    """

    guarantee: Literal["dp", "k-anonymous", "both"] = "dp"
    epsilon: Positive = 1.0
    delta: Annotated[float, Field(gt=0, le=1e-3)] = 1e-6
    budget: Positive | None = None
    min_rows: int = Field(default=10, ge=2, le=10_000)
    n_clusters: Annotated[int, Field(ge=2, le=1_000)] | Literal["auto"] = "auto"
    rows_per_person: int = Field(default=1, ge=1, le=1_000)
    scaling: Literal["bounds", "spread"] = "bounds"
    spreads: dict[str, Positive] = Field(default_factory=dict)
    mixture: Annotated[bool, Field(strict=True)] | None = None
    target: Annotated[str, Field(min_length=1)] | None = None
    classes: Annotated[tuple[str, ...], Field(min_length=2, max_length=1_000)] | None = None
    seed: int = Field(default=0, ge=0, lt=2**31)

    @property
    def noisy(self) -> bool:
        """Whether noise stands between a row and what leaves."""
        return self.guarantee != "k-anonymous"

    @property
    def counted(self) -> bool:
        """Whether every centre stands for a fewest number of rows."""
        return self.guarantee != "dp"

    @model_validator(mode="after")
    def _affordable(self) -> SummaryTerms:
        if self.budget is None:
            return self
        if not self.noisy:
            raise ValueError(
                f"budget == {self.budget:g} with guarantee == 'k-anonymous': means without noise "
                f"have no price that a budget could hold. Leave it out, or agree on 'both'"
            )
        if self.epsilon > self.budget:
            raise ValueError(
                f"epsilon == {self.epsilon:g}, must be <= {self.budget:g}, the budget: not one "
                f"summary could be sent"
            )
        return self

    @model_validator(mode="after")
    def _learnable(self) -> SummaryTerms:
        if (self.target is None) != (self.classes is None):
            raise ValueError("target and classes belong together: say both, or neither")
        if self.classes is None:
            return self
        if len(set(self.classes)) < len(self.classes):
            raise ValueError(f"classes == {list(self.classes)}, must not repeat")
        if not self.noisy:
            raise ValueError(
                "target with guarantee == 'k-anonymous': the rows behind a mean would all have the "
                "same class, and whoever is among them would have it for sure. Agree on 'dp' or "
                "'both'"
            )
        if self.mixture:
            raise ValueError("mixture is about clusters, and with target there are none")
        return self

    @property
    def promise(self) -> str:
        """What is promised of every person, as a sentence that may be copied."""
        start = "No record leaves the institution: "
        groups = f"at least {self.min_rows} persons"
        if not self.noisy:
            return f"{start}every number sent is a mean over {groups}."
        text = (
            f"{start}what is sent is ({self.epsilon:g}, {self.delta:g})-differentially private for "
            f"each person, so that it would be nearly as likely had the person not taken part"
        )
        if self.counted:
            text += f"; and every centre stands for {groups}, but for a chance of 1 in 30,000 each"
        return f"{text}."


class Summaries(Method):
    """A study of summaries: every party holds the same columns and sends centres of its rows."""

    kind: ClassVar[str] = "summaries"
    told: ClassVar[Told] = Told(
        "Which rows are alike, if no row may leave?",
        "Centres that stand for many rows, and how many.",
        "Clusters or classes, found at home.",
    )
    target_table: ClassVar[str] = "summaries"
    draft_options: ClassVar[Mapping[str, Any]] = {"clusters": "auto", "target": None}

    summaries: SummaryTerms = SummaryTerms()

    def check(self, study: Study) -> None:
        """Refuse columns that are split, and spreads of columns that are not there."""
        if len(study.grid.columns) > 1:
            raise ValueError(
                f"summaries need one column group, the grid has {sorted(study.grid.columns)}: only "
                f"who holds all columns of a row can summarise it. Use a study of clusters"
            )
        [column] = study.grid.columns
        if self.summaries.scaling == "spread" and self.summaries.spreads:
            raise ValueError(
                "summaries.spreads goes with summaries.scaling = 'bounds'; with 'spread' say "
                "spread in the columns of the schema"
            )
        numeric = {n for n, c in study.schemas[column].items() if c.kind == "numeric"}
        unknown = sorted(set(self.summaries.spreads) - numeric)
        if unknown:
            raise ValueError(
                f"summaries.spreads names {unknown}, must name numeric columns of {column!r}"
            )
        if self.summaries.target in study.schemas[column]:
            raise ValueError(
                f"summaries.target == {self.summaries.target!r} is also a feature; remove it from "
                f"the schema, or the model is told the answer"
            )
        if study.max_reconstruction is not None:
            raise ValueError(
                f"max_reconstruction == {study.max_reconstruction:g} limits how well rows are "
                f"rebuilt, and no row leaves in a study of summaries. Leave it out"
            )

    def keys_of(self, place: Place, study: Study) -> dict[str, tuple[str, str]]:
        """Return nothing: parties share neither rows nor an anchor."""
        return {}

    def target_of(self, column: str) -> str | None:
        """Return the column of the classes, if the study has some."""
        return self.summaries.target

    @property
    def target_classes(self) -> tuple[str, ...]:
        """The classes that column may hold."""
        return self.summaries.classes or ()

    @property
    def promise(self) -> str:
        """What is promised of every person."""
        return self.summaries.promise

    @property
    def most_rows_of_an_id(self) -> int | None:
        """How many rows of a person its promise allows."""
        return self.summaries.rows_per_person


METHOD = Summaries

"""What the parties of a study of summaries agree on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from consilience.holdings import Place
from consilience.study.method import Method, Terms
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
        The analyst chooses between 2 and 10 if it is "auto".
    rows_per_person : int
        The most rows of one id in the table of a party; noise hides all of them together.
    spreads : dict of str to float
        For numeric columns, what difference counts as 1; the width of the bounds where nothing is
        said. Public knowledge, as bounds are.
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
    spreads: dict[str, Positive] = Field(default_factory=dict)
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


class Summaries(Method):
    """A study of summaries: every party holds the same columns and sends centres of its rows."""

    kind: ClassVar[str] = "summaries"
    idle_column_terms: ClassVar[tuple[str, ...]] = ("spread", "weight")
    draft_options: ClassVar[Mapping[str, Any]] = {"clusters": "auto"}

    summaries: SummaryTerms = SummaryTerms()

    def check(self, study: Study) -> None:
        """Refuse columns that are split, and spreads of columns that are not there."""
        if len(study.grid.columns) > 1:
            raise ValueError(
                f"summaries need one column group, the grid has {sorted(study.grid.columns)}: only "
                f"who holds all columns of a row can summarise it. Use a study of clusters"
            )
        [column] = study.grid.columns
        numeric = {n for n, c in study.schemas[column].items() if c.kind == "numeric"}
        unknown = sorted(set(self.summaries.spreads) - numeric)
        if unknown:
            raise ValueError(
                f"summaries.spreads names {unknown}, must name numeric columns of {column!r}"
            )
        if study.max_reconstruction is not None:
            raise ValueError(
                f"max_reconstruction == {study.max_reconstruction:g} limits how well rows are "
                f"rebuilt, and no row leaves in a study of summaries. Leave it out"
            )

    def keys_of(self, place: Place, study: Study) -> dict[str, tuple[str, str]]:
        """Return nothing: parties share neither rows nor an anchor."""
        return {}

    @property
    def most_rows_of_an_id(self) -> int | None:
        """How many rows of a person its promise allows."""
        return self.summaries.rows_per_person


METHOD = Summaries

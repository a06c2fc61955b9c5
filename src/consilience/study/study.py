"""The study file: the public terms all roles agree on, and their digest.

A study is a TOML file. Every message carries the digest of its terms, so that nobody answers a
question another study asked; a changed term is refused with the difference in words.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from consilience.exceptions import StudyError
from consilience.study.consensus import Consensus
from consilience.study.identity import PublicKeys
from consilience.study.reduction import Reduction
from consilience.study.schema import Column, Schema
from consilience.study.terms import (
    Alignment,
    Anchor,
    Clustering,
    Grid,
    Ids,
    Learning,
    Stream,
    Terms,
)
from consilience.study.wording import explain, lines_of

__all__ = ["ANALYST", "MAX_STUDY_BYTES", "Study"]

ANALYST = "analyst"
MAX_STUDY_BYTES = 2**20


class Study(Terms):
    """The whole agreement.

    ``max_reconstruction`` is the largest median R2 that any coalition may reach in the audit of a
    contribution; a party whose audit exceeds it sends nothing. None sets no limit.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> study.grid.parties
    ['north/lab', 'south/lab']
    >>> len(study.digest)
    64
    """

    format: Literal[1] = 1
    name: str = Field(min_length=1, max_length=200)
    grid: Grid
    schemas: dict[str, dict[str, Column]] = Field(alias="schema")
    ids: Ids = Ids()
    clustering: Clustering = Clustering()
    learning: Learning | None = None
    stream: Stream | None = None
    reduction: Reduction = Reduction()
    anchor: Anchor = Anchor()
    alignment: Alignment = Alignment()
    answer: Literal["labels", "representation", "model"] = "labels"
    max_reconstruction: Annotated[float, Field(gt=0, le=1)] | None = None
    consensus: Consensus | None = None
    keys: dict[str, PublicKeys] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        columns = set(self.grid.columns)
        if set(self.schemas) != columns:
            raise ValueError(
                f"schema describes {sorted(self.schemas)}, must describe exactly the columns of "
                f"the grid, {sorted(columns)}"
            )
        for column in columns:
            width = len(self.schema_of(column).feature_names)
            kept = self.n_components(column)
            # Peers reduce nothing: one column is enough for a consensus.
            if kept >= width and self.consensus is None:
                raise ValueError(
                    f"reduction.n_components.{column} == {kept}, must be < {width}, the number of "
                    f"encoded columns: a party that keeps all of them sends its rows as they are, "
                    f"only turned. Lower it, or give the group more columns"
                )
        if self.learning is not None:
            self._check_learning(self.learning)
        elif self.anchor.kind == "smote":
            raise ValueError(
                "anchor.kind == 'smote' is for a study that learns: it does not help clusterings, "
                "and shows every party the anchor of all columns"
            )
        if self.reduction.epsilon is not None:
            self._check_noise()
        if self.stream is not None and len(columns) > 1:
            raise ValueError(
                f"stream needs one column group, the grid has {sorted(columns)}: the parties of a "
                f"continual study hold the same columns of different rows"
            )
        strangers = set(self.reduction.n_components) - columns
        if strangers:
            raise ValueError(f"reduction.n_components names {sorted(strangers)}: no such columns")
        if self.consensus is not None:
            if len(self.grid.rows) > 1:
                raise ValueError(
                    f"consensus needs one row institution, the grid has {list(self.grid.rows)}"
                )
            unknown = sorted(set(self.consensus.places) - set(self.grid.parties))
            if unknown:
                raise ValueError(f"consensus.places names {unknown}, which are no parties")
        unknown = sorted(set(self.keys) - {ANALYST, *self.grid.parties})
        if unknown:
            raise ValueError(f"keys names {unknown}, which are neither parties nor the analyst")
        if self.anchor.n_rows is not None and self.anchor.n_rows <= self.n_features:
            raise ValueError(
                f"anchor.n_rows == {self.anchor.n_rows}, must be > {self.n_features}, the number "
                f"of encoded columns of all parties of a row"
            )
        return self

    def _check_learning(self, learning: Learning) -> None:
        if learning.holder not in self.grid.columns:
            raise ValueError(
                f"learning.holder == {learning.holder!r}, must be one of the columns of the grid, "
                f"{list(self.grid.columns)}"
            )
        if learning.target in self.schemas[learning.holder]:
            raise ValueError(
                f"learning.target == {learning.target!r} is also a feature of "
                f"{learning.holder!r}; remove it from the schema, or the model is told the answer"
            )
        if self.answer != "labels":
            raise ValueError(
                f"answer == {self.answer!r} is about clusters, and this study learns. Set "
                f"learning.answer instead"
            )
        if learning.answer == "model" and len(self.grid.columns) > 1:
            raise ValueError(
                f"learning.answer == 'model' needs one column group, the grid has "
                f"{list(self.grid.columns)}: a party could not use the model, since it takes all "
                f"columns of a row. Choose 'labels' or 'scores', and learning.explain = 'column' "
                f"to predict new rows"
            )

    def _check_noise(self) -> None:
        if self.learning is not None and self.learning.counts_alone:
            raise ValueError(
                "reduction.epsilon is for studies whose parties send reduced rows, and in this one "
                "they send label counts alone (learning.labels = 'distribution'). Set "
                "learning.epsilon"
            )
        if self.consensus is not None or self.stream is not None:
            other = "consensus" if self.stream is None else "stream"
            raise ValueError(
                f"reduction.epsilon is for studies whose parties send reduced rows, and this one "
                f"has a [{other}], which reduces none. Leave it out"
                + (", or set stream.epsilon" if other == "stream" else "")
            )
        for column in self.grid.columns:
            schema = self.schema_of(column)
            lower, upper = schema.bounds
            for name, low, high in zip(schema.feature_names, lower, upper, strict=True):
                if not low < high:
                    raise ValueError(
                        f"reduction.epsilon needs bounds between which a column can vary, and "
                        f"{name!r} of {column!r} has {low:g} and {high:g}. Leave the column out"
                    )

    def schema_of(self, column: str) -> Schema:
        """Return the schema of a column group."""
        return Schema(columns=self.schemas[column])

    def n_components(self, column: str) -> int:
        """Return the dimensions a party of a column keeps: as stated, or half of what it has."""
        width = len(self.schema_of(column).feature_names)
        return self.reduction.n_components.get(column, (width + 1) // 2)

    @property
    def n_features(self) -> int:
        """Encoded columns of all column groups together."""
        return sum(len(self.schema_of(c).feature_names) for c in self.grid.columns)

    def public_keys(self, name: str) -> PublicKeys:
        """Return the public keys of a role; a role without keys cannot take part."""
        if name not in self.keys:
            raise StudyError(
                f"the study has no public keys of {name!r}. Run `consilience keygen --name {name} "
                f"--study ...` there and send everyone the new study file."
            )
        return self.keys[name]

    def terms(self) -> dict[str, Any]:
        """Return the terms as plain values, as they enter the digest.

        What is not set is left out, so that a study keeps its digest when a later version knows
        one more term.
        """
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @property
    def digest(self) -> str:
        """SHA-256 of the terms in canonical JSON."""
        text = json.dumps(self.terms(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @classmethod
    def from_terms(cls, terms: Any) -> Study:
        """Build a study from plain values."""
        try:
            return cls.model_validate(terms)
        except ValidationError as error:
            raise StudyError(explain(error, {})) from None

    @classmethod
    def from_text(cls, text: str, source: str = "the study") -> Study:
        """Read a study from TOML; an error names the line and the field."""
        try:
            terms = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            # A number of thousands of digits is a ValueError that is no TOMLDecodeError.
            raise StudyError(f"{source} is not valid TOML: {error}") from None
        try:
            return cls.model_validate(terms)
        except ValidationError as error:
            raise StudyError(f"{source}: {explain(error, lines_of(text))}") from None

    @classmethod
    def load(cls, path: Path) -> Study:
        """Read a study file."""
        if path.stat().st_size > MAX_STUDY_BYTES:
            raise StudyError(f"{path.name} is larger than {MAX_STUDY_BYTES} bytes: not a study.")
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise StudyError(f"{path.name} is not a text file in UTF-8.") from None
        return cls.from_text(text, path.name)

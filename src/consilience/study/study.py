"""The study file: the public terms all roles agree on, and their digest.

A study is a TOML file. Every message carries the digest of its terms, so that nobody answers a
question another study asked; a changed term is refused with the difference in words.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from consilience.exceptions import StudyError
from consilience.study.consensus import Consensus
from consilience.study.identity import PublicKeys
from consilience.study.reduction import Reduction
from consilience.study.schema import Column, Schema

__all__ = [
    "ANALYST",
    "MAX_STUDY_BYTES",
    "Alignment",
    "Anchor",
    "Clustering",
    "Grid",
    "Ids",
    "Learning",
    "Reduction",
    "Study",
    "difference",
]

ANALYST = "analyst"
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
MAX_STUDY_BYTES = 2**20


class _Terms(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Grid(_Terms):
    """Who takes part: party ``row/column`` holds these columns of these rows.

    Parameters
    ----------
    rows, columns : tuple of str
        Row institutions and column groups; small letters, digits, ``-`` and ``_``.
    absent : tuple of str
        Places of the grid that nobody holds.
    missing_party : {"refuse", "go on"}
        Whether the analyst may solve without a party that was expected.
    """

    rows: tuple[Name, ...] = Field(min_length=1)
    columns: tuple[Name, ...] = Field(min_length=1)
    absent: tuple[str, ...] = ()
    missing_party: Literal["refuse", "go on"] = "refuse"

    @property
    def parties(self) -> list[str]:
        """All parties that take part."""
        names = [f"{row}/{column}" for row in self.rows for column in self.columns]
        return [name for name in names if name not in self.absent]

    @model_validator(mode="after")
    def _consistent(self) -> Grid:
        for field in ("rows", "columns"):
            names = getattr(self, field)
            if len(set(names)) < len(names):
                raise ValueError(f"{field} == {list(names)}, must not repeat")
        places = {f"{row}/{column}" for row in self.rows for column in self.columns}
        unknown = sorted(set(self.absent) - places)
        if unknown:
            raise ValueError(f"absent names {unknown}, which are no places of the grid")
        if not self.parties:
            raise ValueError("absent names every place of the grid")
        return self


class Ids(_Terms):
    """How rows of different parties meet.

    Parameters
    ----------
    strip, fold_case : bool
        Whether ids that differ only in spaces or in case are the same.
    duplicates : {"refuse", "first"}
        What a party does with rows that repeat an id.
    empty : {"refuse", "drop"}
        What a party does with rows without id.
    unmatched : {"drop", "keep", "refuse"}
        What the analyst does with rows that some column group did not send. ``keep`` fills the
        missing coordinates from the rows that are complete.
    """

    strip: bool = True
    fold_case: bool = True
    duplicates: Literal["refuse", "first"] = "refuse"
    empty: Literal["refuse", "drop"] = "refuse"
    unmatched: Literal["drop", "keep", "refuse"] = "drop"


class Clustering(_Terms):
    """The clustering the analyst runs."""

    n_clusters: Annotated[int, Field(ge=1, lt=2**31)] | Literal["auto"] = "auto"
    method: Literal["kmeans", "spectral"] = "kmeans"
    n_neighbors: int = Field(default=10, ge=1, lt=2**31)
    seed: int = Field(default=0, ge=0, lt=2**31)


class Learning(_Terms):
    """What is learnt, in a study that is about classes and not about clusters.

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
    answer : {"labels", "scores"}
        Whether parties learn the predicted class alone or the model's scores.
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
    answer: Literal["labels", "scores"] = "labels"
    explain: Literal["no", "column", "all"] = "no"
    seed: int = Field(default=0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def _distinct(self) -> Learning:
        if len(set(self.classes)) < len(self.classes):
            raise ValueError(f"classes == {list(self.classes)}, must not repeat")
        return self


class Stream(_Terms):
    """Continual clustering of streams (FCAC), where a study has no end.

    Parameters
    ----------
    profile : {"improved", "reference", "paper"}
    epsilon : float or None
        Privacy budget per record and window. None sends nodes without noise, and most of them are
        then rows.
    budget : float or None
        What all windows together may spend per record.
    answer : {"labels", "nodes"}
        Whether a party learns the clusters of its own nodes, or the analyst's nodes too.
    min_cluster_size : int
        Nodes a cluster must stand for not to be absorbed by the nearest larger one.
    """

    profile: Literal["improved", "reference", "paper"] = "improved"
    epsilon: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    answer: Literal["labels", "nodes"] = "labels"
    min_cluster_size: int = Field(default=1, ge=1)
    seed: int = Field(default=0, ge=0, lt=2**31)


class Anchor(_Terms):
    """The anchor, drawn from the column keys; ``smote`` from public rows and a key of all parties.

    Parameters
    ----------
    kind : {"gaussian", "uniform", "rotated", "smote"}
        A low-rank anchor cannot be agreed on: it shows all parties something made from private
        rows, in a round of its own.
    n_rows : int, optional
    public, public_sha256 : str, optional
        For ``smote``: the CSV file of public rows, beside the study file, and its SHA-256. It has
        the columns of all column groups. Every party then knows the anchor of all columns.
    n_neighbors : int, optional
        For ``smote``: k, between 1 and the number of public rows less one.
    alpha : float, optional
        For ``smote``: how far beyond a neighbour points may lie; 1.5 if nothing is said.
    """

    kind: Literal["gaussian", "uniform", "rotated", "smote"] = "gaussian"
    n_rows: int | None = Field(default=None, ge=2, le=10**7)
    public: Annotated[str, Field(pattern=r"^[\w.-]+$")] | None = None
    public_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    n_neighbors: int | None = Field(default=None, ge=1)
    alpha: float | None = Field(default=None, gt=0)

    @field_validator("kind", mode="before")
    @classmethod
    def _agreeable(cls, kind: object) -> object:
        if kind == "lowrank":
            raise ValueError(
                "kind == 'lowrank', must be 'gaussian', 'uniform', 'rotated' or 'smote': a "
                "low-rank anchor is made from private rows, which no key determines"
            )
        return kind

    @model_validator(mode="after")
    def _public(self) -> Anchor:
        named = self.public is not None and self.public_sha256 is not None
        if self.kind == "smote" and not named:
            raise ValueError("kind == 'smote' needs public and public_sha256: the public rows")
        if self.kind != "smote" and (self.public or self.public_sha256):
            raise ValueError(f"public rows are for kind = 'smote', not for {self.kind!r}")
        return self


class Alignment(_Terms):
    """The maps g_i."""

    target: Literal["scaled", "orthonormal"] = "scaled"
    affine: bool = True


class Study(_Terms):
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
    keys: dict[str, PublicKeys] = {}

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

    def _check_noise(self) -> None:
        if self.consensus is not None or self.stream is not None:
            other = "consensus" if self.stream is None else "stream"
            raise ValueError(
                f"reduction.epsilon is for studies whose parties send reduced rows, and this one "
                f"has a [{other}], which reduces none. Leave it out"
                + (", or set stream.epsilon" if other == "stream" else "")
            )
        if self.answer == "model":
            raise ValueError(
                "reduction.epsilon cannot be had with answer = 'model': the model gives rows other "
                "clusters than their noisy copies got, so that nobody could check it. Set answer "
                "to 'labels' or 'representation'"
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
            raise StudyError(_explain(error, {})) from None

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
            raise StudyError(f"{source}: {_explain(error, _lines(text))}") from None

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


def difference(here: dict[str, Any], there: dict[str, Any]) -> list[str]:
    """Say in words where two studies differ.

    Examples
    --------
    >>> difference({"clustering": {"n_clusters": 3}}, {"clustering": {"n_clusters": 4}})
    ['clustering.n_clusters is 3 here and 4 there']
    """
    mine, theirs = dict(_flatten(here)), dict(_flatten(there))
    lines = []
    for name in sorted({*mine, *theirs}):
        a, b = mine.get(name, "not set"), theirs.get(name, "not set")
        if a != b:
            lines.append(f"{name} is {a} here and {b} there")
    return lines


def _flatten(terms: Any, prefix: str = "") -> list[tuple[str, str]]:
    if isinstance(terms, dict) and terms:
        pairs = []
        for name, value in terms.items():
            pairs += _flatten(value, f"{prefix}.{name}" if prefix else str(name))
        return pairs
    return [(prefix, json.dumps(terms))]


def _explain(error: ValidationError, lines: dict[tuple[str, ...], int]) -> str:
    """Write the first problems as sentences with line and field."""
    problems = []
    found = error.errors(include_url=False, include_context=False, include_input=False)
    for item in found[:5]:
        # Pydantic puts the tag of a union into the location; it is no part of the file.
        tags = {"numeric", "categorical", "ordinal"}
        place = tuple(str(p) for k, p in enumerate(item["loc"]) if not (k == 3 and p in tags))
        reason = item["msg"].removeprefix("Value error, ")
        # A rule between fields names the one to change first.
        named = (*place, *reason.partition(" ")[0].split("."))
        deepest = named if reason != item["msg"] else place
        above = (deepest[:k] for k in range(len(deepest), 0, -1))
        line = next((lines[p] for p in above if p in lines), 0)
        where = f"line {line}, " if line else ""
        problems.append(f"{where}{'.'.join(place) or 'the study'}: {reason}")
    return "; ".join(problems) + "."


_KEY = r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[\w-]+)"
_KEYS = re.compile(rf"\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*=")
_TABLE = re.compile(rf"\s*\[\[?\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*\]\]?\s*(?:#.*)?$")


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Map each table and key of a TOML text to the line it stands in."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        header, key = _TABLE.match(line), _KEYS.match(line)
        if header:
            table = path = _split_key(header.group(1))
            above = 0
        elif key:
            path = (*table, *_split_key(key.group(1)))
            above = len(table)
            for inner in re.findall(r"[{,]\s*([\w-]+)\s*=", line):
                found.setdefault((*path, inner), number)
        else:
            continue
        for depth in range(above + 1, len(path) + 1):
            found.setdefault(path[:depth], number)
    return found


def _split_key(key: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, key))

"""The study file: the public terms all roles agree on, and their digest.

A study is a TOML file. Every message carries the digest of its terms, so that nobody answers a
question another study asked; a changed term is refused with the difference in words.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, SerializeAsAny, ValidationError, model_validator

from consilience.exceptions import BundleError, StudyError
from consilience.holdings import Place
from consilience.notebook import html_table
from consilience.study.envelope import Envelope
from consilience.study.fingerprint import fingerprint
from consilience.study.grid import Grid, Ids
from consilience.study.identity import PublicKeys
from consilience.study.keys import derive_key
from consilience.study.letter_box import LetterBoxTerms
from consilience.study.method import ANALYST, KINDS, Method, Terms, method_of_kind
from consilience.study.schema import Column, Schema
from consilience.study.succession import Heirs
from consilience.study.untagged import CARRIED_KIND, infer_kind
from consilience.study.wording import explain, in_short, lines_of

__all__ = ["ANALYST", "MAX_STUDY_BYTES", "Study"]

MAX_STUDY_BYTES = 2**20
MAX_KEY_PARTS = 16
_PART = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')[ \t]*\.[ \t]*"
_TOO_DEEP = re.compile(rf"(?<![\w-])(?:{_PART}){{{MAX_KEY_PARTS}}}")
"""A key of many parts costs the square of their number to read."""

MethodType = TypeVar("MethodType", bound=Method)


class Succession(Terms):
    """New keys of a role, as a signed envelope; see :mod:`~consilience.study.succession`."""

    envelope: str


class Study(Terms):
    """The whole agreement: the terms every study has, and those of its kind.

    Parameters
    ----------
    kind : str, optional
        As the file states it; nothing where the file is older than the word, see
        :mod:`~consilience.study.untagged`.
    name, grid, schemas, ids, keys
        Who takes part, with which columns, how rows meet, and everybody's public keys.
    max_reconstruction : float, optional
        The largest R2 of any column, and the largest share of rows rebuilt exactly or recognised,
        that any coalition may reach in the audit of a contribution; a party whose audit exceeds it
        sends nothing. Nothing sets no limit.
    keys_per_study : bool, optional
        Whether anchor and pseudonyms are drawn from the secret keys and the terms that say what
        parties send, so that those of two studies have nothing in common. Without it, as in studies
        older than the term, they are drawn from the keys alone.
    approvals : int, optional
        How many approvers have to sign before anything leaves a party; nothing asks for none.
    approvers : dict, optional
        For each party who may approve, by name, with their public keys.
    letter_box : LetterBoxTerms, optional
        Over which letter box the roles meet, where they do.
    succession : tuple of Succession, optional
        Roles that have other keys by now; no part of the digest.
    method : Method
        The terms of its kind. In the file they stand beside the others.
    carried : Method, optional
        Terms of another kind that a file without a kind has: they say nothing, and are part of its
        digest.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> study.grid.parties, study.method.kind
    (['north/lab', 'south/lab'], 'clusters')
    >>> len(study.digest)
    64
    """

    format: Literal[1] = 1
    kind: str | None = None
    name: str = Field(min_length=1, max_length=200)
    grid: Grid
    schemas: dict[str, dict[str, Column]] = Field(alias="schema")
    ids: Ids = Ids()
    max_reconstruction: Annotated[float, Field(gt=0, le=1)] | None = None
    keys_per_study: bool | None = None
    keys: dict[str, PublicKeys] = Field(default_factory=dict)
    approvals: Annotated[int, Field(ge=1, le=8, strict=True)] | None = None
    approvers: dict[str, dict[str, PublicKeys]] | None = None
    letter_box: LetterBoxTerms | None = None
    succession: tuple[Succession, ...] | None = None
    method: SerializeAsAny[Method]
    carried: SerializeAsAny[Method] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        columns = set(self.grid.columns)
        if set(self.schemas) != columns:
            raise ValueError(
                f"schema describes {sorted(self.schemas)}, must describe exactly the columns of "
                f"the grid, {sorted(columns)}"
            )
        self.method.check(self)
        rows = (self.method.keys_of(Place.of(name), self) for name in self.grid.parties)
        if self.ids.match == "psi" and not any("row" in keys for keys in rows):
            raise ValueError(
                'ids.match == "psi", but rows of different parties never meet in this study. '
                "Leave it out"
            )
        if self.carried is not None:
            self.carried.check_carried(self.method)
        unknown = sorted(set(self.keys) - {ANALYST, *self.grid.parties})
        if unknown:
            raise ValueError(f"keys names {unknown}, which are neither parties nor the analyst")
        strangers = sorted(set(self.approvers or {}) - set(self.grid.parties))
        if strangers:
            raise ValueError(f"approvers names {strangers}, which are no parties")
        try:
            assert self.heirs
        except BundleError as error:
            raise ValueError(f"succession: {error}") from None
        return self

    @cached_property
    def heirs(self) -> Heirs:
        """The keys of all roles by now."""
        heirs = Heirs(self.digest, self.keys)
        for known in self.succession or ():
            heirs.take(Envelope.from_text(known.envelope, "a succession"))
        return heirs

    def of(self, method: type[MethodType]) -> MethodType:
        """Return the terms of the study's kind, or refuse a study that is of another.

        Parameters
        ----------
        method : type of Method
            What the caller can work with.
        """
        if not isinstance(self.method, method):
            raise StudyError(
                f"{self.name!r} is a study of {self.method.kind}, and this is done in studies of "
                f"another kind."
            )
        return self.method

    def schema_of(self, column: str) -> Schema:
        """Return the schema of a column group."""
        return Schema(columns=self.schemas[column])

    def width_of(self, column: str) -> int:
        """Return the number of encoded columns of a column group."""
        return len(self.schema_of(column).feature_names)

    @property
    def n_features(self) -> int:
        """Encoded columns of all column groups together."""
        return sum(map(self.width_of, self.grid.columns))

    def check_party(self, name: str) -> None:
        """Refuse a name that is no party of the study."""
        if name not in self.grid.parties:
            near = get_close_matches(name, self.grid.parties, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise StudyError(
                f"{name!r} is not a party of the study: there is no such role. Its parties are "
                f"{', '.join(self.grid.parties)}.{meant}"
            )

    def public_keys(self, name: str) -> PublicKeys:
        """Return the public keys of a role; a role without keys cannot take part."""
        if name not in self.keys:
            raise StudyError(
                f"the study has no public keys of {name!r}. Run `consilience keygen --name {name} "
                f"--study ...` there and send everyone the new study file."
            )
        return self.heirs.now[name]

    def keys_of(self, party: str) -> dict[str, tuple[str, str]]:
        """Return the secrets a party needs, each with the name of the circle that shares it.

        Where rows are matched by psi, a party's row key is its own.
        """
        keys = self.method.keys_of(Place.of(party), self)
        if self.ids.match == "psi" and "row" in keys:
            keys["row"] = ("row", party)
        return keys

    def holders_of(self, party: str) -> list[str]:
        """Return the parties that hold the same rows as one, itself among them."""
        circles = {p: self.method.keys_of(Place.of(p), self).get("row") for p in self.grid.parties}
        return [name for name, circle in circles.items() if circle == circles[party]]

    def matches_by_psi(self, party: str) -> bool:
        """Tell whether a party and others name their rows by blinding each other's ids."""
        return self.ids.match == "psi" and len(self.holders_of(party)) > 1

    def names_of_rows(self, party: str) -> str:
        """Say what the pseudonyms of a party's rows are worth to others."""
        others = ", ".join(name for name in self.holders_of(party) if name != party)
        if self.matches_by_psi(party):
            return f"matched with {others}; nobody tests an id without the secrets of all of you"
        shared = f"; {others} can test ids with it, unseen" if others else ""
        return f"keyed; without the row key they say nothing{shared}"

    def match_of(self, party: str) -> str:
        """SHA-256 of what a match of ids is about: what leaves, and who holds the rows."""
        return _digest({"sending": self.sending, "holders": self.holders_of(party)})

    def approvers_of(self, name: str) -> dict[str, PublicKeys]:
        """Return who may approve what a party sends."""
        return (self.approvers or {}).get(name, {})

    def approvals_of(self, name: str) -> int:
        """Return how many approvals what a role sends needs."""
        return 0 if name == ANALYST else self.approvals or 0

    def terms(self) -> dict[str, Any]:
        """Return the terms as plain values, as they stand in the file and enter the digest.

        What is not set is left out, so that a study keeps its digest when a later version knows
        one more term. Successions are left out, too: they stand by themselves.
        """
        terms = self.model_dump(
            mode="json", by_alias=True, exclude_none=True, exclude={"succession"}
        )
        return {**terms.pop("carried", {}), **terms.pop("method"), **terms}

    @cached_property
    def stated(self) -> dict[str, Any]:
        """The terms as they go with every message, in short; one object, to be read alone."""
        return in_short(self.terms())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the terms in canonical JSON; they do not change, so it is computed once."""
        return _digest(self.terms())

    @property
    def sending(self) -> str:
        """SHA-256 of the terms that say what a party sends of its rows.

        Public keys, who else takes part, and what the analyst does with what arrives are not among
        them: where only those change, a party sends the same as before.
        """
        chosen = {"name", "ids", "schema", *self.method.sending}
        terms = {name: value for name, value in self.terms().items() if name in chosen}
        return _digest({"kind": self.method.kind, **terms})

    def own_key(self, key: bytes) -> bytes:
        """Return what a secret key is in this study, see ``keys_per_study``."""
        return derive_key(key, f"study {self.sending}") if self.keys_per_study else key

    @property
    def fingerprint(self) -> str:
        """The digest as digits, to be compared aloud with what the other roles see."""
        return fingerprint("study", self.digest)

    def _repr_html_(self) -> str:
        rows = [
            ["kind", self.method.kind],
            ["parties", ", ".join(self.grid.parties)],
            *([f"columns of {name}", ", ".join(self.schemas[name])] for name in self.grid.columns),
            ["public keys of", ", ".join(self.keys) or "nobody yet"],
            ["fingerprint", self.fingerprint],
        ]
        return html_table(["term", "agreed"], rows, f"Study {self.name}")

    @classmethod
    def from_terms(cls, terms: Any) -> Study:
        """Build a study from plain values."""
        return cls._build(terms, {}, "")

    @classmethod
    def from_text(cls, text: str, source: str = "the study") -> Study:
        """Read a study from TOML; an error names the line and the field."""
        if _TOO_DEEP.search(text):
            raise StudyError(f"{source} has a key of more than {MAX_KEY_PARTS} parts: not a study.")
        try:
            terms = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            # A number of thousands of digits is a ValueError that is no TOMLDecodeError.
            raise StudyError(f"{source} is not valid TOML: {error}") from None
        return cls._build(terms, lines_of(text), f"{source}: ")

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

    @classmethod
    def _build(cls, terms: Any, lines: dict[tuple[str, ...], int], source: str) -> Study:
        """Part the terms of the kind from those every study has, and check both."""
        if not isinstance(terms, Mapping):
            raise StudyError(f"{source}the terms of a study are a table.")
        try:
            shared, chosen = _part(cls, terms)
        except ValueError as error:
            raise StudyError(f"{source}{error}.") from None
        problems = []
        parts: dict[str, Method] = {}
        for part, (method, values) in chosen.items():
            try:
                parts[part] = method.model_validate(values)
            except ValidationError as error:
                problems.append(error)
        try:
            # Terms of the kind that are wrong keep nobody from hearing of the others too.
            study = cls.model_validate({"method": Method(), **shared, **parts})
        except ValidationError as error:
            problems.append(error)
        if problems:
            raise StudyError(source + explain(problems, lines))
        return study


def _digest(terms: Mapping[str, Any]) -> str:
    text = json.dumps(terms, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _part(
    study: type[Study], terms: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, tuple[type[Method], dict[str, Any]]]]:
    """Return the terms every study has; and, by field, those of the kind with their class."""
    kind = terms.get("kind")
    if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
        raise ValueError(f"kind == {kind!r}, must be one of {', '.join(KINDS)}")
    method = method_of_kind(infer_kind(terms) if kind is None else kind)
    names = {field.alias or name for name, field in study.model_fields.items()}
    names -= {"method", "carried"}
    shared = {name: value for name, value in terms.items() if name in names}
    own = {name: value for name, value in terms.items() if name not in names}
    if kind is not None or method.kind == CARRIED_KIND:
        return shared, {"method": (method, own)}
    other = method_of_kind(CARRIED_KIND)
    idle = {name for name in own if name in other.model_fields} - set(method.model_fields)
    return shared, {
        "method": (method, {name: own[name] for name in own if name not in idle}),
        "carried": (other, {name: own[name] for name in idle}),
    }

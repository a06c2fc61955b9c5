"""Public keys that roles sent in, put into the study file: each once, all or none."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from consilience.exceptions import BundleError, StudyError
from consilience.study.envelope import Envelope
from consilience.study.identity import PublicKeys
from consilience.study.study import ANALYST, Study
from consilience.study.toml import to_toml

__all__ = ["MAX_PUBLIC_BYTES", "add_public", "add_successions"]

MAX_PUBLIC_BYTES = 2**16
TABLES = {("keys",): 1, ("approvers",): 2, ("consensus", "places"): 1}
"""What a role may send in, and how many names deeper its entries stand."""


def add_public(text: str, sent: Mapping[str, str]) -> tuple[str, list[str]]:
    """Add what roles sent in to the text of a study.

    What the study has already is passed over, so that doing it twice changes nothing. What the
    study, or another file, says otherwise is refused, and so is whatever is no role of the study;
    all problems are named at once.

    Parameters
    ----------
    text : str
        The study file.
    sent : mapping of str to str
        The texts that were sent in, as ``consilience keygen`` wrote them, by the names of their
        files.

    Returns
    -------
    text : str
    added : list of str
        What is new, such as ``'keys of hospital-a/clinical'``.

    Raises
    ------
    StudyError
    """
    study = Study.from_text(text)
    known = dict(_entries(tomllib.loads(text)))
    new: dict[tuple[str, ...], dict[str, Any]] = {}
    problems = []
    for source, public in sent.items():
        try:
            entries = dict(_entries(_read(public)))
        except ValueError:
            problems.append(f"{source} holds no public keys as `consilience keygen` writes them")
            continue
        for path, entry in entries.items():
            there = known.get(path, new.get(path))
            if path[-1] not in _names(path, study):
                problems.append(f"{source} is about {path[-1]!r}, who is no role of the study")
            elif there is None:
                new[path] = entry
            elif there != entry:
                problems.append(f"{source} says otherwise: {_otherwise(path, there, entry)}")
    if problems:
        raise StudyError(f"nothing was changed: {'; '.join(problems)}.")
    lines = "".join("\n" + to_toml(_nested(path, entry)) for path, entry in new.items())
    added = [_named(path) for path in new]
    return (text.rstrip("\n") + "\n" + lines if lines else text), added


def add_successions(text: str, sent: Sequence[Envelope]) -> tuple[str, list[str]]:
    """Add signed statements that roles have new keys to the text of a study.

    Several copies of one statement, each signed by some, are put together first.

    Parameters
    ----------
    text : str
        The study file.
    sent : sequence of Envelope

    Returns
    -------
    text : str
    added : list of str

    Raises
    ------
    StudyError
        If one does not stand: see :mod:`~consilience.study.succession`.
    """
    heirs = Study.from_text(text).heirs
    together: dict[bytes, Envelope] = {}
    for envelope in sent:
        known = together.get(envelope.payload, envelope)
        together[envelope.payload] = known.joined(envelope.signatures)
    added = []
    for envelope in together.values():
        try:
            role, _, new, _ = heirs.read(envelope)
            is_new = heirs.now[role] != new
            heirs.take(envelope)
        except BundleError as error:
            raise StudyError(f"nothing was changed: {error}.") from None
        if is_new:
            text = text.rstrip("\n") + f"\n\n[[succession]]\nenvelope = '{envelope.to_text()}'\n"
            added.append(f"new keys of {role}")
    return text, added


def _read(text: str) -> dict[str, Any]:
    """Read what a role sent in; anything beside public keys and places is refused."""
    fields = tomllib.loads(text)
    found = dict(_entries(fields))
    rebuilt: dict[str, Any] = {}
    for path, entry in found.items():
        inner = rebuilt
        for name in path:
            inner = inner.setdefault(name, {})
        inner.update(entry)
        if path[0] != "consensus":
            PublicKeys.model_validate(entry)
    if not found or rebuilt != fields:
        raise ValueError
    return fields


def _entries(fields: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Return the entries of the tables a role may fill, by the path of their names."""
    for table, depth in TABLES.items():
        inside: Any = fields
        for name in table:
            inside = _table(inside).get(name, {})
        found = {table: inside}
        for _ in range(depth):
            found = {(*p, k): v for p, values in found.items() for k, v in _table(values).items()}
        for path, entry in found.items():
            yield path, _table(entry)


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError
    return value


def _names(path: tuple[str, ...], study: Study) -> set[str]:
    roles = {ANALYST, *study.grid.parties}
    if path[0] == "approvers":
        return {path[-1]} if path[1] in roles else set()
    return roles


def _named(path: tuple[str, ...]) -> str:
    if path[0] == "approvers":
        return f"keys of {path[2]}, who approves for {path[1]}"
    return f"{'place' if path[0] == 'consensus' else 'keys'} of {path[-1]}"


def _otherwise(path: tuple[str, ...], there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    if path[0] == "consensus":
        return f"another place of {path[-1]!r}"
    shown = [PublicKeys.model_validate(keys).fingerprint[:11] for keys in (there, here)]
    return (
        f"the {_named(path)} have the fingerprint {shown[0]}... so far and {shown[1]}... in it; "
        f"ask {path[-1]!r} which is right, and see docs/lost-key.md for keys that changed"
    )


def _nested(path: tuple[str, ...], entry: dict[str, Any]) -> dict[str, Any]:
    for name in reversed(path):
        entry = {name: entry}
    return entry

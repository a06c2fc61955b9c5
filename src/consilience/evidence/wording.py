"""A statement in words, for a person who decides whether something may leave."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

__all__ = ["in_words"]

WIDTH = 100


def in_words(statement: dict[str, Any]) -> str:
    """Return what a statement about a bundle says, as plain text.

    Parameters
    ----------
    statement : dict
        As :func:`~consilience.evidence.statement.state_release` makes it, verified.

    Examples
    --------
    >>> in_words({"predicateType": "something else"})
    Traceback (most recent call last):
    ...
    KeyError: 'predicate'
    """
    said = statement["predicate"]
    lines: list[str] = []
    for title, texts in (
        ("What leaves", _leaves(statement, said)),
        ("Under which terms", _terms(said)),
        ("What an attacker would get from it", _audit(said)),
        ("What left before", _before(said)),
        ("Made", [f"{said['when']} by the account {said['ran_by']}, version {said['version']}"]),
    ):
        lines += ["", title, "-" * len(title)]
        for text in texts:
            lines += textwrap.wrap(_printable(text), WIDTH, subsequent_indent="  ")
    return "\n".join([f"Statement of {said['from']['role']}", *lines]) + "\n"


def _leaves(statement: dict[str, Any], said: dict[str, Any]) -> Iterator[str]:
    content, to = said["content"], said["to"]
    for subject in statement["subject"]:
        yield f"file: {subject['name']}"
        yield f"SHA-256 of the sealed file: {subject['digest']['sha256']}"
    yield f"from: {said['from']['role']}, keys {said['from']['fingerprint']}"
    yield f"to: {to['role']}, keys {to['fingerprint']}; nobody else can open it"
    yield f"holds: {content['message']} ({content['purpose']}), {content['bytes']:,} bytes"
    for array in content["arrays"]:
        size = " x ".join(map(str, array["shape"]))
        yield f"array {array['name']}: {size} {array['dtype']}; {array['tells']}"
    if content["fields"]:
        yield f"short fields: {', '.join(content['fields'])}"
    for name, value in said["facts"].items():
        yield f"{name}: {value}"
    yield f"digest of what is inside: {content['digest']}"
    for answered in said["answers"]:
        yield f"goes back to the contribution of {answered['from']}: {answered['digest']}"
    roll = said.get("roll")
    if roll is not None:
        yield (
            f"and to no others than the {roll['contributions']} that {roll['name']} lists; "
            f"SHA-256 of that list: {roll['sha256']}"
        )


def _terms(said: dict[str, Any]) -> Iterator[str]:
    study = said["study"]
    yield f"study: {study['name']}, a study of {study['kind']}"
    yield f"its fingerprint: {study['fingerprint']}"
    yield f"digest of its terms: {study['digest']}"


def _audit(said: dict[str, Any]) -> Iterator[str]:
    audit, limit = said["audit"], said["limit"]
    if audit is None:
        yield "no attack was run on it"
    else:
        yield audit["worst_line"]
        for finding in audit["findings"]:
            rebuilt, known = finding["median_r2"], finding["top1"]
            figures = [] if rebuilt is None else [f"R2 {rebuilt['mean']:.2f}"]
            figures += [] if known is None else [f"{known['mean']:.0%} of rows recognised"]
            shown = ", ".join(figures) or finding["reason"] or "no figure"
            yield f"[{finding['level']}] {finding['coalition']}: {shown}"
    yield f"limit of the study: {'none' if limit is None else limit}"
    if said["override"] is not None:
        yield f"sent beyond the limit by the decision of {said['override']}"


def _before(said: dict[str, Any]) -> Iterator[str]:
    if not said["left_before"]:
        yield "nothing"
    if said["left_before"] > len(said["before"]):
        yield f"{said['left_before']} entries in the ledger, of which these are the last"
    for entry in said["before"]:
        rest = ", ".join(f"{k} {v}" for k, v in entry.items() if k not in ("when", "what"))
        yield f"{entry.get('when')} {entry.get('what')}: {rest}"


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "?" for c in text)

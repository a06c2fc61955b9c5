"""Messages as bytes: facts and arrays, and no pickle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from consilience.arrays import Arrays, from_bytes, to_bytes
from consilience.exceptions import ArraysError, MessageError
from consilience.messages import BY_NAME, Message

__all__ = ["VERSION", "decode", "encode", "put_together", "take_apart"]

VERSION = 2
"""Peers of another one are told so: since 2 they compare digests of what they heard."""


def take_apart(message: Message) -> tuple[dict[str, Any], Arrays]:
    """Part a message into texts and numbers, and arrays; what is absent is left out."""
    parts = {field.name: getattr(message, field.name) for field in fields(message)}
    arrays = {name: part for name, part in parts.items() if isinstance(part, np.ndarray)}
    values = {n: part for n, part in parts.items() if n not in arrays and part is not None}
    return values, arrays


def put_together(kind: str, values: Mapping[str, Any], arrays: Arrays) -> Message:
    """Make a message of one of the closed list from its parts; it then checks itself.

    Raises
    ------
    MessageError
        If the kind is unknown, or a field is too many, missing or breaks a rule of that kind.
    """
    if kind not in BY_NAME:
        raise MessageError("a message of an unknown kind was received.")
    declared = fields(BY_NAME[kind])
    content = {**values, **arrays}
    if len(content) < len(values) + len(arrays) or not content.keys() <= {f.name for f in declared}:
        raise MessageError(f"a {kind} was received with fields it does not have.")
    if not content.keys() >= {f.name for f in declared if f.default is MISSING}:
        raise MessageError(f"a {kind} was received without all of its fields.")
    return BY_NAME[kind](**content)


def encode(message: Message) -> bytes:
    """Write a message as bytes.

    Examples
    --------
    >>> from consilience.messages import Failure
    >>> sent = Failure(study="s", sender="bank", recipient="clinic", reason="no")
    >>> decode(encode(sent)).reason
    'no'
    """
    values, arrays = take_apart(message)
    head = {"version": VERSION, "kind": type(message).__name__, "values": values}
    return to_bytes(arrays, head)


def decode(data: bytes) -> Message:
    """Read a message; refuse anything that is not one of the closed list.

    Raises
    ------
    MessageError
        If the bytes are cut off, are no facts and arrays, come from another version, name an
        unknown kind or break a rule of that kind.
    """
    try:
        head, arrays = from_bytes(data)
    except ArraysError as error:
        raise MessageError("the bytes received are not a message, or are cut off.") from error
    version, kind, values = (head.get(name) for name in ("version", "kind", "values"))
    if version != VERSION:
        raise MessageError(f"a message of version {version!r:.20} was received, must be {VERSION}.")
    if not isinstance(kind, str) or not isinstance(values, dict):
        raise MessageError("a message of an unknown kind was received.")
    return put_together(kind, values, arrays)

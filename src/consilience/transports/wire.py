"""Messages as bytes: safetensors, with texts and numbers in its header, and no pickle."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from consilience.exceptions import MessageError
from consilience.messages import MESSAGES, Message

__all__ = ["VERSION", "decode", "encode", "take_apart"]

VERSION = 1
MAX_HEADER = 2**20
_KINDS = {kind.__name__: kind for kind in MESSAGES}


def take_apart(message: Message) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Part a message into texts and numbers, and arrays; what is absent is left out."""
    values: dict[str, Any] = {}
    arrays: dict[str, npt.NDArray[Any]] = {}
    for field in fields(message):
        value = getattr(message, field.name)
        if isinstance(value, np.ndarray):
            arrays[field.name] = np.ascontiguousarray(value)
        elif value is not None:
            values[field.name] = value
    return values, arrays


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
    return save(arrays, metadata={"consilience": json.dumps(head)})


def decode(data: bytes) -> Message:
    """Read a message; refuse anything that is not one of the closed list.

    Raises
    ------
    MessageError
        If the bytes are cut off, are no safetensors file, come from another version, name an
        unknown kind or break a rule of that kind.
    """
    try:
        length = int.from_bytes(data[:8], "little")
        if not 2 <= length <= min(MAX_HEADER, len(data) - 8):
            raise ValueError
        head = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["consilience"])
        version, kind, values = head["version"], head["kind"], head["values"]
        arrays = load(data)
    except (ValueError, KeyError, TypeError, SafetensorError, RecursionError) as error:
        raise MessageError("the bytes received are not a message, or are cut off.") from error
    if version != VERSION:
        raise MessageError(f"a message of version {version!r} was received, must be {VERSION}.")
    if kind not in _KINDS or not isinstance(values, dict):
        raise MessageError("a message of an unknown kind was received.")
    content = {**values, **arrays}
    names = {field.name for field in fields(_KINDS[kind])}
    if not set(content) <= names or len(content) != len(values) + len(arrays):
        raise MessageError(f"a {kind} was received with fields it does not have.")
    if not all(isinstance(value, (str, int)) for value in values.values()):
        raise MessageError(f"a {kind} was received with a field that is no text or number.")
    try:
        return _KINDS[kind](**content)
    except TypeError as error:
        raise MessageError(f"a {kind} was received without all of its fields.") from error

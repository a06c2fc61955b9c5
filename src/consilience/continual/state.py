"""State files: what a role must not forget, nested values and arrays, whole or not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from consilience.arrays import Arrays, from_bytes, to_bytes
from consilience.continual.older_state import OLDER_VERSION, read_older
from consilience.exceptions import ArraysError, StudyError
from consilience.study.files import write_whole

__all__ = ["STATE_VERSION", "State", "load_state", "save_state"]

State = dict[str, Any]
"""Numbers, texts, arrays, and lists and dictionaries of these; a tuple comes back as a list."""

STATE_VERSION = 3
"""Raised when a file written before could be misread."""
MAX_HEADER = 2**27
"""The history of a long stream fills it; the file is one's own."""
ARRAY = "array"
"""The only key of what stands in the place of an array; no state has it elsewhere."""


def save_state(path: str | os.PathLike[str], kind: str, state: State, study: str = "") -> None:
    """Write a state so that a crash leaves the old file or the new one, never half of one.

    Parameters
    ----------
    path : path-like
        Replaced if it exists.
    kind : str
        Whose state it is, such as ``"continual party"``.
    state : dict
    study : str
        Digest of the agreed terms.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_state(f"{folder}/s.state", "demo", {"a": 1, "b": [{"x": np.arange(3)}]})
    ...     load_state(f"{folder}/s.state", "demo")
    {'a': 1, 'b': [{'x': array([0, 1, 2])}]}
    """
    arrays: Arrays = {}
    facts = _take_out(state, "", arrays)
    header = {"version": STATE_VERSION, "kind": kind, "study": study, "facts": facts}
    with write_whole(Path(path), 0o600) as stream:
        stream.write(to_bytes(arrays, header))


def load_state(path: str | os.PathLike[str], kind: str, study: str = "") -> State:
    """Read a state, or refuse a file that is not the one meant.

    Parameters
    ----------
    path : path-like
    kind, study : str
        What the file must have been written as.

    Raises
    ------
    StudyError
        If the file is no state file, of an unknown version, of another kind or another study.
    """
    name = Path(path).name
    try:
        header, arrays = from_bytes(Path(path).read_bytes(), MAX_HEADER)
    except ArraysError as error:
        raise StudyError(f"{name} is not a state file, or it is damaged.") from error
    if "version" not in header or "facts" not in header:
        raise StudyError(f"{name} holds no Consilience state: it has no such header.")
    if header["version"] not in (STATE_VERSION, OLDER_VERSION):
        raise StudyError(
            f"{name} was written in state format {header['version']}, this version reads "
            f"{STATE_VERSION}. Use the version of Consilience that wrote it."
        )
    if header.get("kind") != kind:
        raise StudyError(f"{name} is the state of a {header.get('kind')}, not of a {kind}.")
    if header.get("study") != study:
        raise StudyError(
            f"{name} belongs to study {str(header.get('study'))[:12]!r}, this one is "
            f"{study[:12]!r}. Start a new state for a new study."
        )
    try:
        if header["version"] == OLDER_VERSION:
            return read_older(kind, header["facts"], arrays, study)
        state: State = _put_back(header["facts"], arrays)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, StudyError):
            raise
        raise StudyError(f"{name} is damaged: it lacks a part. Restore it from a copy.") from None
    return state


def _take_out(value: Any, place: str, arrays: Arrays) -> Any:
    """Return a value whose arrays are named by their places, and note the arrays."""
    if isinstance(value, np.ndarray):
        arrays[place] = value
        return {ARRAY: place}
    if isinstance(value, dict):
        return {key: _take_out(part, f"{place}/{key}", arrays) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_take_out(part, f"{place}/{k}", arrays) for k, part in enumerate(value)]
    return value


def _put_back(value: Any, arrays: Arrays) -> Any:
    """Undo :func:`_take_out`."""
    if isinstance(value, dict):
        if value.keys() == {ARRAY}:
            return arrays[value[ARRAY]]
        return {key: _put_back(part, arrays) for key, part in value.items()}
    return [_put_back(part, arrays) for part in value] if isinstance(value, list) else value

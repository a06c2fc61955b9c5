"""State files: one safetensors file, its facts as JSON in the header, versioned, no pickle."""

from __future__ import annotations

import os
from pathlib import Path

from consilience.arrays import from_bytes, to_bytes
from consilience.continual.state import State
from consilience.exceptions import ArraysError, StudyError
from consilience.study.files import write_whole

__all__ = ["STATE_VERSION", "load_state", "save_state"]

STATE_VERSION = 2
"""Raised when a file written before could be misread."""
MAX_HEADER = 2**27
"""The history of a long stream fills it; the file is one's own."""


def save_state(path: str | os.PathLike[str], kind: str, state: State, study: str = "") -> None:
    """Write a state so that a crash leaves the old file or the new one, never half of one.

    Parameters
    ----------
    path : path-like
        Replaced if it exists.
    kind : str
        Whose state it is, such as ``"continual party"``.
    state : State
    study : str
        Digest of the agreed terms.

    Examples
    --------
    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_state(f"{folder}/s.state", "demo", State({"a": 1}, {"x": np.arange(3)}))
    ...     again = load_state(f"{folder}/s.state", "demo")
    >>> again.facts, again.arrays["x"].tolist()
    ({'a': 1}, [0, 1, 2])
    """
    header = {"version": STATE_VERSION, "kind": kind, "study": study, "facts": state.facts}
    with write_whole(Path(path), 0o600) as stream:
        stream.write(to_bytes(state.arrays, header))


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
        If the file is no state file, of another version, of another kind or another study.
    """
    name = Path(path).name
    try:
        header, arrays = from_bytes(Path(path).read_bytes(), MAX_HEADER)
    except ArraysError as error:
        raise StudyError(f"{name} is not a state file, or it is damaged.") from error
    _check(header, name, kind, study)
    return State(header["facts"], arrays)


def _check(header: dict[str, object], name: str, kind: str, study: str) -> None:
    if "version" not in header or "facts" not in header:
        raise StudyError(f"{name} holds no Consilience state: it has no such header.")
    if header["version"] != STATE_VERSION:
        raise StudyError(
            f"{name} was written in state format {header.get('version')}, this version reads "
            f"{STATE_VERSION}. Use the version of Consilience that wrote it."
        )
    if header.get("kind") != kind:
        raise StudyError(f"{name} is the state of a {header.get('kind')}, not of a {kind}.")
    if header.get("study") != study:
        raise StudyError(
            f"{name} belongs to study {str(header.get('study'))[:12]!r}, this one is "
            f"{study[:12]!r}. Start a new state for a new study."
        )

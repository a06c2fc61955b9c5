"""State files: one safetensors file, its facts as JSON in the header, versioned, no pickle."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from consilience.continual.state import State
from consilience.exceptions import StudyError

__all__ = ["STATE_VERSION", "load_state", "save_state"]

STATE_VERSION = 2
"""Raised when a file written before could be misread."""


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
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_state(f"{folder}/s.state", "demo", State({"a": 1}, {"x": np.arange(3)}))
    ...     again = load_state(f"{folder}/s.state", "demo")
    >>> again.facts, again.arrays["x"].tolist()
    ({'a': 1}, [0, 1, 2])
    """
    header = {"version": STATE_VERSION, "kind": kind, "study": study, "facts": state.facts}
    arrays = {key: np.ascontiguousarray(value) for key, value in state.arrays.items()}
    payload = save(arrays, metadata={"consilience": json.dumps(header)})
    path = Path(path)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


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
        with safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get("consilience")
            if text is None:
                raise StudyError(f"{name} holds no Consilience state: it has no such header.")
            header = json.loads(text)
            _check(header, name, kind, study)
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, json.JSONDecodeError) as error:
        raise StudyError(f"{name} is not a state file, or it is damaged.") from error
    return State(header["facts"], arrays)


def _check(header: dict[str, object], name: str, kind: str, study: str) -> None:
    if header.get("version") != STATE_VERSION:
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

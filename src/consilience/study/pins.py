"""What a role relied on when it first took part: pinned, so that a change does not go unseen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from consilience.arrays import read_json
from consilience.exceptions import ArraysError, StudyError
from consilience.study.files import write_whole
from consilience.study.study import ANALYST, MAX_STUDY_BYTES, Study
from consilience.study.wording import difference

__all__ = ["check_pinned", "pin"]

FILE, MODE = "pinned.json", 0o600
MAX_SHOWN = 12
MAX_PINNED_BYTES = 64 * MAX_STUDY_BYTES


def check_pinned(folder: Path, study: Study) -> None:
    """Compare the study with the one pinned in a private folder, if one is.

    Parameters
    ----------
    folder : Path
        The private folder of the role.
    study : Study

    Raises
    ------
    StudyError
        With the difference in words, if the terms or the analyst's keys are others.

    Examples
    --------
    >>> import tempfile
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> folder = Path(tempfile.mkdtemp())
    >>> pin(folder, study)
    >>> check_pinned(folder, study)
    """
    pinned, now = _read(folder / FILE), _relied_on(study)
    if not pinned or pinned.get(study.name) == now:
        return
    # A study of another name is compared with the one relied on last.
    known = pinned.get(study.name, list(pinned.values())[-1])
    lines = difference(now["terms"], known["terms"])
    if known["analyst"] != now["analyst"]:
        lines.insert(0, "the analyst has other keys here than there")
    shown = "; ".join(lines[:MAX_SHOWN]) + ("; and more" if len(lines) > MAX_SHOWN else "")
    raise StudyError(
        f"this is not the study you relied on so far, which is pinned in {folder / FILE}: {shown}. "
        f"Compare the fingerprint {study.fingerprint} with the others, by telephone; if they "
        f"agreed to the change too, say --accept."
    )


def pin(folder: Path, study: Study) -> None:
    """Rely on a study from now on, in place of the one of its name; others stay pinned."""
    pinned, now = _read(folder / FILE), _relied_on(study)
    if pinned.get(study.name) != now:
        pinned.pop(study.name, None)
        with write_whole(folder / FILE, MODE) as stream:
            stream.write(json.dumps({**pinned, study.name: now}, indent=1).encode())


def _relied_on(study: Study) -> dict[str, Any]:
    return {"terms": study.terms(), "analyst": _keys_of_analyst(study)}


def _keys_of_analyst(study: Study) -> str | None:
    return study.public_keys(ANALYST).fingerprint if ANALYST in study.keys else None


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return what was pinned, by the names of the studies."""
    try:
        pinned = read_json(path.read_bytes(), MAX_PINNED_BYTES)
        if not all(
            isinstance(known["terms"], dict) and "analyst" in known for known in pinned.values()
        ):
            raise KeyError
    except FileNotFoundError:
        return {}
    except (ArraysError, KeyError, TypeError):
        raise StudyError(
            f"{path} is damaged. Restore it from a copy; or remove it, and compare fingerprints "
            f"with the others before you take part again."
        ) from None
    return pinned

"""The folder a desk works in: one folder per study, and nothing outside of it."""

from __future__ import annotations

import re
from pathlib import Path

from consilience.desk.seat import MEMORY, STUDY, Seat
from consilience.exceptions import StudyError
from consilience.study.study import Study

__all__ = ["DeskFolder"]

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
OWN = "this-folder"
"""What the folder itself is called where it is the folder of a study."""


class DeskFolder:
    """The studies of one person.

    Parameters
    ----------
    root : Path
        Made if it is not there.

    Examples
    --------
    >>> import tempfile
    >>> folder = DeskFolder(Path(tempfile.mkdtemp()))
    >>> folder.new("Heart & Lung, 2026").name
    'heart-lung-2026'
    >>> [seat.name for seat in folder.seats()]
    ['heart-lung-2026']
    """

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root.resolve()

    def seats(self) -> list[Seat]:
        """Return every study there is, those looked at last first."""
        own = [Seat(OWN, self.root)] if (self.root / STUDY).is_file() else []
        inside = [
            Seat(path.name, path)
            for path in self.root.iterdir()
            if NAME.fullmatch(path.name) and not path.is_symlink() and _is_seat(path)
        ]
        return own + sorted(inside, key=lambda seat: -seat.path.stat().st_mtime_ns)

    def seat(self, name: str) -> Seat:
        """Return the study of a name; any other name is refused."""
        for seat in self.seats():
            if seat.name == name:
                return seat
        raise StudyError("there is no study of this name here: go back to the start.")

    def new(self, title: str) -> Seat:
        """Make a folder for a study."""
        plain = re.sub(r"[^a-z0-9]+", "-", title.lower())[:40].strip("-") or "study"
        name, number = plain, 2
        while (self.root / name).exists() or name == OWN:
            name, number = f"{plain}-{number}", number + 1
        (self.root / name).mkdir(mode=0o700)
        seat = Seat(name, self.root / name)
        seat.remember(title=title)
        return seat

    def take_study(self, text: str) -> Seat:
        """Make a folder for a study that somebody sent; what is no study is refused."""
        study = Study.from_text(text, "the file")
        seat = self.new(study.name)
        seat.write_study(text)
        return seat


def _is_seat(path: Path) -> bool:
    return (path / STUDY).is_file() or (path / MEMORY).is_file()

"""A seat in a study: the folder of one study, and who sits there with which table."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from consilience.desk.commands import Command
from consilience.exceptions import ConsilienceError, StudyError
from consilience.study.circles import Circle, circles_of
from consilience.study.files import write_whole
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study

__all__ = [
    "ARRIVED",
    "BACKUP",
    "BY_HAND",
    "LABELS",
    "MEMORY",
    "OFFERED",
    "PUBLIC",
    "REPORT",
    "STUDY",
    "TABLES",
    "Memory",
    "Seat",
]

STUDY, MEMORY, RESULTS = "study.toml", "desk.json", ".desk"
TABLES, PUBLIC, ARRIVED, BY_HAND = "tables", "public", "arrived", "arrived/by-hand"
LABELS, REPORT, BACKUP = "labels.csv", "report.html", ".backup.age"
OFFERED = "offered.toml"
"""A study that somebody sent while there is one already: kept until it is accepted."""

PRIVATE_MODE, MAX_MEMORY = 0o600, 2**20


class Memory(BaseModel):
    """What a desk remembers of a study beside what the commands write.

    Parameters
    ----------
    title : str
        What the study is called before there is one.
    role : str
    table : str
        The file of the table, or the address of a database.
    id_column : str
    ignore : tuple of str
        Columns that take no part.
    query, credentials : str
        Of a database: files in the folder.
    place : str
        Where files are carried to; empty where hands carry them.
    windows : dict of str to int
        In a stream: which window a table was sent as, by its SHA-256.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    title: str = ""
    role: str = ""
    table: str = ""
    id_column: str = "id"
    ignore: tuple[str, ...] = ()
    query: str = ""
    credentials: str = ""
    place: str = ""
    windows: dict[str, int] = Field(default_factory=dict)


class Seat:
    """One study in its folder.

    Parameters
    ----------
    name : str
        By which pages know it.
    path : Path
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path

    @cached_property
    def memory(self) -> Memory:
        """What was remembered; a file that says something else is as good as none."""
        try:
            data = (self.path / MEMORY).read_bytes()
            return Memory.model_validate_json(data if len(data) < MAX_MEMORY else b"")
        except (OSError, ValidationError):
            return Memory()

    def remember(self, **known: Any) -> None:
        """Remember something more."""
        self.memory = self.memory.model_copy(update=known)
        self._write(MEMORY, self.memory.model_dump_json(indent=1).encode())

    @property
    def problem(self) -> str:
        """What is wrong with the study file; nothing, if nothing is."""
        return self._read[1]

    @property
    def study(self) -> Study | None:
        """The study, if there is one that can be read."""
        return self._read[0]

    @cached_property
    def _read(self) -> tuple[Study | None, str]:
        path = self.path / STUDY
        try:
            about = path.stat()
        except OSError:
            return None, ""
        return _read_study(path, about.st_mtime_ns, about.st_size)

    @property
    def title(self) -> str:
        """What to call it."""
        return self.study.name if self.study else self.memory.title or self.name

    def write_study(self, text: str) -> None:
        """Put a study in the place of the one there is."""
        self._write(STUDY, text.encode(), 0o644)
        for known in ("_read", "digest"):
            self.__dict__.pop(known, None)

    @property
    def roles(self) -> list[str]:
        """Everybody who takes part."""
        if self.study is None:
            return []
        analyst = [ANALYST] if self.study.method.senders_to(ANALYST, self.study) else []
        return [*self.study.grid.parties, *analyst]

    @property
    def role(self) -> str:
        """Who sits here; nobody, before somebody said so."""
        known = self.study is None or self.memory.role in self.roles
        return self.memory.role if known else ""

    @property
    def folder(self) -> PrivateFolder:
        """The private folder of who sits here."""
        if not self.role:
            raise StudyError("say first who you are in this study.")
        return PrivateFolder(self.path / "private" / self.role.replace("/", "."))

    @property
    def without_keys(self) -> list[str]:
        """Whose public keys the study lacks."""
        return [role for role in self.roles if self.study and role not in self.study.keys]

    @property
    def circles(self) -> list[Circle]:
        """Which secrets this party shares with whom."""
        party = self.role and self.role != ANALYST
        return circles_of(self.study, self.role) if self.study and party else []

    @cached_property
    def entries(self) -> list[dict[str, Any]]:
        """What the ledger of who sits here says."""
        return self.folder.ledger.entries() if self.role else []

    @cached_property
    def digest(self) -> str:
        """The digest of the study."""
        return self.study.digest if self.study else ""

    def left(self, what: str = "") -> list[dict[str, Any]]:
        """Return what left in the study as it is: the latest of each file, those still there."""
        digest = self.digest
        entries = [e for e in self.entries if e.get("study") == digest and "file" in e]
        latest = {str(e["file"]): e for e in entries if what in ("", e["what"])}
        return [e for file, e in latest.items() if (self.path / file).is_file()]

    def arrived(self, ending: str) -> list[str]:
        """Return the files that others sent, by their names: the newest of each."""
        found: dict[str, Path] = {}
        for path in sorted(self.path.glob(f"{ARRIVED}/*/*{ending}"), key=_when):
            if path.is_file() and not path.is_symlink():
                found[path.name] = path
        return [path.relative_to(self.path).as_posix() for path in found.values()]

    @property
    def downloads(self) -> set[str]:
        """The files of this folder that a page may hand out: none of them is a secret."""
        own = f"{self.role.replace('/', '.')}.public.toml" if self.role else ""
        names = {STUDY, REPORT, own, *(str(entry["file"]) for entry in self.left())}
        for mark in ("labels*", f"*{BACKUP}", "*.statement.json", "*.statement.txt"):
            names |= {path.name for path in self.path.glob(mark)}
        found = {name for name in names if name and (self.path / name).is_file()}
        return {name for name in found if not (self.path / name).is_symlink()}

    @property
    def public_files(self) -> list[str]:
        """The public keys that others sent, as paths from the folder of the study."""
        return sorted(f"{PUBLIC}/{path.name}" for path in (self.path / PUBLIC).glob("*"))

    @property
    def tables(self) -> list[str]:
        """The tables there are, as paths from the folder of the study."""
        folder = self.path / TABLES
        found = sorted(folder.iterdir(), key=_when, reverse=True) if folder.is_dir() else []
        return [f"{TABLES}/{path.name}" for path in found if path.is_file()]

    @property
    def table_digest(self) -> str:
        """SHA-256 of the chosen table; nothing, where it is in a database."""
        path = self.path / self.memory.table
        if not self.memory.table or self.memory.query or not path.is_file():
            return ""
        about = path.stat()
        return _read_digest(path, about.st_mtime_ns, about.st_size)

    @property
    def offered(self) -> bool:
        """Whether somebody sent another version of the study, which waits for a decision."""
        return self.kept(OFFERED).is_file()

    def kept(self, name: str) -> Path:
        """Return where a desk keeps something of this study."""
        return self.path / RESULTS / name

    def result(self, action: str, *files: str) -> dict[str, Any] | None:
        """Return what a command said the last time; nothing, if a file it read is newer."""
        path = self.kept(f"{action}.json")
        if not path.is_file():
            return None
        since = path.stat().st_mtime_ns
        study = [STUDY] if (self.path / STUDY).exists() else []
        read = [self.path / file for file in (*study, *files) if "://" not in file]
        if any(not file.exists() or file.stat().st_mtime_ns > since for file in read):
            return None
        said: dict[str, Any] = json.loads(path.read_bytes())
        return said

    def keep_result(self, action: str, command: Command, said: dict[str, Any]) -> None:
        """Keep what a command said, readable by its owner alone."""
        about = {"command": command.shown, **said}
        self._write(f"{RESULTS}/{action}.json", json.dumps(about).encode())

    def _write(self, file: str, data: bytes, mode: int = PRIVATE_MODE) -> None:
        with write_whole(self.path / file, mode) as stream:
            stream.write(data)


@lru_cache(maxsize=64)
def _read_study(path: Path, when: int, size: int) -> tuple[Study | None, str]:
    """Return a study file of that time and size, and what is wrong with it: read once."""
    try:
        return Study.load(path), ""
    except (ConsilienceError, ValueError, OSError) as error:
        return None, str(error)


@lru_cache(maxsize=64)
def _read_digest(path: Path, when: int, size: int) -> str:
    """Return the SHA-256 of a file of that time and size: worked out once."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _when(path: Path) -> int:
    return path.stat().st_mtime_ns

"""The private folder of a role: its secrets, readable by its owner alone.

==================  ===============================================================
``identity.toml``   signing and sealing keys of the role; ``identity-2.toml`` those that followed
``column.key``      secret of the column group, by which its anchor is drawn
``row.key``         secret of the row institution, by which pseudonyms are made; of one party
                    alone where rows are matched by psi
``match-*``         secrets of a match of ids, and the pseudonyms that came of it
``common.key``      secret of all parties, where the anchor is drawn from public rows
``column-*.key``    secrets of the other column groups, where all explain in all features
``ledger.jsonl``    everything that left, see :mod:`consilience.study.ledger`
``draws.key``       hides in the ledger what noise was drawn for
``draw-*``          noise that was paid for, to be shown again
``sent-*``          pseudonyms of what left, in the order sent, to read the answer by; they stay
                    after a withdrawal, as labels that were given out can still be read
``*.safetensors``   what a role keeps between two commands, such as the reduction of a contribution
==================  ===============================================================

The analyst's folder holds an identity and nothing else.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from consilience.access import check_private, make_private
from consilience.arrays import Arrays, from_bytes, in_pieces
from consilience.exceptions import ArraysError, StudyError
from consilience.mapped import map_file
from consilience.study.files import create_whole, write_whole
from consilience.study.identity import Identity
from consilience.study.keys import KEY_BYTES
from consilience.study.ledger import Ledger

__all__ = ["PrivateFolder", "holds_secrets"]

SECRET_MODE = 0o600
NAME_LENGTH = 32
"""So many digits of the digest of a contribution stand in the name of what belongs to it."""

FOLDER_MODE = 0o700


class SecretExistsError(StudyError):
    """A secret is there already, and stays."""


def holds_secrets(folder: Path) -> bool:
    """Tell whether a folder is the private folder of some role.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "labels.csv").touch()
    >>> holds_secrets(folder)
    False
    """
    marks = ("identity.toml", "ledger.jsonl", "*.key")
    return folder.is_dir() and any(any(folder.glob(mark)) for mark in marks)


class PrivateFolder:
    """Reads and writes the secrets of one role; nothing is ever overwritten.

    Parameters
    ----------
    path : Path

    Examples
    --------
    >>> import tempfile
    >>> folder = PrivateFolder(Path(tempfile.mkdtemp()) / "clinic")
    >>> folder.write_key("column", bytes(32))
    >>> folder.read_key("column") == bytes(32)
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write_key(self, kind: str, key: bytes) -> None:
        """Write a key of a kind, such as ``"row"``, see :mod:`consilience.study.handout`."""
        text = f"# Secret: the {kind} key. Show it to nobody, least of all to the analyst.\n"
        text += f"{key.hex()}\n"
        self._create(f"{kind}.key", text)

    def read_key(self, kind: str) -> bytes:
        """Read a key; a damaged one is refused without showing it."""
        lines = self._read(f"{kind}.key").splitlines()
        text = "".join(line for line in lines if not line.startswith("#")).strip()
        try:
            key = bytes.fromhex(text)
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise StudyError(
                f"{self.path / f'{kind}.key'} is damaged: it must hold {2 * KEY_BYTES} "
                f"hexadecimal digits. Restore it from a copy."
            )
        return key

    def has_key(self, kind: str) -> bool:
        """Tell whether a key of a kind is there."""
        return (self.path / f"{kind}.key").exists()

    @property
    def has_identity(self) -> bool:
        """Whether an identity is there."""
        return (self.path / "identity.toml").exists()

    def write_identity(self, identity: Identity) -> None:
        """Write a new identity."""
        self._create("identity.toml", identity.to_text())

    def identity_of(self, name: str) -> Identity:
        """Return the identity of a role; the first who asks makes it."""
        if not (self.path / "identity.toml").exists():
            with suppress(SecretExistsError):  # another was faster
                self.write_identity(Identity.new(name))
        return self.read_identity(name)

    def write_next_identity(self, identity: Identity) -> Path:
        """Write an identity that follows the one there is, which stays; return its file."""
        number = 2
        while (self.path / f"identity-{number}.toml").exists():
            number += 1
        self._create(f"identity-{number}.toml", identity.to_text())
        return self.path / f"identity-{number}.toml"

    def read_identities(self, name: str) -> list[Identity]:
        """Read every identity a role has or had, the newest first."""
        if not any(self.path.glob("identity*.toml")):
            return [self.read_identity(name)]
        files = sorted(self.path.glob("identity*.toml"), key=lambda p: (len(p.name), p.name))
        return [self.read_identity(name, path.name) for path in reversed(files)]

    def read_identity(self, name: str, file: str = "identity.toml") -> Identity:
        """Read the identity of the role of this name."""
        identity = Identity.from_text(self._read(file))
        if identity.name != name:
            raise StudyError(
                f"{self.path} holds the identity of {identity.name!r}, not of {name!r}. Choose "
                f"the right folder with --private."
            )
        return identity

    @property
    def ledger(self) -> Ledger:
        """The record of everything that left."""
        return Ledger(self.path / "ledger.jsonl")

    def write_state(self, name: str, arrays: Arrays, study: str, contribution: str) -> None:
        """Keep what belongs to a contribution for a later command, beside that of others."""
        about = {"study": study, "contribution": contribution}
        with write_whole(self._state(name, contribution), SECRET_MODE) as stream:
            stream.writelines(in_pieces(arrays, about))

    def _state(self, name: str, contribution: str) -> Path:
        return self.path / f"{name}-{contribution[:NAME_LENGTH]}.safetensors"

    def read_state(
        self, name: str, study: str, contribution: str, *, mapped: bool = False
    ) -> Arrays:
        """Read what was kept of a contribution, or map it; refuse what belongs to another one."""
        path = self._state(name, contribution)
        if not path.exists():
            # An earlier version kept the latest alone.
            path = self.path / f"{name}.safetensors"
        about, arrays = self._load(path, mapped)
        if about.get("study") != study:
            raise StudyError(f"{path} was kept for another study. Contribute again.")
        if about.get("contribution") != contribution:
            raise StudyError(
                f"{path} was kept for another contribution than the one that is answered: "
                f"each has a reduction of its own. Send the latest contribution to the "
                f"analyst, and use the answer to it."
            )
        return arrays

    def _load(self, path: Path, mapped: bool = False) -> tuple[dict[str, Any], Arrays]:
        try:
            check_private(path)
            with path.open("rb") as file:
                return from_bytes(map_file(file) if mapped else file.read(), copy=not mapped)
        except FileNotFoundError:
            raise StudyError(
                f"{path} is missing: it is kept by `consilience contribute`, in the private "
                f"folder of the party."
            ) from None
        except ArraysError:
            raise StudyError(f"{path} is damaged. Restore it, or do again what wrote it.") from None

    def read_states(self, name: str, study: str) -> dict[str, Arrays]:
        """Read everything of a name that was kept for a study, by what it belongs to."""
        found = {}
        for path in sorted(self.path.glob(f"{name}-*.safetensors")):
            about, arrays = self._load(path)
            if about.get("study") == study:
                found[str(about["contribution"])] = arrays
        return found

    def refuse_to_replace(self, *names: str) -> None:
        """Refuse if a secret is already there, before any other is written."""
        for path in (self.path / name for name in names):
            if path.exists():
                raise StudyError(_never(path))

    def write_secret(self, name: str, text: str) -> None:
        """Write a secret file as it was, from a back-up."""
        self._create(name, text)

    def _create(self, name: str, text: str) -> None:
        if not self.path.exists():
            self.path.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
            make_private(self.path)
        path = self.path / name
        try:
            create_whole(path, text.encode(), SECRET_MODE)
        except FileExistsError:
            raise SecretExistsError(_never(path)) from None

    def _read(self, name: str) -> str:
        path = self.path / name
        try:
            check_private(path)
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise StudyError(
                f"{path} is missing. Name the folder that holds it with --private"
                + (", or make one with consilience keygen." if name == "identity.toml" else ".")
            ) from None
        except UnicodeDecodeError:
            raise StudyError(f"{path} is damaged; restore it from a copy.") from None
        return text


def _never(path: Path) -> str:
    return f"{path} exists; secrets are never overwritten. Move it away if it is no longer needed."

"""The one interface of everything that carries files between roles: put, list, get, wait.

A :class:`Carrier` stands over a :class:`Shelf`, which knows small files and nothing else: a folder,
a store such as a bucket, the letter box of a study, or memory. Whatever happens at a shelf, a file
is put whole or not at all, putting it twice puts it once, and a reader gets what was put or an
error.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from consilience.carriers.parcel import (
    MAX_BYTES,
    MAX_SLIP_BYTES,
    PIECE_BYTES,
    SLIP,
    Parcel,
    folder_of,
    parcel_of,
)
from consilience.exceptions import CarrierError, DamagedError
from consilience.study.files import finish, flush_folder

__all__ = ["Carrier", "Shelf"]

PART_MODE = 0o600
Parcels = list[Parcel]


class Shelf(Protocol):
    """Small files by path, such as ``"a/b/00000"``, where several may write and read at once."""

    def write(self, path: str, data: bytes) -> None:
        """Write a file; one that is there already gives way."""

    def read(self, path: str) -> bytes:
        """Return a file; whoever dies while writing may leave a part of one."""

    def find(self) -> dict[str, int]:
        """Return the size of every file that may concern this role, by path."""

    def rest(self, seconds: float) -> None:
        """Return when something new may be there, at the latest after so many seconds."""


class Carrier:
    """Carries files between roles, over a shelf.

    Parameters
    ----------
    shelf : Shelf

    Examples
    --------
    >>> import tempfile
    >>> from consilience.carriers.in_process import Memory
    >>> folder, carrier = Path(tempfile.mkdtemp()), Carrier(Memory())
    >>> _ = (folder / "sealed").write_bytes(b"sealed bytes")
    >>> put = carrier.put(folder / "sealed", sender="a/lab", recipient="analyst")
    >>> carrier.list("analyst") == [put]
    True
    >>> carrier.get(put, folder / "arrived")
    >>> (folder / "arrived").read_bytes()
    b'sealed bytes'
    """

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._slips: dict[str, Parcel] = {}

    def put(
        self,
        source: Path,
        *,
        sender: str,
        recipient: str,
        name: str | None = None,
        once: bool = False,
    ) -> Parcel:
        """Put a file for a role to get; if it is the latest of its name already, do nothing.

        An attempt that was cut off goes on where it was: at most one piece is written again.
        Two who write different files under one name at once both write theirs, whole; which of them
        is the latest is the same for all who read. With ``once``, a file that lies there below a
        later one stays there: two who do not know of each other would else overtake each other
        without end.
        """
        with source.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            n_bytes, name = file.tell(), name or source.name
            if n_bytes > MAX_BYTES:
                raise CarrierError(f"{source} has {n_bytes} bytes, must have at most {MAX_BYTES}.")
            sizes = self.shelf.find()
            before = [p for p in self._list(sizes, recipient, sender) if p.name == name]
            same = [p for p in (before if once else before[-1:]) if p.sha256 == digest]
            number = same[-1].number if same else before[-1].number + 1 if before else 1
            parcel = Parcel(sender, recipient, name, number, n_bytes, digest)
            folder, pieces = parcel.folder, parcel.pieces
            there = [sizes.get(f"{folder}/{piece}") == size for piece, size in pieces.items()]
            if not same or not all(there):
                # The last that is there may have been cut off between its size and its bytes.
                first = max(0, [*there, False].index(False) - 1)
                file.seek(first * PIECE_BYTES)
                for piece in list(pieces)[first:]:
                    self.shelf.write(f"{folder}/{piece}", file.read(PIECE_BYTES))
                self.shelf.write(f"{folder}/{SLIP}", parcel.slip)
        self._slips[parcel.folder] = parcel
        return parcel

    def list(self, recipient: str, sender: str | None = None) -> Parcels:
        """Return what lies there whole for a role, of each name the oldest first."""
        return self._list(self.shelf.find(), recipient, sender)

    def get(self, parcel: Parcel, target: Path) -> None:
        """Get a file; it appears under its name when it is whole and has the digest it should.

        An attempt that was cut off goes on where it was. One at a time for each target.
        """
        if _is_whole(target, parcel):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{parcel.sha256[:16]}.part")
        resumed = part.exists()
        if not self._read_pieces(parcel, part):
            part.unlink()
            # What an earlier attempt left may not have reached the disk.
            if not resumed or not self._read_pieces(parcel, part):
                part.unlink(missing_ok=True)
                raise _damaged(parcel)
        part.replace(target)
        flush_folder(target.parent)

    def wait(self, seconds: float) -> None:
        """Return when something new may be there, at the latest after so many seconds."""
        self.shelf.rest(seconds)

    def _list(self, sizes: Mapping[str, int], recipient: str, sender: str | None) -> Parcels:
        found = []
        for path, size in sizes.items():
            folder, _, name = path.rpartition("/")
            addressed = folder.split("/")[1:2] == [folder_of(recipient)]
            if name == SLIP and addressed and size <= MAX_SLIP_BYTES:
                parcel = self._slips.get(folder) or self._read_slip(folder)
                if parcel is not None and sender in (None, parcel.sender):
                    found.append(parcel)
        return sorted(found, key=lambda p: (p.sender, p.name, p.number, p.sha256))

    def _read_slip(self, folder: str) -> Parcel | None:
        parcel = parcel_of(self.shelf.read(f"{folder}/{SLIP}"), folder)
        if parcel is not None:
            self._slips[folder] = parcel
        return parcel

    def _read_pieces(self, parcel: Parcel, part: Path) -> bool:
        """Append to a part what it lacks, and tell whether the whole is what it should be."""
        digest, done, sizes = hashlib.sha256(), 0, self.shelf.find()
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT, PART_MODE)
        with os.fdopen(descriptor, "rb+") as stream:
            for piece, size in parcel.pieces.items():
                path = f"{parcel.folder}/{piece}"
                data = stream.read(size)
                if len(data) < size:
                    if sizes.get(path) != size:
                        raise _damaged(parcel)  # however large it is, it is not read
                    stream.seek(done)
                    data = self.shelf.read(path)
                    stream.write(data)
                digest.update(data)
                done += len(data)
            stream.truncate(done)
            finish(stream)
        return digest.hexdigest() == parcel.sha256


def _is_whole(path: Path, parcel: Parcel) -> bool:
    if not path.is_file() or path.stat().st_size != parcel.n_bytes:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == parcel.sha256


def _damaged(parcel: Parcel) -> DamagedError:
    return DamagedError(
        f"{parcel.name} of {parcel.sender} arrived damaged. Ask there to send it again."
    )

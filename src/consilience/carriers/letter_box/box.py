"""What a letter box holds: files of parcels in a folder, seen through an index in memory."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from consilience.carriers.folder import Folder
from consilience.carriers.letter_box.guard import Place, RefusedError
from consilience.carriers.parcel import PIECE_BYTES, SLIP, parcel_of

__all__ = ["Box", "Limits"]

LOOK_AGAIN = 2.0
"""Seconds after which the folder is looked at again: others may write into it directly."""

GIGABYTE = 10**9


class Limits:
    """How much each sender may leave in a box.

    Parameters
    ----------
    n_bytes : int, default=64 GB
    n_files : int, default=100,000
    """

    def __init__(self, n_bytes: int = 64 * GIGABYTE, n_files: int = 100_000) -> None:
        self.n_bytes, self.n_files = n_bytes, n_files


class Box:
    """The folder of a letter box.

    Parameters
    ----------
    root : Path
    limits : Limits, optional
    """

    def __init__(self, root: Path, limits: Limits | None = None) -> None:
        self.root, self.limits = root, limits or Limits()
        self._shelf, self._sizes, self._looked = Folder(root), dict[str, int](), 0.0
        self._noted: dict[str, int] = {}
        self._times: dict[str, float] = {}
        self._changed, self.n_changes = asyncio.Event(), 0
        self._looking = asyncio.Lock()

    def clear_up(self) -> None:
        """Remove what a server that was killed left half-written."""
        for path in self.root.rglob(".*"):
            with suppress(OSError):
                path.unlink()

    async def sizes(self) -> dict[str, int]:
        """Return the size of every file, by path."""
        async with self._looking:
            if time.monotonic() - self._looked > LOOK_AGAIN:
                self._noted = {}
                found = await asyncio.to_thread(self._shelf.find)
                found |= self._noted  # written while we looked
                if found.keys() - self._sizes.keys():
                    self.tell()
                self._sizes, self._looked = found, time.monotonic()
        return self._sizes

    async def wait(self, seen: int, seconds: float) -> int:
        """Return the number of changes, as soon as it is another one or the time is over."""
        end = time.monotonic() + seconds
        while self.n_changes == seen and (left := end - time.monotonic()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)
        return self.n_changes

    async def check_room(self, place: Place, length: int) -> bool:
        """Refuse what would be too much; tell whether the parcel is there whole already."""
        sizes = await self.sizes()
        if length > PIECE_BYTES:
            raise RefusedError(413, f"a piece has at most {PIECE_BYTES} bytes")
        own = [size for path, size in sizes.items() if path.startswith(f"{place.sender}/")]
        if len(own) >= self.limits.n_files or sum(own) + length > self.limits.n_bytes:
            raise RefusedError(507, "the letter box holds as much of this sender as it may")
        return f"{place.folder}/{SLIP}" in sizes

    def check_slip(self, place: Place, data: bytes) -> None:
        """Refuse a slip whose pieces are not there as it says."""
        parcel = parcel_of(data, place.folder)
        if parcel is None:
            raise RefusedError(422, "the slip is none, or of another parcel")
        for piece, size in parcel.pieces.items():
            if self._sizes.get(f"{place.folder}/{piece}") != size:
                raise RefusedError(409, "the slip speaks of pieces that are not there")

    def note(self, place: Place, size: int) -> None:
        """Note that a file was written, and wake those who wait for parcels."""
        self._sizes[place.path] = self._noted[place.path] = size
        if place.file == SLIP:
            self.tell()

    def file(self, place: Place) -> Path:
        """Return where a file lies."""
        return self.root / place.path

    def arrived(self, path: str) -> float | None:
        """Return when a parcel was there whole, by the path of its slip."""
        if path not in self._times:
            try:
                self._times[path] = (self.root / path).stat().st_mtime
            except OSError:
                return None
        return self._times[path]

    def tell(self) -> None:
        """Wake those who wait: something is new."""
        self.n_changes += 1
        self._changed.set()
        self._changed = asyncio.Event()

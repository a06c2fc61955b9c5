"""Unsealing a bundle as a stream: piece by piece, signature first, every member hashed on its way.

The plain form begins with the manifest and its signature, so that nothing behind them is kept
before they are accepted. Members go to memory; or to files without a name in a folder of the
reader's, which are then mapped: memory does not follow the size of a bundle. Those files are as
readable as the rows they hold. They have no name from the beginning, so that the system takes them
back when the reader ends, however it ends, and nobody else can open them.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy.typing as npt
import pyrage

from consilience.arrays import Arrays, from_bytes
from consilience.exceptions import ArraysError, BundleError
from consilience.mapped import map_file
from consilience.study.identity import Identity
from consilience.transports.manifest import FORMAT, MAX_MANIFEST_BYTES, Manifest, Member

__all__ = ["MAGIC", "SEALED", "SIGNATURE_BYTES", "Accept", "unseal"]

MAGIC = b"consilience bundle 1\n"
SIGNATURE_BYTES = 64
SEALED, SEALED_END = b"age-encryption.org/v1\n", b"\n--- "
MAX_SEAL_BYTES = 4096
"""A seal to two recipients has some 500 bytes, and begins with a line of its own."""

SMALL_BYTES = 2**20
"""Members up to this size stay in memory."""

Accept = Callable[[bytes, bytes], Manifest]
"""Takes a manifest as it was signed, and the signature; reads it or refuses."""


def unseal(
    path: Path, identity: Identity, accept: Accept, spill: Path | None = None
) -> tuple[Manifest, Arrays]:
    """Unseal a bundle, and read its members if its head is accepted.

    Parameters
    ----------
    path : Path
    identity : Identity
        To whom it is sealed.
    accept : callable
        Called once, before anything behind the head is looked at.
    spill : Path, optional
        A private folder: large members are kept there and mapped, to be read alone.

    Returns
    -------
    manifest : Manifest
        What was accepted.
    arrays : dict of str to ndarray
        Each with the hash, size, shape and kind stated.
    """
    with ExitStack() as files, path.open("rb") as sealed:
        plain = _Plain(path, accept, spill, files)
        try:
            # A long header costs the square of its length, and ours are short.
            beginning = sealed.read(MAX_SEAL_BYTES)
            if not beginning.startswith(SEALED) or SEALED_END not in beginning:
                raise ValueError
            sealed.seek(0)
            pyrage.decrypt_io(sealed, plain, [identity.sealing])
        except BundleError:
            raise
        except (pyrage.DecryptError, OSError, ValueError):
            if plain.failure is not None:
                raise plain.failure from None
            raise BundleError(
                f"{path.name} cannot be opened by {identity.name!r}: it is damaged or cut short, "
                f"or sealed to somebody else."
            ) from None
        return plain.finish()


class _Plain:
    """Takes what is unsealed, piece by piece: the head, then one member after the other."""

    def __init__(self, path: Path, accept: Accept, spill: Path | None, files: ExitStack) -> None:
        self._path, self._accept, self._spill, self._files = path, accept, spill, files
        self._head: bytearray = bytearray()
        self._manifest: Manifest | None = None
        self._next = 0
        self._member: _Arriving | None = None
        self._arrays: Arrays = {}
        self.failure: OSError | None = None

    def write(self, piece: bytes) -> int:
        """Take a piece; an error ends the stream."""
        rest = memoryview(piece)
        if self._manifest is None:
            self._head += piece
            rest = self._read_head()
        try:
            while rest:
                member = self._member or self._begin()
                rest = member.take(rest)
                if not member.n_left:
                    self._end(member)
        except OSError as error:
            self.failure = error  # a full disk is no damaged bundle
            raise
        return len(piece)

    def flush(self) -> None:
        """Do nothing: a stream has this."""

    def finish(self) -> tuple[Manifest, Arrays]:
        """Return what arrived, if all of it did."""
        if self._manifest is None:
            self._check_magic()
            raise self._damaged("its manifest is longer than the file")
        while self._member is not None or self._next < len(self._manifest.members):
            self._end(self._member or self._begin())
        return self._manifest, self._arrays

    def _read_head(self) -> memoryview:
        """Read the head once it is all there; return what came behind it."""
        head, start = self._head, len(MAGIC) + 8
        if len(head) < start:
            return memoryview(b"")
        self._check_magic()
        length = int.from_bytes(head[len(MAGIC) : start], "little")
        if length > MAX_MANIFEST_BYTES:
            raise self._damaged("its manifest is longer than the file")
        end = start + length
        if len(head) < end + SIGNATURE_BYTES:
            return memoryview(b"")
        stated, behind = bytes(head[start:end]), end + SIGNATURE_BYTES
        self._manifest = self._accept(stated, bytes(head[end:behind]))
        self._head = bytearray()
        return memoryview(head)[behind:]

    def _check_magic(self) -> None:
        if not self._head.startswith(MAGIC):
            raise BundleError(f"{self._path.name} is not a bundle of format {FORMAT}.")

    def _begin(self) -> _Arriving:
        """Begin the next member; there is none where more came than was stated."""
        assert self._manifest is not None, "members come behind the head"
        if self._next == len(self._manifest.members):
            raise self._damaged("it does not have the length it states")
        member: Member = self._manifest.members[self._next]
        file: IO[bytes] | None = None
        if self._spill is not None and member.n_bytes > SMALL_BYTES:
            file = self._files.enter_context(tempfile.TemporaryFile(dir=self._spill))  # noqa: SIM115
        self._member, self._next = _Arriving(member, file), self._next + 1
        return self._member

    def _end(self, arriving: _Arriving) -> None:
        self._member, member = None, arriving.member
        if not arriving.is_whole:
            raise self._damaged(f"member {member.name!r} has another hash")
        array = arriving.array()
        if array is None:
            raise self._damaged(f"member {member.name!r} is no such array")
        self._arrays[member.name] = array

    def _damaged(self, why: str) -> BundleError:
        return BundleError(f"{self._path.name} is damaged: {why}.")


class _Arriving:
    """One member on its way to where it is kept: a file, or memory."""

    def __init__(self, member: Member, file: IO[bytes] | None) -> None:
        self.member, self.n_left = member, member.n_bytes
        self._digest = hashlib.sha256()
        self._file, self._memory = file, io.BytesIO()

    def take(self, piece: memoryview) -> memoryview:
        """Take what belongs to it of a piece, and return the rest."""
        part, rest = piece[: self.n_left], piece[self.n_left :]
        (self._file or self._memory).write(part)
        self._digest.update(part)
        self.n_left -= len(part)
        return rest

    @property
    def is_whole(self) -> bool:
        """Whether it has the size and the hash stated."""
        return not self.n_left and self._digest.hexdigest() == self.member.sha256

    def array(self) -> npt.NDArray[Any] | None:
        """Return its array, or None if it is not the one stated."""
        data = self._memory.getbuffer() if self._file is None else map_file(self._file)
        try:
            _, arrays = from_bytes(data, copy=self._file is None)
        except ArraysError:
            return None
        array = arrays.pop(self.member.name, None)
        if array is None or arrays:
            return None
        stated = (self.member.shape, self.member.dtype)
        return array if (array.shape, str(array.dtype)) == stated else None

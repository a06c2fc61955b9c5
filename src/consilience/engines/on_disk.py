"""Rows in files of a private folder: memory does not grow with them.

A file is read block by block and never mapped, since pages of a mapped file count as memory of the
process. Whatever is finished is recorded beside the files, under a digest of all it depends on: a
run that was killed finds it, and goes on from there.

The files are not encrypted, as little as memory is. The folder is its owner's alone; who starts a
run deletes it when the run has ended.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from math import prod
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
import numpy.typing as npt

from consilience.access import make_private
from consilience.arrays import Arrays
from consilience.engines.engine import Rows, Tell, block_slices
from consilience.engines.in_memory import silent
from consilience.exceptions import StudyError
from consilience.mapped import in_blocks, let_go

__all__ = ["Block", "OnDisk", "RowsOnDisk", "Run", "run_here"]

Array = npt.NDArray[np.float64]
Result = TypeVar("Result")

FILE_MODE = 0o600
DEFAULT_MEMORY = 2**30


@dataclass(frozen=True)
class Block:
    """A part of a file of rows."""

    path: str
    inside: slice
    n_dimensions: int

    def read(self) -> Array:
        """Return its rows."""
        width, start = 8 * self.n_dimensions, self.inside.start
        shape = (self.inside.stop - start, self.n_dimensions)
        return np.fromfile(self.path, count=prod(shape), offset=start * width).reshape(shape)


Run = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]], tuple[Any, ...]], Iterator[Any]]
"""How a step runs: called with it, with blocks and what stands beside each, and its arguments."""


def run_here(
    step: Callable[..., Any], blocks: Iterable[tuple[Any, ...]], arguments: tuple[Any, ...]
) -> Iterator[Any]:
    """Run a step on one block after the other."""
    for block, *beside in blocks:
        yield step(block.read(), *beside, *arguments)


class OnDisk:
    """Keeps rows, and all that is as large, in files.

    Parameters
    ----------
    folder : Path
        Made if it is not there, and its owner's alone from then on.
    inputs : str
        Digest of what arrived: what was kept under another one is not used.
    memory : int
        Bytes that a method may hold at once.
    run : callable
        How a step runs.
    tell : callable
        Hears how far a step is.

    Examples
    --------
    >>> import tempfile
    >>> engine = OnDisk(Path(tempfile.mkdtemp()))
    >>> rows = engine.rows("rows", (3, 2), lambda: [np.ones((1, 2)), np.zeros((2, 2))])
    >>> list(rows.each(np.sum)), rows.take(np.array([0])).tolist()
    ([np.float64(2.0)], [[1.0, 1.0]])
    """

    def __init__(
        self,
        folder: Path,
        inputs: str = "",
        *,
        memory: int = DEFAULT_MEMORY,
        run: Run = run_here,
        tell: Tell = silent,
    ) -> None:
        self.folder, self.inputs, self.memory = folder, inputs, memory
        self.run, self.tell = run, tell
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(folder)
        self._blanks = count()

    def rows(self, name: str, shape: tuple[int, int], parts: Callable[[], Iterable[Array]]) -> Rows:
        """Write rows to a file, part by part."""
        self._keep(name, lambda: ({"rows": part} for part in parts()))
        return RowsOnDisk(str(self._stem(name)) + ".rows", shape, self)

    def keep(self, name: str, parts: Callable[[], Iterable[Arrays]]) -> Arrays:
        """Write arrays to files, part by part; what is returned is mapped."""
        stem = str(self._stem(name))
        return {
            array: _map(f"{stem}.{array}", np.dtype(dtype), tuple(shape))
            for array, (dtype, shape) in self._keep(name, parts).items()
        }

    def labels(self, n_rows: int, n_clusters: int) -> npt.NDArray[Any]:
        """Return labels in a file, of the smallest type that holds them."""
        kinds = (np.int8, np.int16, np.int32, np.int64)
        kind = next(kind for kind in kinds if n_clusters <= np.iinfo(kind).max)
        labels = self._mapped((n_rows,), kind)
        for part in in_blocks(labels):
            part[:] = -1
        return labels

    def blank(self, shape: tuple[int, ...]) -> Array:
        """Return an array in a file."""
        return self._mapped(shape, np.float64)

    def _mapped(self, shape: tuple[int, ...], kind: Any) -> npt.NDArray[Any]:
        path, size = (
            self.folder / f"blank.{next(self._blanks)}",
            prod(shape) * np.dtype(kind).itemsize,
        )
        with _create(path) as file:
            if size and hasattr(os, "posix_fallocate"):
                # Else a full disk would be found by writing to a map, which ends the process.
                os.posix_fallocate(file.fileno(), 0, size)
        return np.memmap(path, kind, "w+", shape=shape) if prod(shape) else np.empty(shape, kind)

    def _stem(self, name: str) -> Path:
        digest = hashlib.sha256(f"{self.inputs}\0{name}".encode()).hexdigest()
        return self.folder / digest[:32]

    def _keep(
        self, name: str, parts: Callable[[], Iterable[Arrays]]
    ) -> dict[str, tuple[str, list[int]]]:
        """Return kind and shape of what is kept under a name; make it first if it is not there."""
        stem = self._stem(name)
        record = stem.with_suffix(".json")
        found = _read_record(record)
        if found is None:
            found = _write(stem, parts())
            with _create(stem.with_suffix(".part")) as stream:
                stream.write(json.dumps(found).encode())
            os.replace(stem.with_suffix(".part"), record)
        return found


def _write(stem: Path, parts: Iterable[Arrays]) -> dict[str, tuple[str, list[int]]]:
    """Append parts to one file an array, and see them to disk."""
    about: dict[str, tuple[str, list[int]]] = {}
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for part in parts:
            for name, array in part.items():
                if name not in files:
                    files[name] = stack.enter_context(_create(Path(f"{stem}.{name}")))
                    about[name] = (array.dtype.str, [0, *array.shape[1:]])
                files[name].write(np.ascontiguousarray(array).data)
                about[name][1][0] += len(array)
        for stream in files.values():
            stream.flush()
            os.fsync(stream.fileno())
    return about


def _read_record(path: Path) -> dict[str, tuple[str, list[int]]] | None:
    """Return what a record says, if all of it is there."""
    if not path.exists():
        return None
    found = json.loads(path.read_bytes())
    for name, (dtype, shape) in found.items():
        file = path.with_suffix(f".{name}")
        if not file.exists() or file.stat().st_size != np.dtype(dtype).itemsize * prod(shape):
            return None
    return {name: (dtype, shape) for name, (dtype, shape) in found.items()}


def _create(path: Path) -> IO[bytes]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, FILE_MODE), "wb")


def _map(path: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    return np.memmap(path, dtype, "r", shape=shape) if prod(shape) else np.empty(shape, dtype)


@dataclass(frozen=True, eq=False)
class RowsOnDisk:
    """Rows that are a file."""

    path: str
    shape: tuple[int, int]
    engine: OnDisk

    def __len__(self) -> int:
        return self.shape[0]

    def take(self, places: npt.NDArray[np.intp]) -> Array:
        """Read some rows; those that follow each other at once."""
        taken = np.empty((len(places), self.shape[1]))
        ends = [*np.flatnonzero(np.diff(places) != 1) + 1, len(places)] if len(places) else []
        with open(self.path, "rb", buffering=0) as file:
            for start, end in zip([0, *ends], ends, strict=False):
                file.seek(int(places[start]) * taken[0].nbytes)
                file.readinto(taken[start:end].data)
        return taken

    def whole(self) -> Array:
        """Read all rows, if they are not more than the memory that was granted."""
        needed, granted = 8 * prod(self.shape), self.engine.memory
        if needed > granted:
            raise StudyError(
                f"this method holds all {len(self)} rows at once, {needed / 1e9:.2g} GB, and "
                f"--memory grants {granted / 1e9:.2g} GB. Raise --memory, or agree on 'kmeans' or "
                f"'landmarks', which take rows block by block."
            )
        return self.read_all()

    def block(self, number: int, inside: slice) -> Any:
        """Return what reads a block, here or at a worker."""
        return Block(self.path, inside, self.shape[1])

    def read_all(self) -> Array:
        """Read all rows, however many."""
        return Block(self.path, slice(0, len(self)), self.shape[1]).read()

    def each(
        self,
        step: Callable[..., Result],
        *arguments: Any,
        beside: npt.NDArray[Any] | None = None,
        doing: str = "",
    ) -> Iterator[Result]:
        """Run a step on every block, as the engine runs steps."""
        slices = list(block_slices(self.shape))
        blocks = (
            (
                self.block(number, inside),
                *(() if beside is None else (beside[inside],)),
            )
            for number, inside in enumerate(slices)
        )
        for done, result in enumerate(self.engine.run(step, blocks, arguments), start=1):
            yield result
            if beside is not None:
                let_go(beside[slices[done - 1]])
            if doing:
                self.engine.tell(doing, done, len(slices))

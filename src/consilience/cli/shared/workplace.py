"""Where the analyst's work is done: in memory, in files of a private folder, or by Dask as well."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from consilience.by_files import Letter
from consilience.cli.shared.console import tell_aside
from consilience.engines.engine import Engine, Tell
from consilience.engines.in_memory import InMemory
from consilience.engines.in_store import InStore, empty_store, is_address
from consilience.engines.on_dask import OnDask, dask_client
from consilience.engines.on_disk import OnDisk, Run, run_here
from consilience.exceptions import ConsilienceError, StudyError
from consilience.study.locks import locked
from consilience.study.participant import Participant

__all__ = ["EngineName", "Memory", "Scheduler", "Spill", "Workplace", "parse_memory", "workplace"]

DEFAULT_MEMORY, MIN_MEMORY = 10**9, 5 * 10**8
BYTES_HELD = 8
"""Bytes of memory that a byte of a sealed contribution becomes, all in all."""
UNITS = {"": 1, "M": 10**6, "G": 10**9, "T": 10**12}


def parse_memory(text: str) -> int:
    """Read a size such as 600MB or 4GB.

    Examples
    --------
    >>> parse_memory("600MB"), parse_memory("1.5 GB")
    (600000000, 1500000000)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([MGT]?)B?", str(text).strip().upper())
    if found is None:
        raise typer.BadParameter(f"{text!r} is no size; write it as 600MB or 4GB.")
    size = int(float(found[1]) * UNITS[found[2]])
    if size < MIN_MEMORY:
        raise typer.BadParameter(
            f"{text!r} is too little, must be at least {MIN_MEMORY // 10**6}MB: the program and "
            f"its samples take most of it."
        )
    return size


EngineName = Annotated[
    Literal["memory", "disk", "dask"] | None,
    typer.Option(
        "--engine",
        help="Where rows lie: in memory, on disk, or on disk and worked on by Dask. By default in "
        "memory if they fit into --memory, else on disk.",
    ),
]
Memory = Annotated[
    Any,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=parse_memory,
        help="Hold no more than this; 1GB if not said.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Of a Dask scheduler, tcp://...; else one is started."),
]
Spill = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        help="Where rows on disk lie, not encrypted, until the run has ended; by default in your "
        "private folder. Or a store, such as s3://bucket/path, from which every worker reads.",
    ),
]


@dataclass(frozen=True)
class Workplace:
    """Where the work of one run is done.

    Parameters
    ----------
    folder : Path or None
        Of rows on disk; None if all is held in memory.
    memory : int
        Bytes that may be held.
    run : callable
        How a step over rows on disk runs.
    store : str, optional
        Address of a store in which rows lie, and not in the folder.
    """

    folder: Path | None
    memory: int
    run: Run = run_here
    store: str | None = None

    def engine(self, me: Participant, arrived: Sequence[Letter], tell: Tell) -> Engine:
        """Return the engine for what arrived; it goes on where a run with the same was cut off."""
        if self.folder is None:
            return InMemory(tell)
        digests = sorted(letter.stated.digest for letter in arrived)
        inputs = hashlib.sha256("\n".join([me.study.digest, *digests]).encode()).hexdigest()
        for other in self.folder.iterdir():
            if other.is_dir() and other.name != inputs[:16]:
                shutil.rmtree(other)
        own = self.folder / inputs[:16]
        if own.exists() and any(own.glob("*.json")):
            tell_aside("an earlier run with the same contributions was cut off: going on from it")
        options: dict[str, Any] = {"memory": self.memory, "run": self.run, "tell": tell}
        if self.store is None:
            return OnDisk(own, inputs, **options)
        return InStore(own, f"{self.store}/{inputs[:16]}", inputs, **options)


@contextmanager
def workplace(
    me: Participant,
    paths: Sequence[Path],
    *,
    engine: str | None = None,
    memory: int | None = None,
    scheduler: str | None = None,
    spill: str | None = None,
) -> Iterator[Workplace]:
    """Find the place for a run over some contributions, and clean up behind it.

    What a run that was killed has left stays for the next one; what a run that ended, was refused
    or found the disk full has left is deleted.

    Parameters
    ----------
    me : Participant
    paths : sequence of Path
        What arrived.
    engine, memory, scheduler, spill
        As the person chose them.
    """
    if scheduler is not None and engine != "dask":
        raise StudyError("--scheduler goes with --engine dask.")
    granted = memory or DEFAULT_MEMORY
    if engine is None:
        fits = BYTES_HELD * sum(path.stat().st_size for path in paths) <= granted
        engine = "memory" if fits else "disk"
    if engine == "memory":
        yield Workplace(None, granted)
        return
    own, store = me.study.digest[:16], None
    folder = me.folder.path / "spill"
    if spill is not None and is_address(spill):
        store = f"{spill.rstrip('/')}/{own}"
    elif spill is not None:
        folder = Path(spill)
    folder /= own
    with locked(me.folder.path / "spill.lock"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            if engine == "disk":
                yield Workplace(folder, granted, store=store)
            else:
                n_workers = os.cpu_count() or 1
                with dask_client(scheduler, n_workers=n_workers, memory=granted) as client:
                    yield Workplace(folder, granted, OnDask(client), store)
        except (ConsilienceError, OSError):
            _clean_up(folder, store)
            raise
        _clean_up(folder, store)


def _clean_up(folder: Path, store: str | None) -> None:
    """Delete what a run has left, which is nobody's any more; a store that fails is told of."""
    shutil.rmtree(folder, ignore_errors=True)
    if store is not None:
        try:
            empty_store(store)
        except StudyError as error:
            tell_aside(f"rows may be left there, which nobody needs any more. {error}")

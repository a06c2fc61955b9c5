"""Parts of a long benchmark: measured once, kept in files, shared between processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from benchmarks.journal import code_digest
from benchmarks.tables import CELL

__all__ = ["measure_part", "parts_folder", "read_parts"]


def parts_folder(out: Path, name: str) -> Path:
    """Return where the parts of a benchmark lie: each version of the code has its own folder."""
    return out / "benchmarks" / "parts" / f"{name}-{code_digest()[:8]}"


def measure_part(
    path: Path, measure: Callable[[], Iterable[tuple[tuple[str, ...], float]]]
) -> None:
    """Measure a part, unless its file is there or another process is at it.

    Parameters
    ----------
    path : Path
        Where the values go. While they are measured a file with the suffix ``.part`` stands for
        them; one that a stopped run left behind has to be deleted.
    measure : callable
        Returns (cell, value) pairs.
    """
    claim = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        return
    try:
        claim.touch(exist_ok=False)
    except FileExistsError:
        return
    rows = [(*cell, value) for cell, value in measure()]
    pd.DataFrame(rows, columns=[*CELL, "value"]).to_csv(claim, index=False)
    claim.replace(path)


def read_parts(paths: Iterable[Path]) -> pd.DataFrame | None:
    """Return the values of all parts, or None while some are missing."""
    paths = list(paths)
    if not all(path.exists() for path in paths):
        return None
    return pd.concat([pd.read_csv(path) for path in paths], ignore_index=True)

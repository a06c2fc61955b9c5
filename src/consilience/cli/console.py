"""Where text goes: results to standard output, progress and warnings to standard error."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["errors", "output", "progress_bar"]

output = Console()
errors = Console(stderr=True)


def progress_bar() -> Progress:
    """Return a progress bar on standard error; it shows nothing when that is not a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        disable=not errors.is_terminal,
        transient=True,
    )

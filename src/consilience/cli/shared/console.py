"""Where text goes: results to standard output, progress and warnings to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

__all__ = [
    "busy",
    "errors",
    "output",
    "plain",
    "progress_bar",
    "say_steps",
    "tell",
    "tell_aside",
    "tell_next",
    "warn",
    "watched",
]

output = Console()
errors = Console(stderr=True)
_says_steps = False


def plain(text: object, style: str = "") -> Text:
    r"""Return a text that is shown as it is: no markup, and no command to the terminal.

    Names and purposes in a file may have been chosen by a stranger.

    Examples
    --------
    >>> plain("[red]\x1b[2J").plain
    '[red]?[2J'
    """
    shown = "".join(c if c.isprintable() or c == "\n" else "?" for c in str(text))
    return Text(shown, style=style)


def tell(line: str) -> None:
    """Say something about the result."""
    output.print(plain(line), soft_wrap=True)


def tell_next(line: str) -> None:
    """Say what to do after this; it is no part of the result."""
    errors.print(plain(f"next: {line}", "dim"), soft_wrap=True)


def tell_aside(line: str) -> None:
    """Say something on the way; it is no part of the result."""
    errors.print(plain(line, "dim"), soft_wrap=True)


def warn(line: str) -> None:
    """Say something the person should know."""
    errors.print(plain(line, "yellow"), soft_wrap=True)


def progress_bar() -> Progress:
    """Return a progress bar on standard error; it shows nothing when that is not a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        disable=not sys.stderr.isatty(),
        transient=True,
    )


def say_steps() -> None:
    """Say each step on standard error from now on, where no terminal shows it."""
    global _says_steps
    _says_steps = True


def _say_step(what: str) -> None:
    if _says_steps:
        errors.print(plain(f"{what} …"), soft_wrap=True)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show that something is going on, on standard error and only on a terminal."""
    _say_step(what)
    with progress_bar() as progress:
        progress.add_task(what, total=None)
        yield


@contextmanager
def watched(what: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show that something is going on; yield what hears how far each of its steps is."""
    _say_step(what)
    with progress_bar() as progress:
        task, shown = progress.add_task(what, total=None), [what]

        def hear(doing: str, done: int, total: int) -> None:
            if doing != shown[0]:
                # The time left is that of the step: it must not count what was before.
                progress.reset(task, description=doing)
                shown[0] = doing
                _say_step(doing)
            progress.update(task, completed=done, total=total)

        yield hear

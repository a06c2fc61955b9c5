"""The command ``consilience`` and what all verbs share: errors, exit codes, progress."""

from __future__ import annotations

import sys

import typer

from consilience.cli.analyse import analyse
from consilience.cli.audit import audit
from consilience.cli.bench import bench
from consilience.cli.console import errors, plain
from consilience.cli.contribute import contribute
from consilience.cli.demo import demo
from consilience.cli.init import init
from consilience.cli.keygen import keygen
from consilience.cli.label import label
from consilience.cli.peer import peer
from consilience.cli.report import report
from consilience.cli.show import show
from consilience.cli.stream import stream
from consilience.exceptions import ConsilienceError

__all__ = ["app", "main"]

app = typer.Typer(
    help="Find the clusters of data that must not be pooled, in one round of communication.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for verb in (
    demo,
    init,
    keygen,
    audit,
    contribute,
    analyse,
    label,
    report,
    peer,
    show,
    stream,
    bench,
):
    app.command(verb.__name__)(verb)

EXIT_REFUSED = 2
EXIT_FAILED = 1


def main() -> None:
    """Run the command line; a refusal is one readable line and exit code 2, not a trace."""
    try:
        app()
    except (ConsilienceError, ValueError) as error:
        _say("refused:", str(error))
        sys.exit(EXIT_REFUSED)
    except OSError as error:
        # A full disk, a folder without permission: the system's word and the file, no trace.
        place = f": {error.filename}" if error.filename else ""
        _say("failed:", f"{error.strerror or error}{place}")
        sys.exit(EXIT_FAILED)


def _say(what: str, why: str) -> None:
    errors.print(plain(what, "bold red"), plain(" ".join(why.split())), soft_wrap=True)

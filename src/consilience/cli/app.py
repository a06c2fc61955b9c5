"""The command ``consilience`` and what all verbs share: errors, exit codes, progress."""

from __future__ import annotations

import sys

import typer

from consilience.cli.bench import bench
from consilience.cli.console import errors
from consilience.cli.demo import demo
from consilience.exceptions import ConsilienceError

__all__ = ["app", "main"]

app = typer.Typer(
    help="Find the clusters of data that must not be pooled, in one round of communication.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command("demo")(demo)
app.command("bench")(bench)

EXIT_REFUSED = 2


def main() -> None:
    """Run the command line; a refusal is one readable line and exit code 2, not a trace."""
    try:
        app()
    except ConsilienceError as error:
        errors.print(f"[bold red]refused:[/] {error}", highlight=False)
        sys.exit(EXIT_REFUSED)

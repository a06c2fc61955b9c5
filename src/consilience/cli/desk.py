"""``consilience desk``: a study in your own browser, without commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import say_steps, tell, tell_next

__all__ = ["desk"]

PRELOAD = (
    "consilience.cli.contribute",
    "consilience.cli.analyse",
    "consilience.collaboration.by_files",
    "consilience.summaries.by_files",
    "consilience.cli.check",
    "consilience.cli.label",
)
"""What most commands of a desk need."""


def desk(
    folder: Annotated[
        Path, typer.Argument(file_okay=False, help="Where your studies lie, a folder each.")
    ] = Path("."),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen on this machine; 0: any.")
    ] = 0,
    place: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="A folder all roles reach, by which files may travel; repeatable.",
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page, or print its link only.")
    ] = True,
) -> None:
    """Open a page in your own browser that takes you through a study, without commands.

    Draft a study or join one, look for what is wrong with your table, see what would leave and what
    others could get from it, agree or not, wait, and read your result; as the analyst, look at what
    arrived and answer. Every act runs the command of this program that is shown beside it.

    The page is served from this machine to this machine alone, and asks nothing of anybody else.
    The link opens once, in one browser; whoever else asks is refused. One desk per folder. Ends
    with Ctrl-C.

    Needs the extra desk: pip install 'consilience[desk]'

    Example: `consilience desk ~/studies`
    """
    from consilience.desk.serving import serve_desk

    def ready(link: str) -> None:
        tell(f"the desk is open at {link}")
        tell_next("the link opens once, in one browser; end the desk with Ctrl-C")

    places = [str(path.resolve()) for path in place or []]
    serve_desk(folder, port, perform, preload=PRELOAD, places=places, browser=browser, ready=ready)


def perform() -> None:
    """Run the command in ``sys.argv``, saying each of its steps."""
    from consilience.cli.app import main

    say_steps()
    main()

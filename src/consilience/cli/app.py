"""The command ``consilience`` and what all verbs share: errors, exit codes, progress."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator, Mapping
from copy import copy
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import consilience
from consilience.cli.shared.console import errors, plain
from consilience.exceptions import ConsilienceError

__all__ = ["app", "main"]

VERBS = {
    "desk": "Open a page in your own browser that takes you through a study, without commands.",
    "demo": "Run a whole study by files, as four institutions and an analyst would.",
    "init": "Draft study.toml, the public terms of a study, from example tables.",
    "keygen": "Make the signing and sealing keys of one role.",
    "collect": "Put the public keys that all roles sent you into the study file.",
    "share": "Make the keys your parties share, and seal them to each of the others; or take "
    "theirs.",
    "check": "Name everything that is wrong with a table at once, before anything is made of it.",
    "match": "Match your ids with the other holders of your rows, without a key any of you could "
    "test with.",
    "audit": "Attack your own contribution before it leaves, and show what others would get.",
    "contribute": "Write the one file that leaves the house: your contribution, sealed to the "
    "analyst.",
    "ask": "Ask the analyst for the cluster, or the class, of rows that came after your "
    "contribution.",
    "approve": "Look at what an institution wants to send, and sign that it may leave.",
    "verify": "Check a bundle against its signed statement, and print what the statement says.",
    "export": "Write a bundle and its evidence as a Five Safes RO-Crate, or as results of ACRO.",
    "withdraw": "Write a signed message to the analyst that takes your contributions to a study "
    "back.",
    "rekey": "Make new keys for a role, and a signed statement that they follow the old ones.",
    "backup": "Write your identity and keys as one file that a passphrase opens, to keep "
    "elsewhere.",
    "resend": "Seal a file you sent before to its recipient again, who has other keys now.",
    "ledger": "Show what left, when and to whom: every entry of the ledger in your private folder.",
    "status": "List who has arrived, who is missing, and which files cannot be used and why.",
    "analyse": "Solve the study with the contributions that arrived, and write one answer per "
    "party.",
    "label": "Write the cluster, or the predicted class, of each of your rows beside its id.",
    "report": "Write what came out as one HTML page that loads nothing and opens offline.",
    "serve": "Keep the letter box of a study: roles put sealed files there and take those for "
    "them.",
    "join": "Take part in a study over a place that all roles reach, from the study to your "
    "labels.",
    "nvflare": "Write a job of NVFlare that carries the sealed files of a study between its sites.",
    "peer": "Find clusters together with the other peers of a study, exchanging labels and ranks "
    "only.",
    "show": "Print what a bundle says it holds: kind, study, sender, recipient, arrays and their "
    "sizes.",
    "stream": "Take part in a continual study: nothing ever starts again.",
    "compare": "Run all methods on one table of yours, and show what each finds and gives away.",
    "bench": "Regenerate the tables of a paper: published, ours and the gap for every cell.",
}
"""Each verb, with the first sentence of its help: the overview shows it without loading any."""


class Verbs(Mapping[str, Any]):
    """The commands by name; the file of a verb, and what it computes with, is loaded on use."""

    def __getitem__(self, name: str) -> Any:
        if name not in VERBS:
            raise KeyError(name)
        verb = getattr(import_module(f"consilience.cli.{name}"), name)
        alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        alone.command(name)(verb)
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class LazyGroup(TyperGroup):
    """A group whose commands are :class:`Verbs`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = Verbs()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the overview from the sentences of :data:`VERBS`."""
        overview = copy(self)
        overview.commands = {name: TyperCommand(name, help=line) for name, line in VERBS.items()}
        TyperGroup.format_help(overview, ctx, formatter)


app = typer.Typer(
    cls=LazyGroup,
    invoke_without_command=True,
    help="Find the clusters of data that must not be pooled, in one round of communication.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


@app.callback()
def overview(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Answer what is asked of no verb."""
    if version:
        typer.echo(f"consilience {consilience.__version__}")
        raise typer.Exit


EXIT_REFUSED = 2
EXIT_FAILED = 1
NO_SPACE = (
    " Nothing half-written was left. Make space, in --out and in your private folder (where rows "
    "of a large table lie meanwhile; analyse has --spill for them), and run it again."
)
MORE_MEMORY = " Nothing half-written was left. Close other programs or use a larger machine."
WAYS_OUT = {
    errno.ENOSPC: NO_SPACE,
    errno.EDQUOT: NO_SPACE,
    errno.EFBIG: NO_SPACE,
    errno.ENOMEM: MORE_MEMORY,
}
"""What to do about a failure of the machine."""


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
        _say("failed:", f"{error.strerror or error}{place}.{WAYS_OUT.get(error.errno or 0, '')}")
        sys.exit(EXIT_FAILED)
    except MemoryError:
        _say("failed:", f"this machine has too little memory for it.{MORE_MEMORY}")
        sys.exit(EXIT_FAILED)


def _say(what: str, why: str) -> None:
    errors.print(plain(what, "bold red"), plain(" ".join(why.split())), soft_wrap=True)

"""``consilience backup``: the secrets of a role as one file that a passphrase opens."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import tell, tell_next
from consilience.cli.shared.options import Private, Role, StudyFile, file_name, private_folder
from consilience.exceptions import StudyError
from consilience.study.backup import open_backup, seal_backup
from consilience.study.files import write_whole

__all__ = ["backup"]

MODE = 0o600


def backup(
    path: StudyFile,
    role: Role,
    private: Private = None,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="The file; by default ROLE.backup.age.")
    ] = None,
    restore: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Put the secrets of this back-up back."),
    ] = None,
) -> None:
    """Write your identity and keys as one file that a passphrase opens, to keep elsewhere.

    Asks for a passphrase; in a script it is the first line of standard input. Keep the file away
    from this machine and the passphrase away from both. The ledger is not in it: copy that, too, it
    is no secret. --restore puts the secrets back where they were; it overwrites nothing. The file
    is in the format of age, scrypt recipient.

    Example: `consilience backup study.toml --as hospital-a/clinical`
    """
    folder = private_folder(path, role, private)
    if restore is not None:
        names = open_backup(restore.read_bytes(), _ask(twice=False), folder)
        tell(f"put back into {folder.path}: {', '.join(names)}")
        return
    out = out or Path(f"{file_name(role)}.backup.age")
    sealed = seal_backup(folder, _ask(twice=True))
    with write_whole(out, MODE) as stream:
        stream.write(sealed)
    tell(f"wrote {out}")
    tell_next("keep it away from this machine, and the passphrase away from both")


def _ask(twice: bool) -> str:
    """Return the passphrase: asked for, or the first line of what is piped in."""
    if sys.stdin.isatty():
        said: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=twice, err=True)
    else:
        said = sys.stdin.readline().rstrip("\r\n")
    if not said:
        raise StudyError("no passphrase was given: type one, or put it into standard input.")
    return said

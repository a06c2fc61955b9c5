"""``consilience keygen``: an identity for one role."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.console import output, plain
from consilience.cli.options import Private, file_name, private_folder
from consilience.exceptions import StudyError
from consilience.study.files import finish, write_whole
from consilience.study.identity import Identity
from consilience.study.study import ANALYST, Study

__all__ = ["keygen"]

ROLE = re.compile(rf"{ANALYST}|[a-z0-9][a-z0-9_-]{{0,62}}/[a-z0-9][a-z0-9_-]{{0,62}}")


def keygen(
    name: Annotated[str, typer.Option(help="The role: row/column of a party, or analyst.")],
    study: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Study file to add the public keys to."),
    ] = None,
    private: Private = None,
) -> None:
    """Make the signing and sealing keys of one role.

    The secret half goes into the role's private folder, readable by its owner alone, and is never
    overwritten. The public half is printed and, with --study, added to the study file; otherwise
    send the printed lines to whoever keeps the study file.

    Example: `consilience keygen --name hospital-a/clinical --study study.toml`
    """
    if study is not None:
        terms = Study.load(study)
        if name not in (ANALYST, *terms.grid.parties):
            raise StudyError(f"{name!r} is no role of the study: {[ANALYST, *terms.grid.parties]}.")
        if name in terms.keys:
            raise StudyError(f"the study already has public keys of {name!r}.")
    elif not ROLE.fullmatch(name):
        raise StudyError(f"--name is {name!r}, must be row/column of a party, or {ANALYST}.")
    folder = private_folder(study or Path(file_name(name)), name, private)
    identity = Identity.new(name)
    public = identity.public
    block = f'\n[keys."{name}"]\nsign = "{public.sign}"\nseal = "{public.seal}"\n'
    if study is None:
        folder.write_identity(identity)
    else:
        text = study.read_text(encoding="utf-8").rstrip("\n") + "\n" + block
        Study.from_text(text, study.name)
        with write_whole(study) as stream:
            stream.write(text.encode())
            finish(stream)
            folder.write_identity(identity)
    output.print(plain(block.strip()), soft_wrap=True)

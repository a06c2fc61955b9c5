"""``consilience collect``: the public keys of all roles into the study, by one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import tell, tell_next, warn
from consilience.cli.shared.options import Private, StudyFile, private_folder
from consilience.evidence.check import read_statement
from consilience.exceptions import StudyError
from consilience.study.collection import MAX_PUBLIC_BYTES, add_public, add_successions
from consilience.study.files import write_whole
from consilience.study.locks import locked, study_lock
from consilience.study.study import ANALYST, Study
from consilience.study.succession import ENDING

__all__ = ["collect"]


def collect(
    path: StudyFile,
    files: Annotated[
        list[Path],
        typer.Argument(exists=True, dir_okay=False, help="What the roles sent you, *.public.toml."),
    ],
    role: Annotated[
        str | None,
        typer.Option(
            "--as", help="Your own role: its keys go in, too, made now if there are none."
        ),
    ] = None,
    private: Private = None,
) -> None:
    """Put the public keys that all roles sent you into the study file.

    Every role runs `consilience keygen --name ROLE` at home and sends ROLE.public.toml to whoever
    keeps the study file. Keys that are there already are passed over, so it can be run again as
    more arrive; keys that contradict each other are refused, all at once, and nothing is changed.
    Then read the fingerprints to their owners, by telephone, before you send the study around.
    If you have a role yourself, --as puts its keys in as `consilience keygen` would.

    ROLE.succession.json of a role that has new keys is put in, too, if it is signed by the old key
    or vouched for by more than half of the other roles; the digest of the study stays as it is.

    Example: `consilience collect study.toml *.public.toml --as analyst`
    """
    keys = {file.name: _read(file) for file in files if not file.name.endswith(ENDING)}
    followed = [read_statement(file) for file in files if file.name.endswith(ENDING)]
    if role is not None:
        if role != ANALYST:
            Study.load(path).check_party(role)
        identity = private_folder(path, role, private).identity_of(role)
        keys[f"your private folder, as {role}"] = identity.public_lines()
    with locked(study_lock(path)):
        text, added = add_public(path.read_text(encoding="utf-8"), keys)
        text, heirs = add_successions(text, followed)
        added += heirs
        study = Study.from_text(text, path.name)
        if added:
            with write_whole(path) as stream:
                stream.write(text.encode())
    tell(f"added to {path}: {', '.join(added) or 'nothing, all of it was there'}")
    shown = {name: study.public_keys(name).fingerprint for name in sorted(study.keys)}
    shown["the study"] = study.fingerprint
    for name, digits in shown.items():
        tell(f"{name:<{max(map(len, shown))}}  {digits}")
    analyst = [ANALYST] if study.method.senders_to(ANALYST, study) else []
    missing = [name for name in (*analyst, *study.grid.parties) if name not in study.keys]
    if missing:
        warn(f"keys are still missing of {', '.join(missing)}")
        return
    tell_next(f"read the fingerprints to their owners, and send everybody {path.name}")


def _read(file: Path) -> str:
    if file.stat().st_size > MAX_PUBLIC_BYTES:
        raise StudyError(f"{file.name} is larger than {MAX_PUBLIC_BYTES} bytes: no public keys.")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise StudyError(f"{file.name} is not a text file in UTF-8.") from None

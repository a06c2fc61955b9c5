"""``consilience keygen``: an identity for one role."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import tell, tell_next, warn
from consilience.cli.shared.options import Private, file_name, private_folder
from consilience.consensus.terms import Peers
from consilience.exceptions import StudyError
from consilience.study.collection import add_public
from consilience.study.files import write_whole
from consilience.study.identity import Identity
from consilience.study.locks import locked, study_lock
from consilience.study.participant import Participant
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study

__all__ = ["keygen"]

NAME = r"[a-z0-9][a-z0-9_-]{0,62}"
ROLE, PERSON = re.compile(rf"{ANALYST}|{NAME}/{NAME}"), re.compile(NAME)


def keygen(
    name: Annotated[str, typer.Option(help="The role: row/column of a party, or analyst.")],
    path: Annotated[
        Path | None,
        typer.Option(
            "--study", exists=True, dir_okay=False, help="Study file to add the public keys to."
        ),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(help="Where peers reach you, tcp://HOST:PORT; goes into the study, too."),
    ] = None,
    approves: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE", help="You approve what this party sends; --name is your own name."
        ),
    ] = None,
    private: Private = None,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="Without --study: where the public file goes.")
    ] = Path("."),
) -> None:
    """Make the signing and sealing keys of one role.

    The secret half goes into the role's private folder, readable by its owner alone, and is never
    overwritten. The public half is printed and, with --study, added to the study file; otherwise
    it is written to ROLE.public.toml: send that to whoever keeps the study file, who puts all of
    them in by `consilience collect`. Read the fingerprint to each other by telephone.

    Peers that meet over a network add their --endpoint; it can be added later, to the keys that
    are there. Who approves what a party sends makes keys with --approves. Run again, it prints the
    public half of the keys that are there, and adds what the study lacks.

    Example: `consilience keygen --name hospital-a/clinical`
    """
    folder = private_folder(path or Path(file_name(name)), name, private)
    if path is None:
        block = _public(name, endpoint, approves, folder)
        public = out / f"{file_name(name)}.public.toml"
        with write_whole(public) as stream:
            stream.write(block.encode())
        warn(f"wrote {public}")
    elif approves is not None:
        block = _public(name, endpoint, approves, folder)
        with locked(study_lock(path)):
            text, _ = add_public(path.read_text(encoding="utf-8"), {"the new keys": block})
            with write_whole(path) as stream:
                stream.write(text.encode())
    else:
        _check_role(Study.load(path), name, endpoint)
        with locked(study_lock(path)):
            block = _add_to(path, name, endpoint, folder)
    tell(block.strip())
    tell_next(
        f"send {file_name(name)}.public.toml to whoever keeps the study file"
        if path is None
        else f"when all roles have keys in it, send everybody {path.name}, the same to all"
    )


def _public(name: str, endpoint: str | None, approves: str | None, folder: PrivateFolder) -> str:
    """Return the public lines of a role, or of a person who approves; new keys if none are there.

    Run again it returns the same lines.
    """
    if approves is None and not ROLE.fullmatch(name):
        raise StudyError(f"--name is {name!r}, must be row/column of a party, or {ANALYST}.")
    if approves is not None and not (PERSON.fullmatch(name) and ROLE.fullmatch(approves)):
        raise StudyError(
            f"--name is {name!r} and --approves {approves!r}, must be a name of small letters and "
            f"digits, and the row/column of a party."
        )
    identity = folder.identity_of(name)
    lines = identity.public_lines(f'approvers."{approves}"' if approves else "keys")
    if endpoint is not None:
        from consilience.consensus.network import show_place

        lines += "\n" + show_place(identity, endpoint)
    return lines


def _check_role(study: Study, name: str, endpoint: str | None) -> None:
    if name not in (ANALYST, *study.grid.parties):
        raise StudyError(f"{name!r} is no role of the study: {[ANALYST, *study.grid.parties]}.")
    if endpoint is not None and not isinstance(study.method, Peers):
        raise StudyError("--endpoint is for studies of peers: init --for peers.")


def _add_to(path: Path, name: str, endpoint: str | None, folder: PrivateFolder) -> str:
    """Add keys and place of a role to a study file, where it lacks them; return their lines."""
    study = Study.load(path)
    if name in study.keys:
        # Refused if the study has other keys of the role than the private folder.
        identity = Participant(study, name, folder).identity
    else:
        # The secret half first: what others are told can then be used.
        identity = folder.identity_of(name)
    block = identity.public_lines()
    added = "" if name in study.keys else block
    if endpoint is not None:
        place = _place_lines(study, identity, endpoint)
        block += place
        added += "" if name in study.of(Peers).consensus.places else place
    if added:
        text = path.read_text(encoding="utf-8").rstrip("\n") + "\n" + added
        Study.from_text(text, path.name)
        with write_whole(path) as stream:
            stream.write(text.encode())
    return block


def _place_lines(study: Study, identity: Identity, endpoint: str) -> str:
    """Return the lines of the place of a peer; refuse another one than the study has."""
    # Peers bring clusterers with them, which take a while to load; most keys need none.
    from consilience.consensus.network import show_place

    known = study.of(Peers).consensus.places.get(identity.name)
    if known is not None and known.endpoint != endpoint:
        raise StudyError(f"the study already has a place of {identity.name!r}: {known.endpoint}.")
    return "\n" + show_place(identity, endpoint)

"""``consilience rekey``: new keys for a role, and nobody contributes again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import tell
from consilience.cli.shared.options import Private, Role, StudyFile, file_name, participant
from consilience.study.files import write_whole
from consilience.study.identity import Identity
from consilience.study.succession import ENDING, state_succession

__all__ = ["rekey"]


def rekey(
    path: StudyFile,
    role: Role,
    lost: Annotated[
        bool, typer.Option("--lost", help="The old key is lost: the other roles vouch for you.")
    ] = False,
    private: Private = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write the file.")] = Path(
        "."
    ),
) -> None:
    """Make new keys for a role, and a signed statement that they follow the old ones.

    The study keeps its digest: contributions that were sent stay valid, and nobody sends anything
    again. Send ROLE.succession.json to whoever keeps the study file, who adds it by `consilience
    collect`. With --lost, more than half of the other roles sign it first, by `consilience
    approve`: call them and compare the new fingerprint. What the old key signed counts as far as
    your ledger lists it; nothing new can be signed with it.

    Example: `consilience rekey study.toml --as hospital-a/clinical`
    """
    me = participant(path, role, private)
    old = me.study.public_keys(me.name)
    by = None if lost else me.identity
    new = Identity.new(me.name)
    if lost and not me.folder.has_identity:
        me.folder.write_identity(new)
    else:
        me.folder.write_next_identity(new)
    kept = me.folder.ledger.sent(me.study.digest)
    envelope = state_succession(me.study.digest, me.name, old, new, kept, by)
    target = out / f"{file_name(me.name)}{ENDING}"
    with write_whole(target) as stream:
        stream.write(f"{envelope.to_text()}\n".encode())
    tell(f"wrote {target}: send it to whoever keeps the study file")
    tell(f"new fingerprint of {me.name}: {new.public.fingerprint}")
    missing = me.study.heirs.lacking(envelope)
    if missing:
        tell(f"{missing} of the other roles have to vouch for it first, by `consilience approve`")

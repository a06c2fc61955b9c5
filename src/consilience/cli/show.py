"""``consilience show``: what is in a bundle, without secrets and without values."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from consilience.cli.shared.console import output, plain
from consilience.cli.shared.options import Private, Role, StudyFile, participant
from consilience.evidence.tells import TELLS
from consilience.study.study import Study
from consilience.transports.bundle import CONTEXT, open_bundle

__all__ = ["show"]


def show(
    path: StudyFile,
    bundle: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The file.")],
    role: Role,
    private: Private = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
) -> None:
    """Print what a bundle says it holds: kind, study, sender, recipient, arrays and their sizes.

    A bundle is sealed to its recipient and to its sender; either can look into it.

    Example: `consilience show study.toml hospital-a.clinical.contribution
    --as hospital-a/clinical`
    """
    study = Study.load(path)
    identity = participant(path, role, private).identity
    manifest, head, signature = open_bundle(bundle, identity)
    known = manifest.sender in study.keys
    signers = study.heirs.signers(manifest.sender, manifest.digest) if known else []
    signed = any(keys.verify(signature, CONTEXT + head) for keys in signers)
    if as_json:
        fields = dataclasses.asdict(manifest)
        del fields["terms"]
        output.print_json(json.dumps({**fields, "signature_valid": signed}), ensure_ascii=True)
        return
    table = Table(title=plain(bundle.name), show_header=False)
    table.add_row("kind", manifest.kind)
    table.add_row("purpose", plain(manifest.purpose))
    signature_says = "signature valid" if signed else "NOT SIGNED"
    table.add_row("from", plain(f"{manifest.sender} ({signature_says})"))
    table.add_row("to", plain(manifest.recipient))
    same = "this study" if manifest.study == study.digest else "ANOTHER STUDY"
    table.add_row("study", plain(f"{manifest.study[:12]} ({same})"))
    for name in manifest.fields:
        table.add_row("field", plain(name))
    for member in manifest.members:
        size = " x ".join(map(str, member.shape))
        what = f"{member.name}: {size} {member.dtype}, {member.n_bytes:,} bytes"
        tells = TELLS.get(manifest.kind, {}).get(member.name, "no array of such a message")
        table.add_row("array", plain(f"{what}; {tells}"))
    output.print(table)

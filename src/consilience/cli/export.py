"""``consilience export``: evidence in the forms that research environments exchange."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from consilience.cli.shared.console import tell
from consilience.cli.shared.options import StudyFile
from consilience.evidence.acro import export_acro
from consilience.evidence.check import (
    check_bundle,
    check_statement,
    read_statement,
    statement_of,
)
from consilience.evidence.crate import export_crate
from consilience.study.study import Study

__all__ = ["export"]


def export(
    path: StudyFile,
    bundle: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The sealed file.")],
    out: Annotated[Path, typer.Option(help="The folder to be; it must not exist.")],
    form: Annotated[
        Literal["crate", "acro"],
        typer.Option("--form", help="A Five Safes RO-Crate in a bag, or ACRO results."),
    ] = "crate",
) -> None:
    """Write a bundle and its evidence as a Five Safes RO-Crate, or as results of ACRO.

    Both hold the sealed file, its statement and what the audit found against the limit of the
    study. A crate is a BagIt bag with SHA-512 sums that `bagit` validates and `rocrate` reads; its
    DisclosureCheck names who approved. ACRO results open in ACRO's viewer.

    Example: `consilience export study.toml hospital-a.clinical.contribution --out crate/`
    """
    file = statement_of(bundle)
    checked = check_statement(read_statement(file), Study.load(path), file.name)
    check_bundle(bundle, checked)
    if form == "crate":
        export_crate(bundle, path, checked, out)
    else:
        export_acro(bundle, checked, out)
    tell(f"wrote {out}")

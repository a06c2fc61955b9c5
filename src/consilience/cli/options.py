"""Options that several verbs share, and what they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

__all__ = [
    "Data",
    "IdColumn",
    "Private",
    "Role",
    "StudyFile",
    "file_name",
    "private_folder",
    "read_identity",
]

StudyFile = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, help="The study file, study.toml.")
]
Role = Annotated[
    str, typer.Option("--as", help="Who you are in the study, such as hospital-a/clinical.")
]
Data = Annotated[
    Path, typer.Option(exists=True, dir_okay=False, help="Your table, CSV or Parquet.")
]
IdColumn = Annotated[str, typer.Option("--id", help="The column that holds the row ids.")]
Private = Annotated[
    Path | None,
    typer.Option(
        file_okay=False,
        help="Your private folder; by default private/ROLE beside the study file.",
    ),
]


def private_folder(study: Path, role: str, given: Path | None) -> PrivateFolder:
    """Return the private folder of a role: the one given, or the usual one beside the study."""
    return PrivateFolder(given or study.parent / "private" / file_name(role))


def read_identity(study: Study, folder: PrivateFolder, role: str) -> Identity:
    """Read the identity of a role and see that it is the one the others know."""
    identity = folder.read_identity(role)
    if study.public_keys(role) != identity.public:
        raise StudyError(
            f"the study has other public keys of {role!r} than your private folder. Add yours "
            f"with `consilience keygen`, or use the right folder."
        )
    return identity


def file_name(role: str) -> str:
    """Return a role's name as it may stand in a file name."""
    return role.replace("/", ".")

"""Options that several verbs share, and what they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

if TYPE_CHECKING:
    from consilience.collaboration.learning.public_rows import PublicRows

__all__ = [
    "Data",
    "IdColumn",
    "Private",
    "Report",
    "Role",
    "Splits",
    "StudyFile",
    "check_target",
    "column_keys",
    "file_name",
    "private_folder",
    "public_rows",
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
Report = Annotated[
    Path | None, typer.Option(dir_okay=False, help="Also write the report here, as HTML.")
]

Splits = Annotated[
    int, typer.Option(min=1, help="Most branches of your readable model, a decision tree.")
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


def check_target(option: str, target: Path | None, *sources: Path | None) -> None:
    """Refuse to write over a file that was given to read."""
    for source in sources:
        if target and source and target.exists() and target.samefile(source):
            raise StudyError(
                f"{option} is {target}, which was also given to read. Choose another name."
            )


def file_name(role: str) -> str:
    """Return a role's name as it may stand in a file name."""
    return role.replace("/", ".")


def column_keys(folder: PrivateFolder, study: Study, role: str) -> dict[str, bytes]:
    """Return the column keys a party needs: its own, or all where the study explains in all.

    Keys of other column groups stand in the private folder as ``column-NAME.key``: copies of the
    ``column.key`` of a party of that group.
    """
    own = role.partition("/")[2]
    keys = {own: folder.read_key("column")}
    needs_all = study.learning is not None and study.learning.explain == "all"
    if needs_all and study.anchor.kind != "smote":
        for column in study.grid.columns:
            if column != own:
                keys[column] = folder.read_key(f"column-{column}")
    return keys


def public_rows(path: Path, study: Study, folder: PrivateFolder) -> PublicRows | None:
    """Return the public rows of a study with a SMOTE anchor, which stand beside the study file."""
    if study.anchor.public is None:
        return None
    # Loaded here, so that verbs without public rows do without all that collaboration needs.
    from consilience.collaboration.learning.public_rows import read_public_rows

    return read_public_rows(path.parent / study.anchor.public, study, folder.read_key("common"))

"""Options that several verbs share, and what they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.exceptions import StudyError
from consilience.study.participant import Participant
from consilience.study.secrets import PrivateFolder, holds_secrets
from consilience.study.study import Study

__all__ = [
    "MAX_SPLITS",
    "Accept",
    "Anew",
    "By",
    "DryJson",
    "DryRun",
    "Keys",
    "Out",
    "Private",
    "Report",
    "Role",
    "Splits",
    "StudyFile",
    "Yes",
    "check_output",
    "file_name",
    "output_file",
    "output_folder",
    "participant",
    "private_folder",
]

MAX_SPLITS = 5
StudyFile = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY", exists=True, dir_okay=False, help="The study file, study.toml."
    ),
]
Role = Annotated[
    str, typer.Option("--as", help="Who you are in the study, such as hospital-a/clinical.")
]
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
Out = Annotated[
    Path,
    typer.Option(help="Where to write: a folder, or the name of the file where it is one file."),
]
Splits = Annotated[
    int, typer.Option(min=1, help="Most branches of your readable model, a decision tree.")
]
Accept = Annotated[
    bool,
    typer.Option(
        "--accept", help="Rely on this study from now on, though another one was pinned here."
    ),
]
Anew = Annotated[
    bool, typer.Option("--anew", help="Give up what waits for approval, and begin again.")
]
By = Annotated[
    str | None, typer.Option(metavar="NAME", help="Who agrees that it leaves, for the ledger.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would leave, and write nothing.")
]
DryJson = Annotated[bool, typer.Option("--json", help="With --dry-run: print JSON.")]
Keys = Annotated[
    list[Path] | None,
    typer.Option(
        exists=True, dir_okay=False, help="A key that another party shared with you; repeatable."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")]


FILES = (".csv", ".parquet", ".html", ".gz")
"""Endings by which a name is that of a file."""


def participant(path: Path, role: str, private: Path | None) -> Participant:
    """Load the study and take the place of a role in it."""
    return Participant(Study.load(path), role, private_folder(path, role, private), path.parent)


def private_folder(path: Path, role: str, given: Path | None) -> PrivateFolder:
    """Return the private folder of a role: the one given, or the usual one beside the study."""
    return PrivateFolder(given or path.parent / "private" / file_name(role))


def check_output(option: str, target: Path | None, *sources: Path | None) -> None:
    """Refuse to write over a file that was given to read, or among secrets and ledgers.

    Parameters
    ----------
    option : str
        As the person knows it.
    target : Path, optional
        A file to write, or a folder to write into.
    *sources : Path
        What was given to read, and what else is written.
    """
    if target is None:
        return
    for source in filter(None, sources):
        both = target.exists() and source.exists()
        if target == source or (both and target.samefile(source)):
            raise StudyError(
                f"{option} is {target}, which was also given to read. Choose another name."
            )
    place = target.resolve()
    if any(holds_secrets(folder) for folder in (place, place.parent)):
        raise StudyError(
            f"{option} is {target}, in a private folder, where nothing but secrets and the ledger "
            f"belongs. Choose another place."
        )


def output_folder(out: Path) -> Path:
    """Return the folder that several files go into; refuse the name of one file."""
    if _is_file(out):
        raise StudyError(
            f"--out is {out}, must be a folder: this command chooses the names of the files."
        )
    return out


def output_file(out: Path, name: str) -> Path:
    """Return the file that was named, or one of the usual name in the folder that was.

    Examples
    --------
    >>> output_file(Path("results"), "labels.csv").as_posix()
    'results/labels.csv'
    >>> output_file(Path("mine.parquet"), "labels.csv").as_posix()
    'mine.parquet'
    """
    return out if _is_file(out) else out / name


def _is_file(out: Path) -> bool:
    return out.is_file() or (out.suffix in FILES and not out.is_dir())


def file_name(role: str) -> str:
    """Return a role's name as it may stand in a file name."""
    return role.replace("/", ".")

"""``consilience stream``: windows of rows in, nodes out; nodes in, the lasting clustering out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table

from consilience.cli.console import errors, output
from consilience.cli.options import Private, Role, StudyFile, file_name, private_folder
from consilience.continual.copies import count_copies
from consilience.continual.party import Party
from consilience.continual.storage import load_state, save_state
from consilience.continual.terms import analyst_of, party_of, stream_of
from consilience.continual.units import Units
from consilience.exceptions import BundleError, StudyError
from consilience.messages import ClusterUpdate, NodeUpdate
from consilience.study.files import write_whole
from consilience.study.schema import Encoded
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.study.tables import read_table, write_table
from consilience.transports.bundle import describe, read_bundle, write_bundle

__all__ = ["stream"]

STATE = "stream.state"


def stream(
    study: StudyFile,
    role: Role,
    files: Annotated[
        list[Path] | None,
        typer.Argument(exists=True, dir_okay=False, help="Analyst: nodes. Party: its answer."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Party: the rows.")
    ] = None,
    id_column: Annotated[str, typer.Option("--id", help="Party: the column of the ids.")] = "id",
    window: Annotated[
        int | None, typer.Option(min=0, help="Party: number of the window, from 0.")
    ] = None,
    private: Private = None,
    out: Annotated[Path, typer.Option(help="Folder for nodes and answers, or labels.csv.")] = Path(
        "."
    ),
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
) -> None:
    """Take part in a continual study: nothing ever starts again.

    A party learns a window of rows and writes the nodes that are new or have moved; run again after
    a crash, it writes the same file and counts nothing twice. The analyst merges the nodes that
    arrived into the lasting network and writes one answer per party. A party with an answer writes
    the cluster of each row of --data.

    Example: `consilience stream study.toml --as clinic/all --data week0.csv --id id --window 0`
    """
    terms = Study.load(study)
    stream_of(terms)
    folder = private_folder(study, role, private)
    if role == ANALYST:
        _merge(terms, folder, files or [], out)
    elif files:
        _label(terms, role, folder, files, data, id_column, out)
    else:
        _send(terms, role, folder, data, id_column, window, out, yes)


def _party(terms: Study, role: str, folder: PrivateFolder) -> Party:
    party = party_of(terms, role)
    if (folder.path / STATE).exists():
        party.restore(load_state(folder.path / STATE, "continual party", terms.digest))
    return party


def _read(terms: Study, data: Path | None, id_column: str) -> tuple[pd.Series, Encoded]:
    if data is None:
        raise StudyError("no rows were given: name the table of the window with --data.")
    schema = terms.schema_of(terms.grid.columns[0])
    ids, table = read_table(data, schema, id_column)
    return ids, schema.encode(table)


def _send(
    terms: Study,
    role: str,
    folder: PrivateFolder,
    data: Path | None,
    id_column: str,
    window: int | None,
    out: Path,
    yes: bool,
) -> None:
    if window is None:
        raise StudyError("no --window was given: its number keeps rows from counting twice.")
    identity = folder.read_identity(role)
    party = _party(terms, role, folder)
    X = _read(terms, data, id_column)[1].matrix
    (message,) = party.begin(X, window)
    assert isinstance(message, NodeUpdate)
    manifest = describe(message, terms, f"window {window} of the study {terms.name!r}")
    lower, upper = terms.schema_of(terms.grid.columns[0]).bounds
    scaled = Units(lower, upper).scale(X) if party.network.profile.scale else X
    output.print(_summary(terms, party, message, count_copies(message.nodes, scaled)))
    if not yes and not typer.confirm("Write these nodes?", default=False, err=True):
        raise StudyError("nothing was written: you did not agree.")
    path = out / f"{file_name(role)}.{window}.nodes"
    # The state first: if the file is lost, the same command writes the same file again.
    save_state(folder.path / STATE, "continual party", party.state(), terms.digest)
    folder.ledger.add(
        "window",
        window=window,
        to=message.recipient,
        study=terms.digest,
        file=path.name,
        nodes=len(message.nodes),
        spent=party.budget.spent,
        members={member.name: member.sha256 for member in manifest.members},
    )
    write_bundle(path, message, manifest, study=terms, identity=identity)
    output.print(f"wrote {path}", highlight=False)


def _summary(terms: Study, party: Party, message: NodeUpdate, copies: int) -> Table:
    """Tabulate what leaves, in black and white."""
    epsilon = stream_of(terms).epsilon
    table = Table(title=f"What would leave {message.sender} for {message.recipient}")
    table.add_column("what", no_wrap=True)
    table.add_column("how much")
    table.add_row("nodes, new or moved", f"{len(message.nodes)}, with how many rows each won")
    table.add_row("of these, equal to a row", f"{copies} of {len(message.nodes)}")
    if epsilon is None:
        table.add_row("noise", "none: the study asks for none, no privacy is claimed")
    else:
        noise = message.nodes.shape[1] / epsilon
        table.add_row("noise on every value", f"{noise:.0%} of the range of its column (Laplace)")
        limit = "no limit" if party.budget.limit is None else f"{party.budget.limit:g}"
        table.add_row("spent per record", f"epsilon {party.budget.spent:g} of {limit}")
        if noise > 0.2:
            table.add_row("expect", "little: docs/bench-fcac.md has what is left at this noise")
    return table


def _merge(terms: Study, folder: PrivateFolder, files: list[Path], out: Path) -> None:
    identity = folder.read_identity(ANALYST)
    analyst = analyst_of(terms)
    if (folder.path / STATE).exists():
        analyst.restore(load_state(folder.path / STATE, "continual analyst", terms.digest))
    for path in files:
        message = read_bundle(path, study=terms, identity=identity)
        if not isinstance(message, NodeUpdate):
            raise BundleError(f"{path.name} holds a {type(message).__name__}, no nodes.")
        analyst.receive(message)
    # Files that were merged before are recognised; the answers are then written once more.
    answers = analyst.solve() if analyst.waiting else analyst.answers()
    save_state(folder.path / STATE, "continual analyst", analyst.state(), terms.digest)
    for answer in answers:
        manifest = describe(answer, terms, f"clusters of the study {terms.name!r}")
        path = out / f"{file_name(answer.recipient)}.clusters"
        write_bundle(path, answer, manifest, study=terms, identity=identity)
    found = (
        f"round {analyst.rounds}: {analyst.n_clusters} clusters, {analyst.network.n_nodes} nodes"
    )
    news = analyst.succession
    counts = (len(news.births), len(news.splits), len(news.merges), len(news.deaths))
    output.print(found, "births {}, splits {}, merges {}, deaths {}".format(*counts), sep="; ")
    output.print(f"wrote {len(answers)} answers in {out}", highlight=False)


def _label(
    terms: Study,
    role: str,
    folder: PrivateFolder,
    files: list[Path],
    data: Path | None,
    id_column: str,
    out: Path,
) -> None:
    party = _party(terms, role, folder)
    for path in files:
        message = read_bundle(path, study=terms, identity=folder.read_identity(role))
        if not isinstance(message, ClusterUpdate):
            raise BundleError(f"{path.name} holds a {type(message).__name__}, no clusters.")
        party.receive(message)
    ids, rows = _read(terms, data, id_column)
    labels = party.label(rows.matrix)
    table = pd.DataFrame({"id": ids.iloc[rows.kept].to_numpy(), "cluster": labels})
    target = out / "labels.csv" if out.is_dir() else out
    with write_whole(target) as stream_:
        stream_.write(write_table(table, target))
    if len(rows.kept) < len(ids):
        errors.print(f"{len(ids) - len(rows.kept)} rows have a missing value and no cluster.")
    output.print(f"wrote {len(table)} rows to {target}", highlight=False)

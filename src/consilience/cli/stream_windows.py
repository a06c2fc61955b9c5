"""A party of a continual study by files: a window in, nodes out; an answer in, labels out."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import typer
from rich.table import Table

from consilience.cli.console import errors, output
from consilience.cli.options import check_target, file_name
from consilience.cli.stream_expectation import show_expectation
from consilience.continual.copies import count_copies
from consilience.continual.party import Party
from consilience.continual.storage import load_state, save_state
from consilience.continual.terms import party_of, stream_of
from consilience.continual.units import Units
from consilience.exceptions import BundleError, StudyError
from consilience.messages import ClusterUpdate, NodeUpdate
from consilience.report.continual import stream_party_page
from consilience.report.page import write_page
from consilience.study.files import write_whole
from consilience.study.schema import Encoded
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study
from consilience.study.tables import read_table, write_table
from consilience.transports.bundle import describe, read_bundle, write_bundle

__all__ = ["STATE", "label_rows", "send_window"]

STATE = "stream.state"
"""The file in a private folder that lasts from window to window."""


def send_window(
    terms: Study,
    role: str,
    folder: PrivateFolder,
    data: Path,
    id_column: str,
    window: int,
    out: Path,
    report: Path | None,
    *,
    agreed: bool,
) -> None:
    """Learn a window, show what would leave and write it once the user agrees."""
    check_target("--report", report, data)
    identity = folder.read_identity(role)
    party = _party(terms, role, folder)
    X = _read(terms, data, id_column)[1].matrix
    (message,) = party.begin(X, window)
    assert isinstance(message, NodeUpdate)
    manifest = describe(message, terms, f"window {window} of the study {terms.name!r}")
    lower, upper = terms.schema_of(terms.grid.columns[0]).bounds
    scaled = Units(lower, upper).scale(X) if party.network.profile.scale else X
    copies = count_copies(message.nodes, scaled)
    output.print(_summary(terms, party, message, copies))
    epsilon = stream_of(terms).epsilon
    if epsilon is not None:
        output.print(show_expectation(epsilon, message.nodes.shape[1]))
    if not agreed and not typer.confirm("Write these nodes?", default=False, err=True):
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
    if report is not None:
        write_page(stream_party_page(terms, party, sent=(len(message.nodes), copies)), report)
    output.print(f"wrote {path}", highlight=False)


def label_rows(
    terms: Study,
    role: str,
    folder: PrivateFolder,
    files: list[Path],
    data: Path,
    id_column: str,
    out: Path,
    report: Path | None,
) -> None:
    """Write the cluster of each row, found from the analyst's answer."""
    check_target("--report", report, data, *files)
    party = _party(terms, role, folder)
    for path in files:
        message, _ = read_bundle(path, study=terms, identity=folder.read_identity(role))
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
    if report is not None:
        write_page(stream_party_page(terms, party, labels=labels), report)
    output.print(f"wrote {len(table)} rows to {target}", highlight=False)


def _party(terms: Study, role: str, folder: PrivateFolder) -> Party:
    party = party_of(terms, role)
    if (folder.path / STATE).exists():
        party.restore(load_state(folder.path / STATE, "continual party", terms.digest))
    return party


def _read(terms: Study, data: Path, id_column: str) -> tuple[pd.Series, Encoded]:
    schema = terms.schema_of(terms.grid.columns[0])
    ids, table = read_table(data, schema, id_column)
    return ids, schema.encode(table)


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
    return table

"""``consilience peer``: agree with the other peers of a study, and nobody in charge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.console import errors, output
from consilience.cli.options import (
    Data,
    IdColumn,
    Private,
    Role,
    StudyFile,
    private_folder,
    read_identity,
)
from consilience.consensus.bases import BaseName, named_base, read_settings
from consilience.consensus.local_step import LocalStep
from consilience.consensus.meeting import curve_seed, meet_over_network
from consilience.consensus.participation import Scale, label_peer_rows, make_peer
from consilience.consensus.rounds import play_round
from consilience.study.files import write_whole
from consilience.study.keys import derive_key
from consilience.study.study import Study
from consilience.study.tables import write_table

__all__ = ["peer"]


def peer(
    study: StudyFile,
    role: Role,
    data: Data,
    id_column: IdColumn,
    private: Private = None,
    base: Annotated[BaseName, typer.Option(help="How you cluster your columns.")] = "kmeans",
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the base, such as n_clusters=5 or eps=0.5."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Repetitions of the local step.")] = 1,
    fraction: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of your columns in each repetition.")
    ] = 1.0,
    scale: Annotated[Scale, typer.Option(help="Units of your columns.")] = "standard",
    listen: Annotated[
        str | None, typer.Option(help="Where to listen, if not at your place in the study.")
    ] = None,
    files: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Exchange bundles in this folder, without a network."),
    ] = None,
    absent: Annotated[
        bool,
        typer.Option(
            "--absent", help="With --files: do what the study says about those you wait for."
        ),
    ] = False,
    out: Annotated[Path, typer.Option(help="Where your labels go, CSV or Parquet.")] = Path(
        "labels.csv"
    ),
    report: Annotated[
        Path | None, typer.Option(help="Write a page about the outcome, HTML.")
    ] = None,
) -> None:
    """Find clusters together with the other peers of a study, exchanging labels and ranks only.

    Over a network every peer starts this command and it ends with the labels of your rows. A peer
    that was stopped goes on from its checkpoint when started again. With --files, run it again
    whenever new bundles have arrived, until it says that the peers agree. Where the study says
    "go on without", those who are there drop a peer that never comes by --absent, each of them.

    Example: `consilience peer study.toml --as people/insurer --data insurer.csv --id person
    --set n_clusters=5`
    """
    terms = Study.load(study)
    folder = private_folder(study, role, private)
    identity = read_identity(terms, folder, role)
    step = LocalStep(
        named_base(base).set_params(**read_settings(setting or [])),
        n_repeats=repeats,
        feature_fraction=fraction,
    )
    made, rows = make_peer(
        terms,
        role,
        data,
        id_column,
        folder.read_key("row"),
        step,
        scale=scale,
        secret=derive_key(identity.signing.private_bytes_raw(), f"consensus {terms.digest}"),
    )
    for note in rows.notes:
        _note(note)
    if files is not None:
        written, refused = play_round(made, files, study=terms, identity=identity, give_up=absent)
        sent = {path.name: path.stat().st_size for path in written}
        for line in (*made.log, *(f"refused: {reason}" for reason in refused)):
            _note(line)
    else:
        sent = meet_over_network(
            terms, made, curve_seed(identity), listen=listen, folder=folder.path, tell=_say
        ).sent
        _say(f"sent {sum(sent.values()):,} bytes: {sent}")
    without = sorted(set(made.terms.peers) - set(made.members))
    if sent:
        folder.ledger.add(
            "consensus", study=terms.digest, rows=len(rows.kept), sent=sent, without=without
        )
    if not made.done:
        _say(f"wrote {len(sent)} bundles; waiting for {', '.join(made.waiting_for)}")
        return
    with write_whole(out) as stream:
        stream.write(write_table(label_peer_rows(made, rows), out))
    if report is not None:
        # Pictures take a while to load, and most runs have none.
        from consilience.consensus.page import peer_page
        from consilience.report.page import write_page

        page = peer_page(
            terms,
            role,
            made.hierarchy,
            n_rows=len(rows.kept),
            log=made.log,
            sent={} if files else sent,
        )
        write_page(page, report)
    output.print(f"the peers agree; wrote {out}", highlight=False)


def _say(line: str) -> None:
    errors.print(line, highlight=False, markup=False)


def _note(line: str) -> None:
    errors.print(line, style="yellow", highlight=False, markup=False)

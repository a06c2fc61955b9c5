"""``consilience peer``: agree with the other peers of a study, and nobody in charge."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.console import errors, output
from consilience.cli.options import Private, Role, StudyFile, private_folder
from consilience.consensus.bases import named_base
from consilience.consensus.local_step import LocalStep
from consilience.consensus.participation import (
    consensus_of,
    label_peer_rows,
    make_peer,
)
from consilience.consensus.peer import Peer
from consilience.exceptions import StudyError
from consilience.report.consensus import peer_page
from consilience.report.page import write_page
from consilience.study.files import write_whole
from consilience.study.keys import derive_key
from consilience.study.study import Study
from consilience.study.tables import write_table
from consilience.transports.peers import Address, Traffic, curve_keys, run_peer
from consilience.transports.rounds import play_round

__all__ = ["peer"]


class Base(StrEnum):
    """The clusterers that go by a name."""

    kmeans = "kmeans"
    dbscan = "dbscan"
    hdbscan = "hdbscan"
    kernel_kmeans = "kernel-kmeans"
    sc_srgf = "sc-srgf"
    agglomerative = "agglomerative"


class Units(StrEnum):
    """What a peer may do to the units of its columns."""

    standard = "standard"
    bounds = "bounds"
    none = "none"


def peer(
    study: StudyFile,
    role: Role,
    data: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Your table, CSV or Parquet.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="The column that holds the row ids.")
    ] = None,
    private: Private = None,
    base: Annotated[Base, typer.Option(help="How you cluster your columns.")] = Base.kmeans,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the base, such as n_clusters=5 or eps=0.5."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Repetitions of the local step.")] = 1,
    fraction: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of your columns in each repetition.")
    ] = 1.0,
    scale: Annotated[Units, typer.Option(help="Units of your columns.")] = Units.standard,
    listen: Annotated[
        str | None, typer.Option(help="Where to listen, if not at your place in the study.")
    ] = None,
    files: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Exchange bundles in this folder, without a network."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Where your labels go, CSV or Parquet.")] = Path(
        "labels.csv"
    ),
    report: Annotated[
        Path | None, typer.Option(help="Write a page about the outcome, HTML.")
    ] = None,
    show_key: Annotated[
        bool, typer.Option("--show-key", help="Print your place for the study file, and end.")
    ] = False,
) -> None:
    """Find clusters together with the other peers of a study, exchanging labels and ranks only.

    Over a network every peer starts this command and it ends with the labels of your rows. A peer
    that was stopped goes on from its checkpoint when started again. With --files, run it again
    whenever new bundles have arrived, until it says that the peers agree.

    Example: `consilience peer study.toml --as people/insurer --data insurer.csv --id person
    --set n_clusters=5`
    """
    terms = Study.load(study)
    folder = private_folder(study, role, private)
    identity = folder.read_identity(role)
    seed = identity.signing.private_bytes_raw()
    if show_key:
        public, _ = curve_keys(derive_key(seed, "curve"))
        lines = f'[consensus.places."{role}"]\nendpoint = "tcp://HOST:7700"\ncurve = "{public}"'
        output.print(lines, markup=False, highlight=False, soft_wrap=True)
        return
    if data is None or id_column is None:
        raise StudyError("name your table with --data and its column of row ids with --id.")
    step = LocalStep(
        named_base(base.value).set_params(**_settings(setting or [])),
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
        scale=scale.value,
        secret=derive_key(seed, f"consensus {terms.digest}"),
    )
    for note in rows.notes:
        errors.print(note, style="yellow", highlight=False)
    sent: dict[str, int] = {}
    if files is not None:
        written, refused = play_round(made, files, study=terms, identity=identity)
        for line in refused:
            errors.print(f"refused: {line}", style="yellow", highlight=False)
        if not made.done:
            names = ", ".join(made.waiting_for)
            errors.print(f"wrote {len(written)} bundles; waiting for {names}", highlight=False)
            return
    else:
        sent = _over_network(terms, made, derive_key(seed, "curve"), listen, folder.path).sent
        errors.print(f"sent {sum(sent.values()):,} bytes: {sent}", highlight=False)
        folder.ledger.add("consensus", study=terms.digest, rows=len(rows.kept), sent=sent)
    with write_whole(out) as stream:
        stream.write(write_table(label_peer_rows(made, rows), out))
    if report is not None:
        page = peer_page(
            terms, role, made.hierarchy, n_rows=len(rows.kept), log=made.log, sent=sent
        )
        write_page(page, report)
    output.print(f"the peers agree; wrote {out}", highlight=False)


def _over_network(
    terms: Study, made: Peer, curve_seed: bytes, listen: str | None, folder: Path
) -> Traffic:
    agreed = consensus_of(terms)
    absent = [name for name in terms.grid.parties if name not in agreed.places]
    if absent:
        raise StudyError(
            f"the study does not say where {absent} are. Add [consensus.places] entries, printed "
            f"by `consilience peer --show-key`, or use --files."
        )
    public, secret = curve_keys(curve_seed)
    if agreed.places[made.name].curve != public:
        raise StudyError(
            f"the study has another curve key of {made.name!r} than your private folder. Put "
            f"yours there, see --show-key."
        )
    addresses = {name: Address(p.endpoint, p.curve) for name, p in agreed.places.items()}
    return run_peer(
        made,
        addresses,
        secret,
        listen=listen,
        timeout=agreed.timeout,
        folder=folder / "consensus" / terms.digest[:12],
        tell=lambda line: errors.print(line, highlight=False),
    )


def _settings(pairs: list[str]) -> dict[str, float | int | str]:
    """Read NAME=VALUE pairs; a number is a number."""
    settings: dict[str, float | int | str] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise StudyError(f"--set {pair!r} must be NAME=VALUE, such as n_clusters=5.")
        for kind in (int, float, str):
            try:
                settings[name] = kind(text)
                break
            except ValueError:
                continue
    return settings

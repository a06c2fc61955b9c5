"""``consilience peer``: agree with the other peers of a study, and nobody in charge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.by_files import by_files
from consilience.cli.shared.console import tell, tell_next, warn
from consilience.cli.shared.letters import ask, let_leave, read_folder, show_table, write_outcome
from consilience.cli.shared.options import (
    Out,
    Private,
    Report,
    Role,
    StudyFile,
    Yes,
    check_output,
    output_file,
    participant,
)
from consilience.cli.shared.table_options import reads_table
from consilience.consensus.bases import BaseName, named_base, read_settings
from consilience.consensus.by_files import outcome_of, would_leave
from consilience.consensus.kept import Kept
from consilience.consensus.local_step import LocalStep
from consilience.consensus.network import meet_over_network
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.roles import Scale, make_peer
from consilience.consensus.rounds import letters_for
from consilience.consensus.terms import Peers
from consilience.exceptions import StudyError
from consilience.report.page import Table
from consilience.sources.source import Source
from consilience.study.participant import Participant
from consilience.study.rows import Rows

__all__ = ["peer"]


@reads_table
def peer(
    path: StudyFile,
    role: Role,
    source: Source,
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
    scale: Annotated[
        Scale | None,
        typer.Option(help="Units of your columns; spread where the study states spreads."),
    ] = None,
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
    anew: Annotated[
        bool,
        typer.Option(
            "--anew", help="Start over, with other settings or another table; all peers must."
        ),
    ] = False,
    out: Out = Path("."),
    report: Report = None,
    yes: Yes = False,
) -> None:
    """Find clusters together with the other peers of a study, exchanging labels and ranks only.

    It shows what is about to leave, and asks. Over a network every peer starts this command and it
    ends with the labels of your rows. A peer that was stopped goes on from its checkpoint when
    started again. With --files, run it again whenever new bundles have arrived, until it says that
    the peers agree. Where the study says "go on without", those who are there drop a peer that
    never comes by --absent, each of them.

    Example: `consilience peer study.toml --as people/insurer --data insurer.csv --id person
    --set n_clusters=5`
    """
    me = participant(path, role, private)
    kind = by_files(me.study, "peer")
    out = output_file(out, "labels.csv")
    check_output("--out", out, path, source.file)
    check_output("--report", report, path, source.file, out)
    base_step = named_base(base).set_params(**read_settings(setting or []))
    step = LocalStep(base_step, n_repeats=repeats, feature_fraction=fraction)
    if anew:
        _start_over(me, files, yes)
    if files is None:
        made, rows = make_peer(me, source, step, scale)
        sent = _take_part(me, made, rows, source, listen, yes)
        write_outcome(outcome_of(me, made, rows, sent), out, report)
        return
    arrived, unread = read_folder(me, letters_for(me.name, files))
    there = {known.name for known in files.glob("*")}
    settings = {"step": step, "scale": scale, "give_up": absent}
    leaving = kind.send(me, source, arrived=arrived, there=there, **settings)
    for note in unread:
        warn(f"refused: {note}")
    written = let_leave(me, leaving, files, yes=yes, source=source)
    if leaving.outcome is None:
        tell(f"wrote {len(written)} bundles; waiting for {', '.join(leaving.waiting_for)}")
        tell_next("carry them to the others, and run this again when theirs have arrived")
        return
    write_outcome(leaving.outcome(), out, report)
    tell_next(f"{out} has the cluster of each of your rows; the peers agree, nothing is left to do")


def _start_over(me: Participant, files: Path | None, yes: bool) -> None:
    """Forget what was promised, if the person is sure and no old bundles are in the way."""
    if files is not None and any(files.glob(f"{me.name.replace('/', '.')}--*")):
        raise StudyError(
            f"--anew needs a folder without bundles of earlier runs: {files} holds some of yours. "
            f"Choose an empty one, the same for all peers."
        )
    ask(
        "Start over? All peers must; who has seen labels of the others could now adapt its own.",
        yes,
    )
    Kept(me).start_over()
    me.folder.ledger.add("start over", study=me.study.digest)


def _take_part(
    me: Participant, made: Peer, rows: Rows, source: Source, listen: str | None, yes: bool
) -> dict[str, int]:
    """Show what is about to leave, ask, note it, and meet the others; return what was sent."""
    for note in rows.notes:
        warn(note)
    others = [name for name in me.study.grid.parties if name != me.name]
    places = me.study.of(Peers).consensus.places
    where = [f"{name} ({places[name].endpoint})" for name in others if name in places]
    table = [*would_leave(rows), ("to each of", ", ".join(where)), ("study", me.study.name)]
    show_table(Table(["what leaves", "how much"], table))
    ask("Take part?", yes)
    about = {"rows": len(rows.kept), "study": me.study.digest, **source.noted}
    me.folder.ledger.add("consensus begins", to=others, **about)
    sent = meet_over_network(me, made, listen=listen, tell=warn).sent
    warn(f"sent {sum(sent.values()):,} bytes: {sent}")
    me.folder.ledger.add("consensus", sent=sent, without=made.without, **about)
    return sent

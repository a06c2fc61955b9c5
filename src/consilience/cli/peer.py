"""``consilience peer``: agree with the other peers of a study, and nobody in charge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.by_files import Outcome, by_files
from consilience.cli.shared.approval import rely_on
from consilience.cli.shared.console import tell, tell_next, warn
from consilience.cli.shared.key_letters import need_keys
from consilience.cli.shared.letters import ask, let_leave, read_folder, show_table, write_outcome
from consilience.cli.shared.options import (
    Accept,
    By,
    DryJson,
    DryRun,
    Keys,
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
from consilience.cli.shared.sending import rehearse
from consilience.cli.shared.table_options import reads_table
from consilience.consensus.bases import BaseName, read_settings
from consilience.consensus.by_files import label_later, outcome_of, would_leave
from consilience.consensus.kept import Kept
from consilience.consensus.local_step import LocalStep, Profile, profiled
from consilience.consensus.medoids import Similarity
from consilience.consensus.network import meet_over_network
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.roles import Scale, make_peer
from consilience.consensus.rounds import letters_for
from consilience.consensus.terms import Peers
from consilience.exceptions import StudyError
from consilience.report.page import Table
from consilience.sources.source import Source
from consilience.study.participant import Participant
from consilience.study.pins import pin
from consilience.study.rows import Rows

__all__ = ["peer"]


@reads_table
def peer(
    path: StudyFile,
    role: Role,
    source: Source,
    private: Private = None,
    base: Annotated[
        BaseName | None,
        typer.Option(
            help="How you cluster your columns; without it, chosen by your columns alone, or as "
            "the profile says."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A setting of the base (k-means, if you name none), such as n_clusters=5."
        ),
    ] = None,
    profile: Annotated[
        Profile | None,
        typer.Option(help="What you do not choose: steady, or as in the paper; else the study's."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Repetitions of the local step.")] = 1,
    fraction: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of your columns in each repetition.")
    ] = 1.0,
    relaxed: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Drop repetitions that stand against the others; 0.8 is the paper's * variant.",
        ),
    ] = None,
    similarity: Annotated[
        Similarity | None, typer.Option(help="How you rank the members of a cluster.")
    ] = None,
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
    level: Annotated[
        int | None,
        typer.Option(min=0, help="Take the clusters after this iteration, not after the last."),
    ] = None,
    hierarchy: Annotated[
        bool, typer.Option("--hierarchy", help="Also write how clusters joined: JSON and DOT.")
    ] = False,
    new_data: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Rows that come later; labelled by your columns."
        ),
    ] = None,
    report: Report = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: DryJson = False,
    by: By = None,
    keys: Keys = None,
    accept: Accept = False,
) -> None:
    """Find clusters together with the other peers of a study, exchanging labels and ranks only.

    It shows what is about to leave, and asks. Over a network every peer starts this command and it
    ends with the labels of your rows. A peer that was stopped goes on from its checkpoint when
    started again. With --files, run it again whenever new bundles have arrived, there or in its
    folder arrived/ as `consilience join --carry` leaves them, until it says that the peers agree.
    Where the study says "go on without", those who are there drop a peer that never comes by
    --absent, each of them. --dry-run shows what would leave next, and writes nothing.

    How you cluster your columns is nobody else's business: without a choice it is found by your
    columns alone. When the peers agree, it says how many clusters each iteration left; with --level
    you take those of an earlier one, without a message.

    Example: `consilience peer study.toml --as people/insurer --data insurer.csv --id person`
    """
    me = participant(path, role, private)
    kind = by_files(me.study, "peer")
    out = output_file(out, "labels.csv")
    check_output("--out", out, path, source.file)
    check_output("--report", report, path, source.file, out)
    chosen = {"relaxed": relaxed, "similarity": similarity}
    chosen |= {"n_repeats": repeats, "feature_fraction": fraction}
    step = _step(me, profile, base, setting or [], chosen)
    settings: dict[str, Any] = {"step": step, "scale": scale, "give_up": absent}
    if dry_run:
        rehearse(me, kind, source, keys or [], as_json=as_json, **_heard(me, files), **settings)
        return
    if anew:
        _start_over(me, files, yes)
    if files is None and me.study.approvals_of(me.name):
        raise StudyError(
            "the study asks for approvals, and a network waits for nobody: take part by --files."
        )
    for left in (released := rely_on(me, files or Path(), accept=accept, anew=anew)):
        tell(f"wrote {left}: approved")
    if released:
        return
    for line in need_keys(me, keys or [], files or Path()):
        tell(line)

    def finish(made: Peer, rows: Rows, sent: dict[str, int] | None = None) -> Outcome:
        if new_data is not None:
            new = me.read_rows(replace(source, data=new_data, query=None))
            later = label_later(me, made, rows, new, scale)
            write_outcome(later, out.with_name(f"{out.stem}.new{out.suffix}"), None)
        return outcome_of(me, made, rows, sent, level=level, hierarchy=hierarchy)

    if files is None:
        made, rows = make_peer(me, source, step, scale)
        sent = _take_part(me, made, rows, source, listen, yes, by)
        write_outcome(finish(made, rows, sent), out, report)
        return
    leaving = kind.send(me, source, **_heard(me, files), **settings, finish=finish)
    written = let_leave(me, leaving, files, yes=yes, by=by, source=source)
    if leaving.outcome is None:
        tell(f"wrote {len(written)} bundles; waiting for {', '.join(leaving.waiting_for)}")
        tell_next("carry them to the others, and run this again when theirs have arrived")
        return
    write_outcome(leaving.outcome(), out, report)
    tell_next(f"{out} has the cluster of each of your rows; the peers agree, nothing is left to do")


def _step(
    me: Participant,
    profile: Profile | None,
    base: BaseName | None,
    settings: list[str],
    chosen: dict[str, Any],
) -> LocalStep:
    """Make the local step; a setting that is not possible is named before anybody waits."""
    name = base or ("kmeans" if settings else None)
    step = profiled(profile or me.study.of(Peers).consensus.profile, name, **chosen)
    step.base.set_params(**read_settings(step.base, settings))
    return step


def _heard(me: Participant, files: Path | None) -> dict[str, Any]:
    """Return what lies in a folder for a peer, there and in what was carried to it."""
    if files is None:
        return {"arrived": []}
    found = letters_for(me.name, files, *files.glob("arrived/*"))
    arrived, unread = read_folder(me, list({path.name: path for path in found}.values()))
    for note in unread:
        warn(f"refused: {note}")
    return {"arrived": arrived, "there": {known.name for known in files.glob("*")}}


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
    me: Participant,
    made: Peer,
    rows: Rows,
    source: Source,
    listen: str | None,
    yes: bool,
    by: str | None,
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
    pin(me.folder.path, me.study)
    if by is not None:
        me.folder.ledger.add("consent", by=by, study=me.study.digest)
    about = {"rows": len(rows.kept), "study": me.study.digest, **source.noted}
    me.folder.ledger.add("consensus begins", to=others, **about)
    sent = meet_over_network(me, made, listen=listen, tell=warn).sent
    warn(f"sent {sum(sent.values()):,} bytes: {sent}")
    me.folder.ledger.add("consensus", sent=sent, without=made.without, **about)
    return sent

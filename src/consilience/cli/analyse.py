"""``consilience analyse``: align and cluster what arrived, and answer every party."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from consilience.by_files import Kind, Solution, by_files
from consilience.cli.shared.console import output, tell, tell_next, warn, watched
from consilience.cli.shared.letters import read_letters, show_table, write_answers
from consilience.cli.shared.options import (
    Accept,
    Out,
    Private,
    Report,
    StudyFile,
    check_output,
    output_folder,
    participant,
)
from consilience.cli.shared.withdrawals import obey_withdrawals
from consilience.cli.shared.workplace import EngineName, Memory, Scheduler, Spill, workplace
from consilience.collaboration.aggregates import MIN_COUNT
from consilience.exceptions import StudyError
from consilience.sources.reading import write_table
from consilience.study.files import write_whole
from consilience.study.pins import check_pinned, pin
from consilience.study.study import ANALYST

__all__ = ["analyse"]

Contributions = Annotated[
    list[Path], typer.Argument(exists=True, dir_okay=False, help="The files that arrived.")
]


def analyse(
    path: StudyFile,
    contributions: Contributions,
    role: Annotated[str, typer.Option("--as", help="Always analyst.")] = ANALYST,
    private: Private = None,
    out: Out = Path("answers"),
    report: Report = None,
    newcomer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROW",
            help="A row institution that joins the nearest group and shapes none; repeatable.",
        ),
    ] = None,
    explore: Annotated[
        bool,
        typer.Option(
            "--explore", help="Try every number of clusters and method agreed on; answer nobody."
        ),
    ] = False,
    clusters: Annotated[
        int | None, typer.Option(min=1, help="How many clusters, of the numbers agreed on.")
    ] = None,
    method: Annotated[
        Literal["kmeans", "spectral", "landmarks", "hierarchical", "mixture"] | None,
        typer.Option(help="Which of the methods agreed on."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Write counts by cluster, .json, .csv or .parquet."),
    ] = None,
    engine: EngineName = None,
    memory: Memory = None,
    scheduler: Scheduler = None,
    spill: Spill = None,
    accept: Accept = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Solve the study with the contributions that arrived, and write one answer per party.

    Says who is missing, and goes on without them only if the study allows it. Running it again,
    with one more contribution or with the same ones, replaces the answers. You need your own
    identity and none of the parties' secrets.

    Where the parties agreed on a span of clusters, such as "2-10", or on several methods, --explore
    shows for each choice the sizes, how well set apart and how stable its clusters are, and how far
    methods agree; --clusters and --method then answer with one. Nobody contributes again.

    Where institutions are grouped by their label mixes, one that comes later would move the groups
    of the others; named with --newcomer it takes the nearest group and leaves them as they are.

    Above some hundred megabytes of contributions rows are kept in files of your private folder, not
    encrypted, and worked on block by block within --memory; a run that was killed goes on from its
    last finished step when it is started again. --engine dask lets the workers of a Dask scheduler
    do the same steps. The labels are the same.

    The study is pinned in your private folder when you answer. If it is another one later, the
    difference is shown and nobody is answered without --accept.

    Example: `consilience analyse study.toml --as analyst contributions/*.contribution
    --out answers/`
    """
    if role != ANALYST:
        raise StudyError(f"--as is {role!r}, must be {ANALYST!r}: only the analyst solves a study.")
    me = participant(path, role, private)
    kind = by_files(me.study, "analyse")
    check_output("--out", out, path, *contributions)
    check_output("--report", report, path, *contributions)
    check_output("--export", export, path, *contributions)
    if not accept:
        check_pinned(me.folder.path, me.study)
    where = {"engine": engine, "memory": memory, "scheduler": scheduler, "spill": spill}
    if "engine" not in getattr(kind, "CHOICES", ()):
        _refuse_places(where)
        where["engine"] = "memory"
    with workplace(me, contributions, **where) as place:
        arrived = read_letters(me, contributions, place.folder)
        arrived, left_out = obey_withdrawals(me, arrived)
        for line in left_out:
            warn(line)
        with watched("solving") as hear:
            given = {"clusters": clusters, "method": method, "exploring": explore or None}
            chosen = _chosen(kind, **given)
            if "engine" in getattr(kind, "CHOICES", ()):
                chosen["engine"] = place.engine(me, arrived, hear)
            solution = kind.solve(me, arrived, newcomers=newcomer or [], **chosen)
        write_answers(me, solution, output_folder(out), report, arrived)
    if solution.answers:
        pin(me.folder.path, me.study)
    answered = [letter.message.recipient for letter in solution.answers]
    about = {"study": me.study.name, "digest": me.study.digest, "answered": answered}
    about |= solution.summary
    if export is not None:
        _export(export, about, solution)
    if as_json:
        output.print_json(json.dumps(about), ensure_ascii=True)
        return
    show_table(solution.table)
    if not explore:
        tell(f"wrote {len(answered)} answers in {out}")
    if export is not None:
        tell(f"wrote {export}: counts below {MIN_COUNT} are left empty")
    if report is not None:
        tell(f"wrote {report}")
    tell_next(
        "nobody was answered yet: consilience analyse --clusters NUMBER answers with your choice"
        if explore
        else "carry each answer to its party, which runs consilience label"
    )


def _chosen(kind: Kind, **given: Any) -> dict[str, Any]:
    """Return what the analyst chose; refuse it where a kind leaves nothing to choose."""
    chosen = {name: value for name, value in given.items() if value is not None}
    if set(chosen) - set(getattr(kind, "CHOICES", ())):
        raise StudyError(
            "--explore, --clusters and --method are for studies of clusters: this one leaves "
            "nothing to the analyst's choice."
        )
    return chosen


def _refuse_places(where: dict[str, Any]) -> None:
    """Refuse a choice of where rows lie in a study whose rows are always held in memory."""
    chosen = [f"--{name}" for name, value in where.items() if value is not None]
    if chosen:
        raise StudyError(
            f"{' and '.join(chosen)}: only rows of a study of clusters can lie elsewhere than in "
            f"memory."
        )


def _export(path: Path, about: dict[str, Any], solution: Solution) -> None:
    """Write counts that may be shown to others."""
    if solution.counts is None:
        raise StudyError("--export writes counts by cluster, and this study has no clusters.")
    counts = solution.counts()
    if path.suffix == ".json":
        shown = {name: about[name] for name in ("study", "digest", "n_clusters", "method")}
        shown["counts"] = json.loads(counts.to_json(orient="records"))
        data = json.dumps(shown, indent=2).encode()
    else:
        data = write_table(counts, path)
    with write_whole(path) as stream:
        stream.write(data)

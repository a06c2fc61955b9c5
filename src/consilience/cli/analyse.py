"""``consilience analyse``: align and cluster what arrived, and answer every party."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from consilience.cli.console import errors, output, plain, progress_bar
from consilience.cli.options import (
    Private,
    Report,
    StudyFile,
    check_target,
    file_name,
    private_folder,
    read_identity,
)
from consilience.collaboration.analyst import Analyst
from consilience.collaboration.clustered.analyst import ClusteredAnalyst
from consilience.collaboration.gathering import Gathering
from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.terms import learning_analyst_of
from consilience.collaboration.terms import analyst_of
from consilience.exceptions import BundleError, StudyError
from consilience.messages import Contribution, Message
from consilience.report import (
    Page,
    Received,
    analyst_page,
    check_analyst,
    learning_analyst_page,
    write_page,
)
from consilience.study.files import write_whole
from consilience.study.identity import Identity
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import describe, read_bundle, seal_bundle

__all__ = ["analyse", "analyst_report", "solve"]

Contributions = Annotated[
    list[Path], typer.Argument(exists=True, dir_okay=False, help="The files that arrived.")
]


def analyse(
    study: StudyFile,
    contributions: Contributions,
    role: Annotated[str, typer.Option("--as", help="Always analyst.")] = ANALYST,
    private: Private = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where answers go.")] = Path("answers"),
    report: Report = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Solve the study with the contributions that arrived, and write one answer per party.

    Says who is missing, and goes on without them only if the study allows it. Running it again,
    with one more contribution or with the same ones, replaces the answers. You need your own
    identity and none of the parties' secrets.

    Example: `consilience analyse study.toml --as analyst contributions/*.contribution
    --out answers/`
    """
    terms = Study.load(study)
    if role != ANALYST:
        raise StudyError(f"--as is {role!r}, must be {ANALYST!r}: only the analyst solves a study.")
    if report is not None:
        check_analyst(terms)
        check_target("--report", report, study, *contributions)
    identity = read_identity(terms, private_folder(study, role, private), role)
    analyst, answers, received = solve(terms, identity, contributions)
    with ExitStack() as files:
        # All answers of one solve appear, or none: each gets its name when all are on disk.
        for answer in answers:
            path = out / f"{file_name(answer.recipient)}.answer"
            target = files.enter_context(write_whole(path))
            manifest = describe(answer, terms, f"answer of the study {terms.name!r}")
            seal_bundle(target, answer, manifest, study=terms, identity=identity)
    if report is not None:
        write_page(analyst_report(terms, analyst, received), report)
    summary = summarise(terms, analyst, answers)
    if as_json:
        output.print_json(json.dumps(summary))
    else:
        output.print(_table(summary))
        output.print(plain(f"wrote {len(answers)} answers in {out}"), soft_wrap=True)
        if report is not None:
            output.print(plain(f"wrote {report}"), soft_wrap=True)


def solve(
    terms: Study, identity: Identity, contributions: list[Path]
) -> tuple[Gathering, list[Message], list[Received]]:
    """Read the contributions, check who is there, and solve.

    Returns
    -------
    analyst : Gathering
    answers : list of Message
    received : list of Received
        The size of each contribution, in the order of the files.
    """
    analyst = analyst_of(terms) if terms.learning is None else learning_analyst_of(terms)
    answers: list[Message] = []
    seen: dict[str, Path] = {}
    received: list[Received] = []
    with progress_bar() as progress:
        task = progress.add_task("reading and solving", total=len(contributions) + 1)
        for path in contributions:
            message = read_bundle(path, study=terms, identity=identity)
            if not isinstance(message, Contribution):
                raise BundleError(f"{path.name} holds a {type(message).__name__}, no contribution.")
            if message.sender in seen:
                raise BundleError(
                    f"{path.name} and {seen[message.sender].name} are both contributions of "
                    f"{message.sender!r}. Keep one of them."
                )
            seen[message.sender] = path
            received.append(_size(message, terms))
            answers = analyst.receive(message)
            progress.advance(task)
        if not answers:
            missing = [p for p in terms.grid.parties if p not in seen]
            if terms.grid.missing_party == "refuse":
                raise StudyError(
                    f"contributions of {missing} are missing, and the study does not allow going "
                    f"on without them (grid.missing_party = 'refuse')."
                )
            errors.print(plain(f"going on without {missing}, as the study allows", "yellow"))
            answers = analyst.solve()
    return analyst, answers, received


def _size(message: Contribution, terms: Study) -> Received:
    n_bytes = describe(message, terms, "").n_bytes
    n_rows, n_dimensions = message.representation.shape
    return Received(message.sender, n_rows, n_dimensions, len(message.anchor), n_bytes)


def summarise(terms: Study, analyst: Gathering, answers: list[Message]) -> dict[str, Any]:
    """Return what the analyst may see, as plain values."""
    summary: dict[str, Any] = {
        "study": terms.name,
        "digest": terms.digest,
        "answered": [answer.recipient for answer in answers],
        "rows": {row: join.n_rows for row, join in analyst.joins.items()},
        "complete": {row: join.n_complete for row, join in analyst.joins.items()},
        "unmatched": {row: join.n_unmatched for row, join in analyst.joins.items()},
    }
    if not isinstance(analyst, ClusteredAnalyst):
        summary["dimensions"] = analyst.representation.shape[1]
    if isinstance(analyst, Analyst):
        labels = analyst.partition.labels
        sizes = np.bincount(labels[labels >= 0], minlength=analyst.partition.n_clusters)
        summary["n_clusters"] = analyst.partition.n_clusters
        summary["cluster_sizes"] = sizes.tolist()
    elif isinstance(analyst, LearningAnalyst) and terms.learning is not None:
        summary["classes"] = sorted(terms.learning.classes)
        summary["estimator"] = terms.learning.estimator
        summary["explain"] = terms.learning.explain
        summary["learnt_from"] = analyst.n_labelled
        if isinstance(analyst, ClusteredAnalyst):
            summary["groups"], summary["threshold"] = analyst.groups, analyst.threshold
    return summary


def analyst_report(terms: Study, analyst: Gathering, received: list[Received]) -> Page:
    """Describe to the analyst what it found: clusters, or a model."""
    if isinstance(analyst, LearningAnalyst):
        return learning_analyst_page(terms, analyst, received)
    assert isinstance(analyst, Analyst)
    return analyst_page(terms, analyst, received)


def _table(summary: dict[str, Any]) -> Table:
    learns = "classes" in summary
    found = f"{len(summary['classes'])} classes" if learns else f"{summary['n_clusters']} clusters"
    table = Table(title=plain(f"{summary['study']}: {found}"))
    table.add_column("row institution")
    table.add_column("joined rows", justify="right")
    table.add_column("at all its parties", justify="right")
    table.add_column("not at all its parties, by column", justify="right")
    for row in summary["rows"]:
        unmatched = ", ".join(map(str, summary["unmatched"][row]))
        table.add_row(row, str(summary["rows"][row]), str(summary["complete"][row]), unmatched)
    if learns:
        groups = summary.get("groups", {})
        models = f" in {len(set(groups.values()))} groups" if groups else ""
        table.caption = f"{summary['estimator']} learnt from {summary['learnt_from']} rows{models}"
    else:
        table.caption = f"cluster sizes: {', '.join(map(str, summary['cluster_sizes']))}"
    return table

"""``consilience analyse``: align and cluster what arrived, and answer every party."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

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
from consilience.cli.summary import summarise, tabulate
from consilience.collaboration.analyst import Analyst
from consilience.collaboration.clustered.coordinator import GroupingAnalyst
from consilience.collaboration.clustered.network import fixed_epochs
from consilience.collaboration.gathering import Gathering
from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.terms import grouping_analyst_of, learning_analyst_of
from consilience.collaboration.terms import analyst_of
from consilience.exceptions import BundleError, StudyError
from consilience.messages import (
    Answer,
    Contribution,
    Grouping,
    LabelCounts,
    Message,
    Prediction,
)
from consilience.report import (
    Page,
    Received,
    analyst_page,
    check_analyst,
    grouping_analyst_page,
    learning_analyst_page,
    write_page,
)
from consilience.study.files import write_whole
from consilience.study.identity import Identity
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import Manifest, describe, read_bundle, seal_bundle

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
    newcomer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROW",
            help="A row institution that joins the nearest group and shapes none; repeatable.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Solve the study with the contributions that arrived, and write one answer per party.

    Says who is missing, and goes on without them only if the study allows it. Running it again,
    with one more contribution or with the same ones, replaces the answers. You need your own
    identity and none of the parties' secrets.

    Where institutions are grouped by their label mixes, one that comes later would move the groups
    of the others; named with --newcomer it takes the nearest group and leaves them as they are.

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
    analyst, answers, received = solve(terms, identity, contributions, newcomer or [])
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
        output.print(tabulate(summary))
        output.print(plain(f"wrote {len(answers)} answers in {out}"), soft_wrap=True)
        if report is not None:
            output.print(plain(f"wrote {report}"), soft_wrap=True)


def solve(
    terms: Study, identity: Identity, contributions: list[Path], newcomers: Sequence[str] = ()
) -> tuple[Gathering | GroupingAnalyst, list[Message], list[Received]]:
    """Read the contributions, check who is there, and solve.

    Returns
    -------
    analyst : Gathering or GroupingAnalyst
    answers : list of Message
    received : list of Received
        The size of each contribution, in the order of the files.
    """
    analyst = _analyst(terms, newcomers)
    answers: list[Message] = []
    seen: dict[str, Path] = {}
    digests: dict[str, str] = {}
    received: list[Received] = []
    with fixed_epochs(), progress_bar() as progress:
        task = progress.add_task("reading and solving", total=len(contributions) + 1)
        for path in contributions:
            message, manifest = read_bundle(path, study=terms, identity=identity)
            if not isinstance(message, Contribution | LabelCounts):
                raise BundleError(f"{path.name} holds a {type(message).__name__}, no contribution.")
            if message.sender in seen:
                raise BundleError(
                    f"{path.name} and {seen[message.sender].name} are both contributions of "
                    f"{message.sender!r}. Keep one of them."
                )
            seen[message.sender] = path
            digests[message.sender] = manifest.digest
            received.append(_size(message, manifest))
            answers = analyst.receive(message)
            progress.advance(task)
        if not answers:
            missing = analyst.missing
            if terms.grid.missing_party == "refuse":
                raise StudyError(
                    f"contributions of {missing} are missing, and the study does not allow going "
                    f"on without them (grid.missing_party = 'refuse')."
                )
            errors.print(plain(f"going on without {missing}, as the study allows", "yellow"))
            answers = analyst.solve()
    return analyst, [_refer(answer, digests) for answer in answers], received


def _analyst(terms: Study, newcomers: Sequence[str]) -> Gathering | GroupingAnalyst:
    if terms.learning is None:
        if newcomers:
            raise StudyError("--newcomer is for studies that group institutions to learn.")
        return analyst_of(terms)
    try:
        if terms.learning.counts_alone:
            return grouping_analyst_of(terms, newcomers)
        return learning_analyst_of(terms, newcomers)
    except ValueError as error:
        raise StudyError(str(error)) from None


def _refer(answer: Message, digests: Mapping[str, str]) -> Message:
    """Name the contribution that is answered."""
    assert isinstance(answer, Answer | Prediction | Grouping)
    return replace(answer, contribution=digests[answer.recipient])


def _size(message: Contribution | LabelCounts, manifest: Manifest) -> Received:
    if isinstance(message, LabelCounts):
        return Received(message.sender, 0, 0, 0, manifest.n_bytes)
    n_rows, n_dimensions = message.representation.shape
    return Received(message.sender, n_rows, n_dimensions, len(message.anchor), manifest.n_bytes)


def analyst_report(
    terms: Study, analyst: Gathering | GroupingAnalyst, received: list[Received]
) -> Page:
    """Describe to the analyst what it found: clusters, a model, or groups of institutions."""
    if isinstance(analyst, GroupingAnalyst):
        return grouping_analyst_page(terms, analyst, received)
    if isinstance(analyst, LearningAnalyst):
        with fixed_epochs():
            return learning_analyst_page(terms, analyst, received)
    assert isinstance(analyst, Analyst)
    return analyst_page(terms, analyst, received)

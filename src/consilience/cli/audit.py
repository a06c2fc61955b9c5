"""``consilience audit``: what could be rebuilt from what a party is about to send."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.by_files import by_files
from consilience.cli.shared.audit_table import show_audit
from consilience.cli.shared.console import busy, errors, plain, tell_next
from consilience.cli.shared.options import Report, Role, StudyFile, check_output
from consilience.cli.shared.table_options import reads_table
from consilience.report.audit_section import audit_page
from consilience.report.page import write_page
from consilience.sources.source import Source
from consilience.study.files import write_whole
from consilience.study.study import Study

__all__ = ["audit"]

EXIT_OVER_LIMIT = 1


@reads_table
def audit(
    path: StudyFile,
    role: Role,
    source: Source,
    frontier: Annotated[
        bool, typer.Option("--frontier", help="Show what other settings would give and cost.")
    ] = False,
    epsilon: Annotated[
        list[float] | None,
        typer.Option(help="With --frontier: also try noise of this budget per row; repeatable."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="With --frontier: where to draw it, .png or .svg.")
    ] = None,
    report: Report = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
    repeats: Annotated[
        int, typer.Option(min=2, help="How often each attack is run; intervals narrow with it.")
    ] = 5,
    clusters: Annotated[
        int, typer.Option(min=2, help="In a study of peers: how many clusters you will look for.")
    ] = 8,
    seed: Annotated[int | None, typer.Option(help="Fix the randomness of the audit.")] = None,
) -> None:
    """Attack your own contribution before it leaves, and show what others would get.

    Reads your table and the study; opens no connection, writes nothing but the picture and the
    report you ask for, and needs no key. Exits with 1 if the study's `max_reconstruction` is
    exceeded.

    Example: `consilience audit study.toml --as north/lab --data table.csv`
    """
    study = Study.load(path)
    check_output("--report", report, path, source.file)
    check_output("--picture", picture, path, source.file)
    with busy("attacking"):
        found = by_files(study, "audit").audit(
            study,
            role,
            source,
            n_repeats=repeats,
            seed=seed,
            frontier=frontier,
            alone=report is None,
            epsilons=epsilon or (),
            clusters=clusters,
        )
    if found.exhibit is not None and picture is not None:
        with write_whole(picture) as stream:
            found.exhibit.draw().savefig(stream, format=picture.suffix[1:] or "png")
        errors.print(plain(f"wrote {picture}"), soft_wrap=True)
    if found.audit is None:
        assert found.exhibit is not None, "an audit without findings was asked for its exhibit"
        typer.echo(found.exhibit.json if as_json else found.exhibit.text)
        return
    if report is not None:
        more = found.exhibit.parts() if found.exhibit else ()
        write_page(audit_page(found.audit, study.name, role, more), report)
        errors.print(plain(f"wrote {report}"), soft_wrap=True)
    if as_json:
        typer.echo(found.audit.to_json())
    else:
        show_audit(found.audit, role)
    if found.refusal:
        errors.print(plain("over the limit: ", "bold red"), plain(found.refusal), soft_wrap=True)
        raise typer.Exit(EXIT_OVER_LIMIT)
    tell_next(f"consilience contribute {path} --as {role} --data ... writes what would leave")

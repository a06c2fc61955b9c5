"""``consilience audit``: what could be rebuilt from what a party is about to send."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from sklearn.preprocessing import StandardScaler

from consilience.cli.audit_table import show_audit
from consilience.cli.console import errors
from consilience.cli.options import Data, IdColumn, Role, StudyFile
from consilience.collaboration.audit.frontier_figure import plot_frontier
from consilience.collaboration.audit.frontier_page import show_frontier
from consilience.collaboration.audit.of_party import audit_party, check_limit, frontier_of_party
from consilience.consensus.audit import audit_consensus
from consilience.consensus.bases import named_base
from consilience.consensus.local_step import LocalStep
from consilience.continual.audit import audit_stream
from consilience.exceptions import StudyError
from consilience.report import write_page
from consilience.report.audit_section import audit_page
from consilience.study.study import Study
from consilience.study.tables import read_table

__all__ = ["audit"]

EXIT_OVER_LIMIT = 1


def audit(
    study: StudyFile,
    role: Role,
    data: Data,
    id_column: IdColumn = "id",
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
    report: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Also write it as one offline HTML page.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
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
    terms = Study.load(study)
    if role not in terms.grid.parties:
        raise StudyError(
            f"--as {role}: not a party of this study; the parties are {terms.grid.parties}."
        )
    if terms.learning is not None and terms.learning.counts_alone:
        raise StudyError(
            "nothing leaves in this study but how many rows of each class there are "
            "(learning.labels = 'distribution'): there are no rows to rebuild. Audit the study of "
            "your group instead."
        )
    schema = terms.schema_of(role.partition("/")[2])
    _, table = read_table(data, schema, id_column)
    if terms.learning is not None:
        table = table.drop(columns=terms.learning.target, errors="ignore")
    X = schema.encode(table).matrix
    if frontier and terms.consensus is not None:
        raise StudyError(
            "a consensus reduces nothing, so it has no frontier. Compare audits with several "
            "--clusters instead."
        )
    if frontier and terms.stream is not None:
        raise StudyError(
            "a continual study reduces nothing, so it has no frontier. Compare audits with several "
            "stream.epsilon instead."
        )
    drawn = None
    if frontier:
        drawn = frontier_of_party(terms, role, X, epsilons=epsilon or (), seed=seed)
    if drawn is not None and picture is not None:
        plot_frontier(drawn).savefig(picture)
        errors.print(f"wrote {picture}", highlight=False)
    if drawn is not None and report is None:
        typer.echo(drawn.to_json() if json else drawn.to_text())
        return
    if terms.stream is not None:
        found = audit_stream(terms, role, X, n_repeats=repeats, seed=seed)
    elif terms.consensus is not None:
        found = audit_consensus(
            StandardScaler().fit_transform(X),
            LocalStep(named_base("kmeans").set_params(n_clusters=clusters)),
            names=schema.feature_names,
            n_repeats=repeats,
            seed=seed,
        )
    else:
        found = audit_party(terms, role, X, n_repeats=repeats, seed=seed)
    if report is not None:
        write_page(
            audit_page(found, terms.name, role, show_frontier(drawn) if drawn else ()), report
        )
        errors.print(f"wrote {report}", highlight=False)
    if json:
        typer.echo(found.to_json())
    else:
        show_audit(found, role)
    refusal = check_limit(terms, found)
    if refusal:
        errors.print(f"[bold red]over the limit:[/] {refusal}", highlight=False)
        raise typer.Exit(EXIT_OVER_LIMIT)

"""``consilience contribute``: reduce your table, look at what would leave, and let it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.console import errors, output, plain, progress_bar
from consilience.cli.leaving import summarise_counts, summarise_rows
from consilience.cli.options import (
    Data,
    IdColumn,
    Private,
    Role,
    StudyFile,
    column_keys,
    file_name,
    private_folder,
    public_rows,
    read_identity,
)
from consilience.collaboration.audit.of_party import audit_party, check_limit
from consilience.collaboration.learning.participation import contribute_rows, count_rows
from consilience.collaboration.participation import contribute_table, read_rows
from consilience.collaboration.roles import budget_of, past_without_noise
from consilience.exceptions import StudyError
from consilience.privacy.budget import Budget
from consilience.study.files import write_whole
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import Manifest, describe, seal_bundle, write_bundle

__all__ = ["contribute"]


def contribute(
    study: StudyFile,
    role: Role,
    data: Data,
    id_column: IdColumn,
    private: Private = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write the file.")] = Path(
        "."
    ),
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
    override: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Send although the audit exceeds the study's limit; NAME decides so.",
        ),
    ] = None,
) -> None:
    """Write the one file that leaves the house: your contribution, sealed to the analyst.

    Shows first what is in it and what a quick audit rebuilds from it, and asks. If that exceeds
    max_reconstruction of the study nothing is written, unless --override names who decides
    otherwise; the name goes into the ledger. `consilience audit` shows more.

    Your rows, ids and keys stay here; what leaves are coordinates of your rows and of the anchor
    in fewer dimensions than you have columns, and pseudonyms of the ids. Every contribution is
    noted in ledger.jsonl of your private folder.

    If the study sets learning.labels = "distribution", nothing leaves but how many rows of each
    class you have.

    If the study sets reduction.epsilon, your rows get Laplace noise of that budget before they are
    reduced (extra dp). What contributions spent adds up in the ledger; nothing is drawn beyond
    reduction.budget.

    Example: `consilience contribute study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id`
    """
    terms = Study.load(study)
    folder = private_folder(study, role, private)
    identity = read_identity(terms, folder, role)
    terms.public_keys(ANALYST)
    budget = budget_of(terms, folder.ledger)
    path = out / f"{file_name(role)}.contribution"
    if terms.learning is not None and terms.learning.counts_alone:
        rows = read_rows(terms, role, data, id_column, folder.read_key("row"))
        counts = count_rows(terms, role, rows, budget)
        manifest = describe(counts, terms, f"label counts for the study {terms.name!r}")
        output.print(summarise_counts(terms, manifest, counts, budget))
        for note in rows.notes:
            errors.print(plain(note, "yellow"))
        _confirm(yes)
        spent = _charge(terms.learning.epsilon, budget)
        _note(folder, terms, manifest, path, {"classes": len(counts.counts), **spent})
        write_bundle(path, counts, manifest, study=terms, identity=identity)
        output.print(plain(f"wrote {path}"), soft_wrap=True)
        return
    with progress_bar() as progress:
        task = progress.add_task("reading, reducing and auditing", total=3)
        if terms.learning is None:
            column_key, row_key = folder.read_key("column"), folder.read_key("row")
            message, reduction, rows = contribute_table(
                terms, role, data, id_column, column_key, row_key, budget=budget
            )
        else:
            rows = read_rows(terms, role, data, id_column, folder.read_key("row"))
            keys = column_keys(folder, terms, role)
            public = public_rows(study, terms, folder)
            message, reduction = contribute_rows(
                terms, role, rows, keys, public=public, budget=budget
            )
        progress.advance(task)
        audit = audit_party(terms, role, rows.matrix, quick=True)
        notes = rows.notes
        del rows
        progress.advance(task)
        manifest = describe(message, terms, f"contribution to the study {terms.name!r}")
        progress.advance(task)
    output.print(summarise_rows(terms, manifest, message, budget))
    for note in (*notes, *past_without_noise(terms, folder.ledger)):
        errors.print(plain(note, "yellow"))
    errors.print(plain(audit.worst_line, "yellow"))
    refusal = check_limit(terms, audit)
    if refusal and override is None:
        raise StudyError(f"{refusal} To send all the same, say who decides so: --override NAME.")
    _confirm(yes)
    n, k = message.representation.shape
    if refusal:
        folder.ledger.add(
            "override",
            by=override,
            reconstruction=audit.reconstruction,
            limit=terms.max_reconstruction,
            study=terms.digest,
        )
    about = {
        "rows": n,
        "dimensions": k,
        "anchor_rows": len(message.anchor),
        "reconstruction": audit.reconstruction,
        **_charge(terms.reduction.epsilon, budget),
    }
    _note(folder, terms, manifest, path, about)
    kept = {"mean": reduction.mean, "components": reduction.components}
    with write_whole(path) as target:
        seal_bundle(target, message, manifest, study=terms, identity=identity)
        # The reduction of an earlier contribution is given up only for one that can be sent.
        folder.write_state("reduction", kept, terms.digest, manifest.digest)
    output.print(plain(f"wrote {path}"), soft_wrap=True)


def _confirm(yes: bool) -> None:
    """Ask whether this may leave, and stop if it may not."""
    try:
        agreed = yes or typer.confirm("Write this contribution?", default=False, err=True)
    except typer.Abort:
        agreed = False
    if not agreed:
        raise StudyError("nothing was written: you did not agree. In a script, use --yes.")


def _note(
    folder: PrivateFolder,
    terms: Study,
    manifest: Manifest,
    path: Path,
    about: Mapping[str, float | None],
) -> None:
    """Note in the ledger what is about to leave."""
    folder.ledger.add(
        "contribution",
        to=manifest.recipient,
        study=terms.digest,
        file=path.name,
        **about,
        bytes=manifest.n_bytes,
        digest=manifest.digest,
        members={member.name: member.sha256 for member in manifest.members},
    )


def _charge(epsilon: float | None, budget: Budget) -> dict[str, float]:
    """Return what the ledger says about noise; nothing where there is none."""
    return {} if epsilon is None else {"epsilon": epsilon, "spent": budget.spent}

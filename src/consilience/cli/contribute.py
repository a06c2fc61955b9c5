"""``consilience contribute``: reduce your table, look at what would leave, and let it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.by_files import by_files
from consilience.cli.shared.console import tell_next
from consilience.cli.shared.options import (
    Accept,
    Anew,
    By,
    DryJson,
    DryRun,
    Keys,
    Out,
    Private,
    Role,
    StudyFile,
    Yes,
    check_output,
    output_folder,
    participant,
)
from consilience.cli.shared.sending import Consent, rehearse, send_table
from consilience.cli.shared.table_options import reads_table
from consilience.sources.source import Source
from consilience.study.study import ANALYST

__all__ = ["contribute"]


@reads_table
def contribute(
    path: StudyFile,
    role: Role,
    source: Source,
    private: Private = None,
    out: Out = Path("."),
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: DryJson = False,
    override: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Send although the audit exceeds the study's limit; NAME decides so.",
        ),
    ] = None,
    by: By = None,
    keys: Keys = None,
    accept: Accept = False,
    anew: Anew = False,
) -> None:
    """Write the one file that leaves the house: your contribution, sealed to the analyst.

    Shows first what is in it and what a quick audit rebuilds from it, and asks. If that exceeds
    max_reconstruction of the study it asks who decides to send all the same, and without a name
    writes nothing; the name goes into the ledger. In a script, --override names it beforehand.
    `consilience audit` shows more.

    Your rows, ids and keys stay here; what leaves are coordinates of your rows and of the anchor
    in fewer dimensions than you have columns, and pseudonyms of the ids. Every contribution is
    noted in ledger.jsonl of your private folder.

    In a study of groups nothing leaves but how many rows of each class you have; in one of
    summaries nothing but centres that stand for many rows, and the same table is drawn and paid for
    once, however often you run this.

    --dry-run does all of it on a copy of your private folder, and throws the copy away: nothing is
    written, noted or spent.

    If the study sets reduction.epsilon, your rows get Laplace noise of that budget before they are
    reduced (extra dp). It is paid for in the ledger when it is drawn, before you are asked, and
    kept: the same rows get the same noise again at no cost. Nothing is drawn beyond
    reduction.budget.

    Beside the file lies a signed statement of what is in it, for whoever checks what leaves the
    house. Where the study asks for approvals nothing but the statement is written; once
    `consilience approve` was run on it, run this again and the very file leaves that was approved.

    The row and column keys you share with other parties come with your private folder, or from the
    party that made them, as *.keys files beside the study file or named by --keys; where you are
    the first of those who share one it is made now, and a file for each of the others is written.
    See `consilience share`.

    The study and the analyst's keys are pinned in your private folder when something leaves for the
    first time. If they are others later, the difference is shown and nothing leaves without
    --accept. Compare the fingerprints that are shown with the others by telephone.

    Example: `consilience contribute study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id`
    """
    me = participant(path, role, private)
    kind = by_files(me.study, "contribute")
    check_output("--out", out, path, source.file)
    # Who cannot sign, or has nobody to write to, need not compute.
    for name in (me.identity.name, ANALYST):
        me.study.public_keys(name)
    out = output_folder(out)
    if dry_run:
        rehearse(me, kind, source, keys or [], as_json=as_json, override=override)
        return
    consent = Consent(yes, override, accept, anew, by)
    written, _ = send_table(me, kind, source, out, consent, keys or [])
    for sent in written:
        tell_next(f"carry {sent.name} to the analyst, who runs consilience analyse")

"""A study of summaries by files: centres of rows in, centres of clusters out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.arrays import Arrays
from consilience.by_files import (
    Examined,
    Leaving,
    Letter,
    Outcome,
    Solution,
    expect_letter,
    hear_all,
)
from consilience.exceptions import BundleError, StudyError
from consilience.mapped import in_blocks
from consilience.messages import Summary
from consilience.privacy.accountant import Accountant
from consilience.report.page import Page, Section, Table
from consilience.sources.faults import refuse
from consilience.sources.parts import NotInPartsError, comes_in_parts
from consilience.sources.reading import read_source
from consilience.sources.source import Source
from consilience.study.checking import check_table, kinds_of
from consilience.study.id_faults import id_column_faults
from consilience.study.labelled_lines import LabelledLines
from consilience.study.participant import Participant
from consilience.study.rows import cluster_table, refuse_name
from consilience.study.schema import Encoded
from consilience.study.streamed_table import RowsAtHome, read_rows_at_home, rows_at_home
from consilience.study.study import ANALYST, Study
from consilience.study.table_parts import Part, PartsOfTable
from consilience.summaries.analyst import Analyst
from consilience.summaries.audit import audit_summary
from consilience.summaries.class_files import codes_of, predict
from consilience.summaries.kept import keep_named, read_named
from consilience.summaries.party import Party
from consilience.summaries.roles import analyst_of, party_of, summarise
from consilience.summaries.terms import Summaries
from consilience.summaries.wording import describe_summaries

__all__ = ["VERBS", "audit", "describe", "read", "send", "solve"]

Codes = npt.NDArray[np.integer]
VERBS = ("contribute", "analyse", "label", "report", "audit")


def send(me: Participant, source: Source) -> Leaving:
    """Summarise a party's rows; noise is paid for before it is drawn, and drawn once.

    The same table under the same terms gives the same file again, and costs nothing more.
    """
    study, terms = me.study, me.study.of(Summaries).summaries
    rows = read_rows_at_home(study, me.name, source, me.folder.path)
    codes = codes_of(rows, terms)
    accountant = Accountant(me.folder, terms.budget, {"study": study.digest})

    def draw() -> Arrays:
        try:
            [message] = summarise(study, me.name, rows.matrix, codes, keep=rows.keep)
        except ValueError as error:
            raise StudyError(str(error)) from None
        assert isinstance(message, Summary)
        names = "centers", "weights", "errors", "classes"
        parts = {name: getattr(message, name) for name in names}
        return {name: array for name, array in parts.items() if array is not None}

    if terms.noisy:
        key, facts = f"{study.digest} {me.name} {_digest(rows, codes)}", {"purpose": "summary"}
        kept = accountant.draw_once(key, terms.epsilon, draw, facts)
    else:
        kept = draw()
    message = Summary(
        study=study.digest,
        sender=me.name,
        recipient=ANALYST,
        centers=kept["centers"],
        weights=kept["weights"],
        errors=kept.get("errors"),
        classes=kept.get("classes"),
    )
    shown = [
        ("centres", f"{len(message.centers)}, each with about how many rows it stands for"),
        ("of any single row", "nothing: no values, no label, no pseudonym"),
        ("what is promised", terms.promise),
    ]
    if terms.noisy:
        shown.append(("spent per person", accountant.spoken))
    return Leaving(
        letters=[
            Letter(
                message,
                f"summary for the study {study.name!r}",
                f"{me.name.replace('/', '.')}.contribution",
            )
        ],
        shown=shown,
        question="Write this summary?",
        entry="contribution",
        facts={"centers": len(message.centers), "guarantee": terms.guarantee},
    )


def _digest(rows: RowsAtHome, codes: npt.NDArray[np.int64] | None) -> str:
    """Return the digest of what is summarised."""
    digest = hashlib.sha256()
    for block in in_blocks(rows.matrix):
        digest.update(np.ascontiguousarray(block).data)
    digest.update(b"" if codes is None else codes.tobytes())
    return digest.hexdigest()


def solve(me: Participant, arrived: Sequence[Letter], newcomers: Sequence[str] = ()) -> Solution:
    """Cluster the centres that arrived, and tell every party the clusters."""
    if newcomers:
        raise StudyError("--newcomer is for institutions that are grouped; here none are.")
    analyst = analyst_of(me.study, read_named(me))
    answers, notes = _gather(me, analyst, arrived)
    classes = me.study.of(Summaries).summaries.classes
    called = [str(name) for name in (analyst.named.names if classes is None else classes)]
    sizes = [
        [name, f"{size:.0f}", f"± {2 * error:.0f}" if error else "exact"]
        for name, size, error in zip(called, analyst.sizes, analyst.errors, strict=True)
    ]
    caption = "rows of all parties, within two standard deviations of the noise"

    def page() -> Page:
        from consilience.summaries.page import summaries_analyst_page

        return summaries_analyst_page(me.study, analyst)

    def keep() -> None:
        if classes is None:
            keep_named(me, analyst.named)

    counted = "n_clusters" if classes is None else "n_classes"
    return Solution(
        answers,
        {
            counted: len(called),
            "names": called,
            "sizes": analyst.sizes.tolist(),
            "errors": analyst.errors.tolist(),
            "centers": {party: len(s.centers) for party, s in analyst.summaries.items()},
        },
        Table(["cluster" if classes is None else "class", "rows", "noise"], sizes, caption),
        page,
        notes,
        keep,
    )


def _gather(
    me: Participant, analyst: Analyst, arrived: Sequence[Letter]
) -> tuple[list[Letter], list[str]]:
    """Let the analyst take what arrived, and address its answers."""
    found, seen, notes = hear_all(me.study, analyst, arrived, Summary, "summary")
    letters = []
    for answer in found:
        assert isinstance(answer, Summary)
        letters.append(
            Letter(
                replace(answer, contribution=seen[answer.recipient].stated.digest),
                f"clusters of the study {me.study.name!r}",
                f"{answer.recipient.replace('/', '.')}.answer",
            )
        )
    return letters, notes


def read(
    me: Participant,
    answers: Sequence[Letter],
    source: Source,
    *,
    new: Source | None = None,
    page: bool = False,
    as_lines: bool = False,
    **unused: Any,
) -> Outcome:
    """Give each row its cluster, or its class, at home: rows of the study, or new ones.

    With `as_lines`, a large table is gone through in parts for its clusters, and written line by
    line.
    """
    if len(answers) != 1:
        raise StudyError(f"a party has one answer, but {len(answers)} files were named.")
    [letter] = answers
    expect_letter(letter, Summary, "answer to this party")
    answer = letter.message
    assert isinstance(answer, Summary)
    sent = me.folder.ledger.contributions(me.study.digest)
    if answer.sender != ANALYST or answer.contribution not in sent:
        raise BundleError(
            f"{letter.file} is no answer of the analyst to what your ledger, "
            f"{me.folder.ledger.path}, says you sent. Use the private folder you contributed with."
        )
    terms = me.study.of(Summaries).summaries
    if terms.classes is not None:
        rows_asked = None if new is None else _read(me.study, new)
        return predict(me, answer, source, rows_asked)
    agreed = terms.n_clusters
    if isinstance(agreed, int) and len(answer.centers) > agreed:
        raise BundleError(
            f"{letter.file} has {len(answer.centers)} clusters, but the study says {agreed}. Ask "
            f"the analyst."
        )
    party = party_of(me.study, me.name)
    party.receive(answer)
    names = np.arange(len(answer.centers)) if answer.names is None else answer.names
    table, places = _place(me, party, new or source, names, as_lines=as_lines and not page)
    sizes = np.bincount(places[places >= 0], minlength=len(answer.centers))
    without = int((places < 0).sum())
    notes = [f"{without} rows have a missing value and no cluster."] if without else []

    def make_page() -> Page:
        from consilience.summaries.page import summaries_party_page

        return summaries_party_page(me, answer, sizes)

    said = ", ".join(f"cluster {k}: {n}" for k, n in zip(names, sizes, strict=True))
    return Outcome(table, said, make_page, notes)


def _place(
    me: Participant, party: Party, source: Source, names: Codes, *, as_lines: bool
) -> tuple[pd.DataFrame | LabelledLines, Codes]:
    """Return the table of clusters, and the place of each row's cluster among them; -1 for none."""
    if as_lines and comes_in_parts(source):
        with suppress(NotInPartsError):
            parts = PartsOfTable(me.study, me.name, source, me.folder.path)
            labels = np.concatenate([_label(party, part) for part in parts.read()])
            parts.notes()
            words = [str(name) for name in names]
            refuse_name(source.id_column)
            return LabelledLines(parts.table, source.id_column, labels, words), labels
    ids, rows = _read(me.study, source)
    places = np.full(len(ids), -1, dtype=np.int64)
    places[rows.kept] = party.label(rows.matrix)
    return cluster_table(ids, np.append(names, -1)[places]), places


def _label(party: Party, part: Part) -> npt.NDArray[np.int16]:
    """Return the place of the cluster of each row of a part, -1 for none."""
    places = np.full(len(part.matrix), -1, dtype=np.int16)
    places[part.taken] = party.label(part.matrix[part.taken])
    return places


def _read(study: Study, source: Source) -> tuple[pd.Series, Encoded]:
    schema = study.schema_of(study.grid.columns[0])
    found = read_source(source, kinds_of(schema, source.id_column))
    refuse([*found.faults, *id_column_faults(source.id_column, found.table)])
    ids = found.table.pop(source.id_column).astype("string")
    return ids, schema.encode(found.table)


def audit(
    study: Study,
    party: str,
    source: Source,
    *,
    n_repeats: int = 5,
    seed: int | None = None,
    frontier: bool = False,
    **unused: Any,
) -> Examined:
    """Attack the summary a party would send."""
    if frontier:
        raise StudyError(
            "a study of summaries reduces nothing, so it has no frontier. Compare audits with "
            "several summaries.epsilon instead."
        )
    rows = rows_at_home(check_table(study, party, source), study)
    codes, X = codes_of(rows, study.of(Summaries).summaries), rows.matrix
    return Examined(audit_summary(study, party, X, codes, n_repeats=n_repeats, seed=seed))


def describe(study: Study) -> Section:
    """Say what was agreed."""
    return describe_summaries(study)

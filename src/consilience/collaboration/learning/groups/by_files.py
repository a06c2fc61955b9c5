"""A study of groups by files: label counts in, who is with whom out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from scipy.cluster.hierarchy import is_valid_linkage

from consilience.by_files import Examined, Leaving, Letter, Outcome, Solution
from consilience.collaboration.exchange import (
    SUFFIX,
    account_of,
    gather,
    noise_facts,
    take_answer,
)
from consilience.collaboration.learning.grouping import members_of
from consilience.collaboration.learning.groups.grouping_analyst import GroupingAnalyst
from consilience.collaboration.learning.groups.party import CountingParty
from consilience.collaboration.learning.groups.study_of_group import study_of_group
from consilience.collaboration.learning.groups.terms import Groups
from consilience.collaboration.learning.groups.wording import describe_groups
from consilience.collaboration.learning.targets import check_target, classes_of
from consilience.exceptions import BudgetError, MessageError, StudyError
from consilience.messages import Grouping, LabelCounts
from consilience.privacy.noise import CountNoise
from consilience.report.page import Page, Table
from consilience.sources.source import Source
from consilience.study.participant import Participant
from consilience.study.study import ANALYST, Study
from consilience.study.toml import to_toml

__all__ = ["VERBS", "audit", "describe", "read", "send", "solve"]

VERBS = ("contribute", "analyse", "label", "report", "audit")


def send(me: Participant, source: Source) -> Leaving:
    """Count the classes of a party's rows; the budget is charged before noise is drawn."""
    terms = me.study.of(Groups).learning
    if me.place.column != terms.holder:
        raise StudyError(
            f"{me.name!r} has nothing to send: in this study only parties of {terms.holder!r} do, "
            f"the number of their rows of each class."
        )
    rows = me.read_rows_to_send(source)
    target = check_target(me.name, rows.target, terms)
    party = _party(me)
    try:
        (message,) = party.begin(target)
    except BudgetError:
        raise
    except ValueError as error:
        raise StudyError(str(error)) from None
    assert isinstance(message, LabelCounts)
    names = zip(sorted(terms.classes), message.counts, strict=True)
    shown = [
        ("rows of each class", ", ".join(f"{name}: {n}" for name, n in names)),
        ("of any single row", "nothing: no coordinates, no class, no pseudonym"),
    ]
    if terms.epsilon is None:
        shown.append(("noise", "none: the counts are exact, no privacy is proven"))
    else:
        scale = f"two-sided geometric, scale {2 / terms.epsilon:.3g}"
        shown += [("noise on every count", scale), ("spent per record", party.budget.spoken)]
    purpose = f"label counts for the study {me.study.name!r}"
    return Leaving(
        letters=[Letter(message, purpose, me.name.replace("/", ".") + SUFFIX)],
        shown=shown,
        question="Write this contribution?",
        entry="contribution",
        facts={"classes": len(message.counts), **noise_facts(terms.epsilon, party.budget)},
        notes=rows.notes,
    )


def _party(me: Participant) -> CountingParty:
    terms = me.study.of(Groups).learning
    return CountingParty(
        me.name,
        classes_of(terms),
        noise=None if terms.epsilon is None else CountNoise(terms.epsilon),
        budget=account_of(me, terms.budget),
        study=me.study.digest,
        analyst=ANALYST,
    )


def solve(me: Participant, arrived: Sequence[Letter], newcomers: Sequence[str] = ()) -> Solution:
    """Group the institutions whose counts arrived, and tell each of them."""
    study, terms = me.study, me.study.of(Groups).learning
    try:
        analyst = GroupingAnalyst(
            study.grid.rows,
            holder=terms.holder,
            absent=study.grid.absent,
            n_classes=len(terms.classes),
            threshold=terms.threshold,
            newcomers=newcomers,
            study=study.digest,
            name=ANALYST,
        )
    except ValueError as error:
        raise StudyError(str(error)) from None
    answers, received, notes = gather(me, analyst, arrived)
    members = members_of(analyst.groups)
    table = Table(
        ["group", "institutions"],
        [[str(g), ", ".join(rows)] for g, rows in enumerate(members)],
        caption=f"groups are cut at a distance of {analyst.threshold:g}",
    )

    def page() -> Page:
        from consilience.collaboration.learning.groups.page import grouping_analyst_page

        return grouping_analyst_page(study, analyst, received)

    summary = {"groups": analyst.groups, "threshold": analyst.threshold}
    return Solution(answers, summary, table, page, notes)


def read(
    me: Participant,
    answers: Sequence[Letter],
    source: Source,
    *,
    new: Source | None = None,
    **unused: Any,
) -> Outcome:
    """Say who is with whom and, for a group of several, write the study its members may agree on.

    The table of the party is not needed for it.
    """
    if new is not None:
        raise StudyError(
            "the study groups institutions by their label counts and learns nothing about rows "
            "(learning.labels = 'distribution'): --new-data needs the study of your group."
        )
    answer, notes = take_answer(me, answers, Grouping)
    party = _party(me)
    party.receive(answer)
    groups, own = _groups_of(me.study, answer), me.place.row
    if own not in groups:
        raise MessageError(f"the answer places {own!r} in no group, although it was answered.")
    table = pd.DataFrame({"institution": list(groups), "group": list(groups.values())})
    partners = [row for row in groups if groups[row] == groups[own]]
    files, also = _study_files(me, partners, groups[own])

    def page() -> Page:
        from consilience.collaboration.learning.groups.page import grouping_page

        return grouping_page(me.study, me.name, groups, answer, me.folder.ledger.entries())

    said = f"{len(members_of(groups))} groups, threshold {answer.threshold:g}"
    return Outcome(table, said, page, notes, files, also)


def _study_files(
    me: Participant, partners: Sequence[str], number: int
) -> tuple[dict[str, bytes], str]:
    """Return the study in which a group would learn together, and the sentence about it."""
    own = me.place.row
    if len(partners) == 1:
        return {}, f"{own} is alone in group {number}: learn at home, nothing more need leave"
    also = (
        f"the study in which {own} would learn together with "
        f"{', '.join(row for row in partners if row != own)}, the others of group {number}: with "
        f"it the class of every row goes to its analyst, and nothing to the other groups. Agree "
        f"on it, or on nothing"
    )
    terms = study_of_group(me.study, partners, number).terms()
    return {"-study.toml": to_toml(terms).encode()}, also


def _groups_of(study: Study, answer: Grouping) -> dict[str, int]:
    """Return the group of each row institution that took part."""
    if len(answer.groups) != len(study.grid.rows):
        raise MessageError(
            f"the answer groups {len(answer.groups)} institutions, but the study has "
            f"{len(study.grid.rows)}."
        )
    if len(answer.tree) and not is_valid_linkage(answer.tree):
        raise MessageError("the tree of the answer is no tree of merges.")
    named = zip(study.grid.rows, answer.groups.tolist(), strict=True)
    return {row: g for row, g in named if g >= 0}


def audit(study: Study, party: str, source: Source, **options: Any) -> Examined:
    """Refuse: there are no rows to rebuild."""
    raise StudyError(
        "nothing leaves in this study but how many rows of each class there are "
        "(learning.labels = 'distribution'): there are no rows to rebuild. Audit the study of "
        "your group instead."
    )


describe = describe_groups

"""Questions about rows that come later: where columns are split, only the analyst can label them.

A question is rows by coordinates, through the reduction the party contributed with. The analyst
solves the study again from the same contributions, which gives the same clusters or model, and
answers once every party that holds columns of the rows has asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consilience.by_files import Leaving, Letter
from consilience.collaboration.answers import keep_order, shorten
from consilience.collaboration.audit.of_party import audit_leaving
from consilience.collaboration.gathering import Gathering
from consilience.collaboration.kept import find_kept, map_of, other_reductions, read_kept
from consilience.collaboration.party import Party
from consilience.collaboration.terms import Reduced
from consilience.exceptions import StudyError
from consilience.holdings import Place
from consilience.messages import Answer, Message, Prediction, Query
from consilience.privacy.audits.limit import check_limit
from consilience.study.participant import Participant
from consilience.study.rows import Rows

__all__ = ["QUESTION", "answer_questions", "ask"]

QUESTION = "question"
"""What the ledger calls it, and the ending of its file."""
AS_ADVISED = "Ask about fewer rows, or contribute them to a study of summaries"


def ask(me: Participant, party: Party, rows: Rows) -> Leaving:
    """Make the question of a party about new rows, say what it is, and audit it."""
    study, terms = me.study, me.study.of(Reduced).reduction
    kept = read_kept(me)
    used = find_kept(me, kept)
    if used is None:
        raise StudyError(
            f"{me.name} has not contributed to {study.name!r} from this private folder: the "
            f"analyst cannot place rows of a party it has not heard of. Contribute first."
        )
    party.reuse(used.reduction, used.steps)
    (message,) = party.ask(rows.matrix, rows.pseudonyms)
    assert isinstance(message, Query)
    others = [other.map for other in other_reductions(me, kept, used.reduction)]
    maps = [*others, map_of(used.reduction, used.steps)]
    audit = audit_leaving(me, rows.matrix, maps)
    n, k = message.representation.shape
    width = study.width_of(me.place.column)
    noise = {"epsilon": terms.epsilon, "charged": True} if terms.epsilon is not None else {}
    return Leaving(
        letters=[
            Letter(
                message,
                f"question to the study {study.name!r}",
                f"{me.name.replace('/', '.')}.{QUESTION}",
            )
        ],
        shown=[
            ("new rows, by coordinates", f"{n} rows x {k} dimensions, of {width} columns"),
            ("made from the columns", ", ".join(study.schemas[me.place.column])),
            ("row pseudonyms", f"{n}, {study.names_of_rows(me.name)}"),
            ("reduction", "the one of your contribution, so that both together tell no more"),
        ],
        question="Write this question?",
        entry=QUESTION,
        facts={"rows": n, "dimensions": k, "reconstruction": audit.reconstruction, **noise},
        notes=rows.notes,
        audit=audit,
        refusal=check_limit(audit, study.max_reconstruction, AS_ADVISED),
        keep=lambda manifest: keep_order(me, message, manifest),
    )


def answer_questions(
    me: Participant, analyst: Gathering, questions: Sequence[Letter]
) -> tuple[list[Letter], list[str]]:
    """Let an analyst that has solved its study answer what was asked.

    Returns
    -------
    answers : list of Letter
    notes : list of str
        Who has to ask, too, before the others can be answered.
    """
    asked = {letter.message.sender: letter for letter in questions}
    answers: list[Message] = []
    for letter in asked.values():
        answers += analyst.receive(letter.message)
    letters = []
    for answer in answers:
        assert isinstance(answer, Answer | Prediction)
        digest = asked[answer.recipient].stated.digest
        told = replace(shorten(answer), contribution=digest)
        name = f"{answer.recipient.replace('/', '.')}.{QUESTION}.answer"
        letters.append(Letter(told, f"answer to a question in {me.study.name!r}", name))
    waiting = sorted(set(asked) - {answer.recipient for answer in answers})
    rows = {Place.of(name).row for name in waiting}
    silent = [p for p in me.study.grid.parties if Place.of(p).row in rows and p not in asked]
    notes = [f"the questions of {waiting} wait for those of {silent}"] if waiting else []
    return letters, notes

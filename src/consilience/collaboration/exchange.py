"""What studies of reduced rows have in common when their messages travel as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from consilience.by_files import (
    AwaitingAnalyst,
    Examined,
    Exhibit,
    Leaving,
    Letter,
    expect_letter,
    hear_all,
)
from consilience.collaboration.answers import keep_order, restore, shorten
from consilience.collaboration.arrivals import Received
from consilience.collaboration.asking import QUESTION, answer_questions
from consilience.collaboration.audit.frontier import Frontier
from consilience.collaboration.audit.of_party import (
    audit_leaving,
    audit_party,
    foresee,
    frontier_of_party,
)
from consilience.collaboration.audit.scene import MAX_ROWS
from consilience.collaboration.gathering import Gathering
from consilience.collaboration.kept import (
    STATE,
    find_kept,
    left_elsewhere,
    map_of,
    other_reductions,
    read_kept,
    to_keep,
)
from consilience.collaboration.party import Party
from consilience.collaboration.reduction import AffineReduction
from consilience.collaboration.roles import past_without_noise
from consilience.collaboration.terms import Reduced
from consilience.exceptions import BundleError, StudyError
from consilience.mapped import in_blocks
from consilience.messages import (
    Answer,
    Contribution,
    Grouping,
    LabelCounts,
    LabelledContribution,
    Message,
    Prediction,
    Query,
)
from consilience.privacy.accountant import Accountant
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.limit import check_exact_rows, check_limit
from consilience.privacy.release import Account
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.id_faults import tell_unmatched
from consilience.study.participant import Participant
from consilience.study.rows import RowsToSend
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import Manifest

__all__ = [
    "SUFFIX",
    "account_of",
    "audit_reduced",
    "gather",
    "leave",
    "map_rows",
    "noise_facts",
    "read_reduction",
    "sent_rows",
    "take_answer",
]

SUFFIX = ".contribution"
AUDITED_ROWS = 50_000
"""So many rows at most are looked at before a contribution leaves."""
AS_ADVISED = (
    "Change what the study sends, as `consilience audit` advises, agree on a study of summaries "
    "where all hold the same columns, in which no row leaves"
)
AnswerType = TypeVar("AnswerType", Answer, Prediction, Grouping)


def leave(me: Participant, party: Party, rows: RowsToSend) -> Leaving:
    """Make the contribution of a party, say what it is, and audit it."""
    study, terms, budget = me.study, me.study.of(Reduced).reduction, party.budget
    kept = read_kept(me)
    used_before = find_kept(me, kept)
    if used_before is not None:
        party.reuse(used_before.reduction, used_before.steps)
    (message,) = party.begin(rows.matrix, rows.pseudonyms, rows.target, rows.keep)
    assert isinstance(message, Contribution)
    reduction = party.reduction
    assert isinstance(reduction, AffineReduction)
    others = other_reductions(me, kept, reduction)
    maps = [*(other.map for other in others), map_of(reduction, party.steps)]
    # In the order of pseudonyms, the first rows are rows drawn at random.
    sample = np.array(rows.matrix[:AUDITED_ROWS])
    audit = audit_leaving(me, sample, maps)
    arrays = to_keep(me, reduction, party.steps)

    def keep(manifest: Manifest) -> None:
        keep_order(me, message, manifest)
        me.folder.write_state(STATE, arrays, study.digest, manifest.digest)

    return Leaving(
        letters=[_letter(me, message, "contribution to")],
        shown=_shown(me, message, budget, used_before is not None),
        question="Write this contribution?",
        entry="contribution",
        facts={
            "rows": len(message.representation),
            "dimensions": message.representation.shape[1],
            "anchor_rows": len(message.anchor),
            "reconstruction": audit.reconstruction,
            **noise_facts(terms.epsilon, budget),
        },
        notes=(
            *rows.notes,
            *past_without_noise(terms.epsilon, me.folder.ledger),
            *left_elsewhere(me, others),
            *_sampled(len(sample), len(rows.matrix)),
        ),
        audit=audit,
        refusal=_refusal(study, audit),
        keep=keep,
    )


def _sampled(n_audited: int, n_rows: int) -> tuple[str, ...]:
    """Say that an audit saw a sample, if it did, and what that is worth."""
    if n_audited == n_rows:
        return ()
    error = 100 * 0.98 / np.sqrt(MAX_ROWS)  # two standard errors of a share of one half
    return (
        f"the audit looked at {n_audited:,} rows drawn at random of your {n_rows:,}, and attacked "
        f"{MAX_ROWS:,} of them at a time: a share of rows it states is within {error:.0f} points "
        f"of that of all rows, in 95 of 100 draws.",
    )


def _letter(me: Participant, message: Message, what: str) -> Letter:
    purpose = f"{what} the study {me.study.name!r}"
    return Letter(message, purpose, me.name.replace("/", ".") + SUFFIX)


def account_of(me: Participant, limit: float | None) -> Accountant:
    """Return what the noise of a party is charged to: all that its ledger says, up to a limit."""
    return Accountant(me.folder, limit, {"study": me.study.digest})


def noise_facts(epsilon: float | None, budget: Account) -> dict[str, float | bool]:
    """Return what the ledger says about noise, which was charged when it was drawn."""
    return {} if epsilon is None else {"epsilon": epsilon, "charged": True, "spent": budget.spent}


def _shown(
    me: Participant, message: Contribution, budget: Account, again: bool
) -> list[tuple[str, str]]:
    """Tabulate what leaves of rows."""
    reduction, column = me.study.of(Reduced).reduction, me.place.column
    width = me.study.width_of(column)
    n, k = message.representation.shape
    shown = [
        ("rows, by coordinates", f"{n} rows x {k} dimensions, of {width} columns"),
        ("made from the columns", ", ".join(me.study.schemas[column])),
        ("anchor, by coordinates", f"{len(message.anchor)} rows x {k} dimensions"),
        ("row pseudonyms", f"{n}, {me.study.names_of_rows(me.name)}"),
    ]
    if isinstance(message, LabelledContribution):
        known = sum(int(block.any(axis=1).sum()) for block in in_blocks(message.targets))
        shown.append(("classes of the rows", f"{known} of {n}: the analyst learns them"))
    if reduction.epsilon is None:
        shown.append(("noise", "none: the study asks for none, no privacy is proven"))
    else:
        noise = f"{width / reduction.epsilon:.0%} of the range of its column (Laplace)"
        shown += [("noise on every value", noise), ("spent per record", budget.spoken)]
    blocks = [(b.min(axis=0), b.max(axis=0)) for b in in_blocks(message.representation)]
    least, most = np.array(blocks, dtype=np.float64).swapaxes(0, 1)
    spread = most.max(axis=0) - least.min(axis=0)
    spread = spread if message.steps is None else spread * message.steps
    exactly = "no: in double precision"
    if message.steps is not None:
        exactly = f"to steps of at least {message.steps.min():.4g}; the same every time"
    before = "; the one of your earlier contribution, so that both together tell no more"
    return [
        *shown,
        ("reduction", f"{reduction.reducer}, rotated: {reduction.rotate}{before if again else ''}"),
        ("coordinates, rounded", exactly),
        ("widest coordinate", f"{spread.max():.4g}"),
    ]


def gather(
    me: Participant, analyst: AwaitingAnalyst, arrived: Sequence[Letter]
) -> tuple[list[Letter], list[Received], list[str]]:
    """Let an analyst take what arrived, say who is missing, and address its answers.

    Returns
    -------
    answers : list of Letter
    received : list of Received
        The size of each contribution, in the order of the files.
    notes : list of str
    """
    questions = [letter for letter in arrived if isinstance(letter.message, Query)]
    sent = [letter for letter in arrived if letter not in questions]
    kinds = (Contribution, LabelCounts)
    answers, seen, notes = hear_all(me.study, analyst, sent, kinds, "contribution")
    if isinstance(analyst, Gathering):
        notes += [f"going on without {name}: {why}" for name, why in analyst.left_out.items()]
        told = {row: tell_unmatched(join.n_unmatched) for row, join in analyst.joins.items()}
        notes += [f"{row}: {text}" for row, text in told.items() if text]
    letters = [_refer(me, answer, seen[answer.recipient].stated) for answer in answers]
    if questions and isinstance(analyst, Gathering):
        further, waiting = answer_questions(me, analyst, questions)
        letters, notes = [*letters, *further], [*notes, *waiting]
    return letters, [_size(letter) for letter in seen.values()], notes


def _refer(me: Participant, answer: Message, answered: Manifest) -> Letter:
    """Name the contribution that is answered."""
    assert isinstance(answer, Answer | Prediction | Grouping)
    purpose = f"answer of the study {me.study.name!r}"
    name = f"{answer.recipient.replace('/', '.')}.answer"
    return Letter(replace(shorten(answer), contribution=answered.digest), purpose, name)


def _size(letter: Letter) -> Received:
    message, n_bytes = letter.message, letter.stated.n_bytes
    if not isinstance(message, Contribution):
        return Received(message.sender, 0, 0, 0, n_bytes)
    n_rows, n_dimensions = message.representation.shape
    return Received(message.sender, n_rows, n_dimensions, len(message.anchor), n_bytes)


def take_answer(
    me: Participant, answers: Sequence[Letter], kind: type[AnswerType]
) -> tuple[AnswerType, list[str]]:
    """See that there is one answer, the analyst's, to what the party sent; warn of an older one."""
    if len(answers) != 1:
        raise StudyError(f"a party has one answer, but {len(answers)} files were named.")
    [letter] = answers
    expect_letter(letter, kind, "answer to this party")
    message = letter.message
    assert isinstance(message, kind)
    if message.sender != ANALYST:
        raise BundleError(f"{letter.file} comes from {message.sender!r}, not from the analyst.")
    sent = me.folder.ledger.contributions(me.study.digest)
    if message.contribution in me.folder.ledger.contributions(me.study.digest, QUESTION):
        return restore(me, message), []
    if message.contribution not in sent:
        raise BundleError(
            f"{letter.file} answers a contribution to this study that is not in your ledger, "
            f"{me.folder.ledger.path}. Use the private folder you contributed with, or ask the "
            f"analyst what it received in your name."
        )
    message = restore(me, message)
    if message.contribution == sent[-1]:
        return message, []
    note = (
        f"{letter.file} answers contribution {sent.index(message.contribution) + 1} of your "
        f"{len(sent)} to this study, not the latest. Send that one to the analyst if it is the "
        f"one that counts."
    )
    return message, [note]


def sent_rows(me: Participant, answer: Answer | Prediction) -> int:
    """Return how many rows the contribution that is answered had, from the ledger."""
    entries = me.folder.ledger.entries()
    [n_rows] = {e["rows"] for e in entries if e.get("digest") == answer.contribution}
    return int(n_rows)


def read_reduction(me: Participant, answer: Answer | Prediction) -> AffineReduction:
    """Read the reduction that was kept of the contribution an answer is about."""
    kept = read_kept(me)
    own = [k for k in kept if k.contribution == answer.contribution]
    mine = own[-1] if own else find_kept(me, kept)
    if mine is not None and (own or mine.sending):
        return mine.reduction
    state = me.folder.read_state(STATE, me.study.digest, answer.contribution)
    return AffineReduction(state["mean"], state["components"])


def map_rows(
    X: npt.NDArray[np.float64], answer: Answer | Prediction, reduction: AffineReduction
) -> npt.NDArray[np.float64]:
    """Map rows that were not in the study into the shared space, by the map of an answer.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    answer : Answer or Prediction
    reduction : AffineReduction
        What the party kept of the contribution that is answered.
    """
    if answer.linear is None or answer.offset is None:
        raise StudyError(
            "the answer holds no model: only rows that were contributed have labels. Agree on "
            "answer = 'model' (learning.answer in a study that learns) to label new rows."
        )
    width = reduction.components.shape[1]
    if width != len(answer.linear):
        raise StudyError(
            f"{answer.recipient!r} holds {width} of the {len(answer.linear)} dimensions of its "
            f"rows; at home new rows can only be labelled where one party holds all columns. All "
            f"parties of these rows may run `consilience ask` on them."
        )
    return np.asarray(reduction.transform(X) @ answer.linear + answer.offset)


def audit_reduced(
    study: Study,
    party: str,
    source: Source,
    *,
    n_repeats: int = 5,
    seed: int | None = None,
    frontier: bool = False,
    alone: bool = False,
    epsilons: Sequence[float] = (),
    n_clusters: int | None = None,
    clustered: bool = False,
    **unused: Any,
) -> Examined:
    """Attack what a party would contribute; draw the frontier, or it alone, if asked.

    Where clusters are looked for, it also warns of those that would say nothing new.
    """
    X = check_table(study, party, source).accepted().matrix
    exhibit = None
    if frontier:
        drawn = frontier_of_party(
            study, party, X, n_clusters=n_clusters, epsilons=epsilons, seed=seed
        )
        exhibit = _exhibit(drawn)
    if exhibit is not None and alone:
        return Examined(None, exhibit=exhibit)
    audit = audit_party(study, party, X, n_repeats=n_repeats, seed=seed)
    if clustered:
        foreseen = foresee(study, party, X, n_clusters=n_clusters, seed=seed)
        audit = replace(audit, advice=(*audit.advice, *foreseen))
    return Examined(audit, _refusal(study, audit), exhibit)


def _refusal(study: Study, audit: Audit) -> str:
    """Say which limit of the study an audit exceeds; nothing if none."""
    limit, exact = study.max_reconstruction, study.of(Reduced).max_exact_rows
    return check_limit(audit, limit, AS_ADVISED) or check_exact_rows(audit, exact, AS_ADVISED)


def _exhibit(frontier: Frontier) -> Exhibit:
    # Pictures take a while to load, and most audits draw none.
    from consilience.collaboration.audit.frontier_figure import plot_frontier
    from consilience.collaboration.audit.frontier_page import show_frontier

    return Exhibit(
        frontier.to_text(),
        frontier.to_json(),
        lambda: plot_frontier(frontier),
        lambda: show_frontier(frontier),
    )

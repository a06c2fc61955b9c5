"""One look at a carrier: do what can be done now, and say what is waited for.

Each function may be called again and again, at any time and after any crash: what was done is not
done twice. It returns what it waits for, in words; nothing, if nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from consilience.by_files import Kind, Letter, by_files
from consilience.cli.shared.console import busy, tell, warn
from consilience.cli.shared.key_letters import awaited_keys
from consilience.cli.shared.letters import show_table, write_answers, write_outcome
from consilience.cli.shared.match_letters import match_ids, to_be_done
from consilience.cli.shared.options import MAX_SPLITS
from consilience.cli.shared.post import Post
from consilience.cli.shared.sending import Consent, send_table
from consilience.cli.shared.withdrawals import obey_withdrawals
from consilience.evidence.check import read_statement, statement_of
from consilience.evidence.roll import Roll
from consilience.evidence.waiting import bundles_waiting
from consilience.messages import SharedKey
from consilience.psi.waiting import awaited_match
from consilience.sources.source import Source
from consilience.study.participant import Participant
from consilience.study.study import ANALYST

__all__ = [
    "ANSWER",
    "LABELS",
    "PAGE",
    "Event",
    "answer_all",
    "approval_awaited",
    "pass_ids_on",
    "take_part",
]

Event = Callable[..., None]
LABELS, PAGE = "labels.csv", "report.html"
ANSWER = "the analyst's answer"


def take_part(post: Post, source: Source, consent: Consent, event: Event, *, again: bool) -> str:
    """Contribute if that was not done, or is asked for again; label if the answer is there."""
    me, out = post.me, post.out
    kind = by_files(me.study, "contribute")
    arrived = list(post.letters())
    if again or not _contributed(post):
        makers = awaited_keys(me, [letter for letter, _ in arrived])
        waiting = f"keys of {', '.join(makers)}" if makers else approval_awaited(me, out, consent)
        if waiting:
            return waiting
        waiting = pass_ids_on(post, source, [letter for letter, _ in arrived], consent, again=again)
        if waiting:
            return waiting
        keys = [path for letter, path in arrived if isinstance(letter.message, SharedKey)]
        send_table(me, kind, source, out, consent, keys)
    post.send()
    if not _contributed(post):
        return approval_awaited(me, out, consent)
    event("contributed", to=ANALYST)
    latest = me.folder.ledger.contributions(me.study.digest)[-1]
    for letter, path in arrived:
        if getattr(letter.message, "contribution", None) == latest:
            if not _is_newer(out / LABELS, path):
                _label(me, kind, letter, source, out)
            event("labelled", file=str(out / LABELS))
            return ""
    return ANSWER


def pass_ids_on(
    post: Post, source: Source, arrived: Sequence[Letter], consent: Consent, *, again: bool = False
) -> str:
    """Match ids with the other holders of the rows as far as that can be done now."""
    me = post.me
    if not me.study.matches_by_psi(me.name):
        return ""
    lacking = to_be_done(me, arrived, post.out)
    if lacking is not None:
        match_ids(me, source, lacking, post.out, consent, again=again)
        post.send()
    return approval_awaited(me, post.out, consent) or awaited_match(me.study, me.name, me.folder)


def answer_all(post: Post, kind: Kind, event: Event, *, now: bool, **options: Any) -> str:
    """Solve and answer if all are there, or if told so those who are, and something is new."""
    me, out = post.me, post.out
    arrived, left_out = obey_withdrawals(me, [letter for letter, _ in post.letters()])
    there = {letter.message.sender for letter in arrived}
    missing = [n for n in me.study.method.senders_to(ANALYST, me.study) if n not in there]
    if arrived and (now or not missing) and _answered(post) != _roll_of(arrived):
        for line in left_out:
            warn(line)
        with busy("solving"):
            solution = kind.solve(me, arrived, **options)
        write_answers(me, solution, out, out / PAGE, arrived)
        show_table(solution.table)
        answered = [letter.message.recipient for letter in solution.answers]
        tell(f"wrote {len(answered)} answers in {out}")
        event("answered", parties=answered)
    post.send()
    if arrived and now:
        return ""
    return f"{', '.join(missing)}" if missing else ""


def approval_awaited(me: Participant, out: Path, consent: Consent) -> str:
    """Say what waits for the signature of an approver, if something does."""
    waiting, _ = bundles_waiting(me, out)
    lacking = [bundle for bundle in waiting if bundle.checked.n_missing]
    if not lacking or consent.anew:
        return ""
    return f"{lacking[0].checked.waits_for} of {statement_of(out / lacking[0].path.name)}"


def _contributed(post: Post) -> bool:
    """Tell whether the ledger says that a contribution left, and its file is still there."""
    study = post.me.study.digest
    files = [
        str(e.get("file"))
        for e in post.me.folder.ledger.entries()
        if e["what"] == "contribution" and e.get("study") == study
    ]
    return bool(files) and (post.out / files[-1]).exists()


def _label(me: Participant, kind: Kind, letter: Letter, source: Source, out: Path) -> None:
    outcome = kind.read(me, [letter], source, new=None, splits=MAX_SPLITS, page=True, override=None)
    write_outcome(outcome, out / LABELS, out / PAGE)


def _is_newer(file: Path, than: Path) -> bool:
    return file.exists() and file.stat().st_mtime_ns >= than.stat().st_mtime_ns


def _roll_of(arrived: Sequence[Letter]) -> str:
    return Roll(tuple((letter.message.sender, letter.stated.digest) for letter in arrived)).digest


def _answered(post: Post) -> str:
    """Return the digest of the roll the answers that lie in the folder go back to."""
    study = post.me.study.digest
    entries = post.me.folder.ledger.entries()
    files = [e["file"] for e in entries if e["what"] == "answer" and e.get("study") == study]
    statement = statement_of(post.out / str(files[-1])) if files else None
    if statement is None or not statement.exists():
        return ""
    roll = read_statement(statement).statement["predicate"].get("roll") or {}
    return str(roll.get("sha256", ""))

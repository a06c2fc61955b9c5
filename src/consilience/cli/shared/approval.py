"""What a second person has to approve: sealed at home, and let go once it is signed."""

from __future__ import annotations

from pathlib import Path

from consilience.by_files import Leaving, Letter
from consilience.cli.shared.console import warn
from consilience.evidence.check import statement_of
from consilience.evidence.release import seal_release, write_statement
from consilience.evidence.statement import Circumstances
from consilience.evidence.waiting import bundles_waiting, waiting_folder
from consilience.exceptions import StudyError
from consilience.study.locks import locked
from consilience.study.participant import Participant
from consilience.study.pins import check_pinned
from consilience.study.together import replace_together
from consilience.transports.bundle import Manifest

__all__ = ["let_wait", "let_waiting_leave", "rely_on"]

WAITING_MODE = 0o600


def rely_on(me: Participant, out: Path, *, accept: bool, anew: bool) -> list[Path]:
    """See that this is the study the role relied on, and let leave what was approved meanwhile.

    Parameters
    ----------
    me : Participant
    out : Path
        Where statements lie and files go.
    accept : bool
        Rely on this study from now on, though it is another one.
    anew : bool
        Give up what waits for approval.

    Returns
    -------
    list of Path
        What left; then there is nothing more to do.
    """
    if not accept:
        check_pinned(me.folder.path, me.study)
    return let_waiting_leave(me, out, anew=anew)


def let_wait(
    me: Participant,
    leaving: Leaving,
    letter: Letter,
    manifest: Manifest,
    out: Path,
    known: Circumstances,
) -> Path:
    """Seal a letter at home, and write its statement for those who approve."""
    with locked(me.folder.path / "letters.lock"):
        with replace_together(waiting_folder(me), WAITING_MODE) as opened:
            envelope = seal_release(opened, letter.file, me, letter.message, manifest, known)
            leaving.keep(manifest)
        with replace_together(out) as opened:
            write_statement(opened, letter.file, envelope)
    warn(
        f"{letter.file} has not left: the study asks for {me.study.approvals_of(me.name)} of "
        f"{', '.join(sorted(me.study.approvers_of(me.name)))} to approve. They run `consilience "
        f"approve` on its statement; then run this again."
    )
    return statement_of(out / letter.file)


def let_waiting_leave(me: Participant, out: Path, *, anew: bool = False) -> list[Path]:
    """Let leave what waited and is approved; refuse anything new while something waits.

    Parameters
    ----------
    me : Participant
    out : Path
        Where the statements lie and the files go.
    anew : bool, default=False
        Give up what waits.
    """
    needed, able = me.study.approvals_of(me.name), len(me.study.approvers_of(me.name))
    if able < needed:
        raise StudyError(
            f"the study asks for {needed} approvals and names {able} approvers of {me.name!r}. "
            f"Add some with `consilience keygen --name NAME --approves {me.name} --study ...`."
        )
    waiting, notes = bundles_waiting(me, out)
    for note in notes:
        warn(note)
    if anew:
        for bundle in waiting:
            bundle.forget()
        return []
    for bundle in waiting:
        if bundle.checked.n_missing:
            raise StudyError(
                f"{bundle.path.name} waits for {bundle.checked.waits_for}. Let an approver run "
                f"`consilience approve` on {statement_of(out / bundle.path.name)}, or give it up "
                f"with --anew."
            )
    for bundle in waiting:
        what, details = bundle.entry()
        me.folder.ledger.add(what, **details)
    return [bundle.leave(out) for bundle in waiting]

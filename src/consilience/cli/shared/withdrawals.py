"""What parties took back: left out of the analysis, now and from now on."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.by_files import Letter
from consilience.messages import Withdrawal
from consilience.study.participant import Participant

__all__ = ["obey_withdrawals"]

ENTRY = "withdrawn"


def obey_withdrawals(
    me: Participant, arrived: Sequence[Letter], *, note: bool = True
) -> tuple[list[Letter], list[str]]:
    """Leave out what was withdrawn, by letters among those that arrived or by earlier ones.

    Parameters
    ----------
    me : Participant
        In its ledger withdrawals are noted, so that they hold without their letters.
    arrived : sequence of Letter
    note : bool, default=True
        Whether to note them.

    Returns
    -------
    kept : list of Letter
    notes : list of str
        What was left out.
    """
    known = {(e["by"], e["digest"]) for e in me.folder.ledger.entries() if e["what"] == ENTRY}
    for letter in arrived:
        if isinstance(letter.message, Withdrawal):
            sender = letter.message.sender
            for digest in letter.message.contributions.split(","):
                if note and (sender, digest) not in known:
                    about = {"study": me.study.digest, "file": letter.file}
                    me.folder.ledger.add(ENTRY, by=sender, digest=digest, **about)
                known.add((sender, digest))
    kept, notes = [], []
    for letter in arrived:
        if isinstance(letter.message, Withdrawal):
            continue
        if (letter.message.sender, letter.stated.digest) in known:
            notes.append(f"{letter.file} was withdrawn by {letter.message.sender}: left out")
        else:
            kept.append(letter)
    return kept, notes

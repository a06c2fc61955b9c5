"""A match of ids as files: the baton that goes round the holders of the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from consilience.by_files import Leaving, Letter
from consilience.cli.shared.approval import rely_on
from consilience.cli.shared.console import busy, tell
from consilience.cli.shared.letters import let_leave
from consilience.cli.shared.options import file_name
from consilience.cli.shared.sending import Consent
from consilience.exceptions import BundleError, StudyError
from consilience.messages import BlindedIds
from consilience.psi.holder import Holder, Rows
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.keys import new_key
from consilience.study.matches import read_matches, write_match
from consilience.study.participant import Participant
from consilience.study.pseudonyms import pseudonyms

__all__ = ["match_ids", "to_be_done"]

ENTRY, SUFFIX = "match", ".match"
FEW_IDS, MANY_TIMES = 20, 2
"""A set of fewer ids, or of more than so many times one's own, is pointed out."""


def match_ids(
    me: Participant,
    source: Source,
    arrived: Sequence[Letter],
    out: Path,
    consent: Consent,
    *,
    again: bool = False,
) -> list[Path]:
    """Begin a match, or pass on what arrived of one; return what was written.

    What was done before is done again in the same way: the same letter gets the same answer.

    Parameters
    ----------
    me : Participant
    source : Source
    arrived : sequence of Letter
        From the holder before; none to begin.
    out : Path
    consent : Consent
    again : bool
        Whether another match may take the place of the one there is.
    """
    released = rely_on(me, out, accept=consent.accept, anew=consent.anew)
    for left in released:
        tell(f"wrote {left}: approved")
    if released:
        return released
    messages = sorted(map(_opened, arrived), key=lambda message: message.letter)
    known = read_matches(me.folder, me.study.match_of(me.name))
    own = known[0] if known else None
    if own is not None and again and own.session not in {m.session.tobytes() for m in messages}:
        own = None
    holder = Holder(me.study, me.name, own, number=len(known))
    if not messages and holder.ring.writer(0) != me.name:
        raise StudyError(
            f"nothing is there to be passed on: {holder.ring.before(me.name)} is before you. Give "
            f"the file {_name(me.name, '*')} that it wrote for you."
        )
    rows = _Table(me, source)
    if not messages:
        return _pass_on(me, holder, holder.begin(rows), out, consent, source)
    written: list[Path] = []
    for message in messages:
        with busy("blinding ids"):
            answer = holder.receive(message, rows)
        if answer is not None:
            written += _pass_on(me, holder, answer, out, consent, source)
        else:
            _keep(me, holder)
    return written


def to_be_done(me: Participant, arrived: Sequence[Letter], out: Path) -> list[Letter] | None:
    """Return the letters of a match that lack their answer; none to begin, nothing if all is done.

    An answer that was kept and did not appear, as after a crash, is lacking, too.
    """
    known = read_matches(me.folder, me.study.match_of(me.name))
    heard = {match.session: match.heard for match in known}
    ring = Holder(me.study, me.name).ring
    if ring.writer(0) == me.name and not (out / _name(ring.writer(1), "1")).exists():
        return []
    found = []
    for letter in arrived:
        if isinstance(m := letter.message, BlindedIds):
            answer = out / _name(ring.writer(m.letter + 2), str(m.letter + 2))
            last = m.letter + 1 == ring.n_letters
            if m.letter not in heard.get(m.session.tobytes(), {}) or not (last or answer.exists()):
                found.append(letter)
    return found or None


class _Table:
    """The rows of a holder, read when they are needed: ids, and tags only it can make."""

    def __init__(self, me: Participant, source: Source) -> None:
        self._me, self._source = me, source

    def __call__(self) -> Rows:
        me = self._me
        if not me.folder.has_key("row"):
            me.folder.write_key("row", new_key())
        checked = check_table(me.study, me.name, self._source)
        ids = checked.normalised.iloc[checked.chosen[checked.accepted().kept]]
        return ids.tolist(), pseudonyms(ids, me.study.own_key(me.folder.read_key("row")))


def _opened(letter: Letter) -> BlindedIds:
    if not isinstance(letter.message, BlindedIds):
        kind = type(letter.message).__name__
        raise BundleError(f"{letter.file} holds a {kind}, no part of a match.")
    return letter.message


def _keep(me: Participant, holder: Holder) -> None:
    assert holder.own is not None
    write_match(me.folder, me.study.match_of(me.name), holder.own)


def _pass_on(
    me: Participant,
    holder: Holder,
    answer: BlindedIds,
    out: Path,
    consent: Consent,
    source: Source,
) -> list[Path]:
    leaving = _leaving(me, holder, answer)
    return let_leave(me, leaving, out, yes=consent.yes, by=consent.by, source=source)


def _leaving(me: Participant, holder: Holder, answer: BlindedIds) -> Leaving:
    """Return what goes on to the next holder, and what is to be said about it."""
    assert holder.own is not None
    own, to = len(holder.own.points), answer.recipient
    sets = dict(zip(holder.ring.sets(answer.letter), answer.counts.tolist(), strict=True))
    which = f"letter {answer.letter + 1} of {holder.ring.n_letters}"
    letter = Letter(answer, f"{which} of a match of ids", _name(to, str(answer.letter + 1)))
    return Leaving(
        letters=[letter],
        shown=[(f"ids of {owner}", f"{n}, blinded by you") for owner, n in sets.items()],
        question=f"Pass {which} of the match on to {to}?",
        entry=ENTRY,
        facts={"letter": answer.letter + 1, "session": holder.own.session.hex(), "ids": sets},
        notes=[note for who, n in sets.items() if who != me.name for note in _warn(who, n, own)],
        keep=lambda manifest: _keep(me, holder),
    )


def _warn(owner: str, n: int, own: int) -> list[str]:
    """Point out a set that was made to find out something rather than to match."""
    if n > MANY_TIMES * own:
        return [
            f"{owner} has {n} ids and you have {own}: each of them is a guess that you answer. Ask "
            f"whether it has so many rows."
        ]
    if n < FEW_IDS:
        return [
            f"{owner} has {n} ids: whether one of yours is among them is nearly told by the labels "
            f"you both get."
        ]
    return []


def _name(recipient: str, letter: str) -> str:
    return f"{file_name(recipient)}.{letter}{SUFFIX}"

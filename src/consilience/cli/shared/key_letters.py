"""Keys of a circle as files: each signed by who sends it and sealed to one other party."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from consilience.by_files import Letter
from consilience.cli.shared.letters import read_letters
from consilience.cli.shared.options import file_name
from consilience.evidence.release import seal_release
from consilience.evidence.statement import Circumstances
from consilience.exceptions import BundleError, StudyError
from consilience.messages import SharedKey
from consilience.study.circles import Circle, circles_of
from consilience.study.keys import new_key
from consilience.study.locks import locked
from consilience.study.participant import Participant
from consilience.study.together import replace_together
from consilience.transports.bundle import manifest_of

__all__ = ["awaited_keys", "make_keys", "need_keys", "send_keys", "take_keys"]

SUFFIX = ".keys"


def make_keys(me: Participant) -> list[str]:
    """Draw the keys that are this party's to make and that it lacks; say so.

    Raises
    ------
    StudyError
        If it sent one to others before: a second one would not be theirs.
    """
    made = [circle for circle in _lacking(me) if circle.maker == me.name]
    for circle in made:
        if circle.name in _sent(me):
            raise StudyError(
                f"{_path(me, circle)} is missing, and you sent it to others before. Ask one of "
                f"{', '.join(circle.members[1:])} to send it back, by `consilience share`."
            )
        me.folder.write_key(circle.kind, new_key())
    return [f"made {c.kind}.key, shared by {', '.join(c.members)}" for c in made]


def take_keys(me: Participant, paths: Sequence[Path]) -> list[str]:
    """Take keys that other parties sent; say so. One that is there already must be the same."""
    circles = {circle.name: circle for circle in circles_of(me.study, me.name)}
    taken = []
    for letter in read_letters(me, paths):
        message = letter.message
        if not isinstance(message, SharedKey):
            raise BundleError(f"{letter.file} holds a {type(message).__name__}, no key.")
        circle = circles.get(message.circle)
        if circle is None or message.sender not in circle.members:
            raise BundleError(
                f"{letter.file} holds a key of {message.sender!r} that {me.name!r} shares with "
                f"nobody."
            )
        key = message.key.tobytes()
        if not me.folder.has_key(circle.kind):
            me.folder.write_key(circle.kind, key)
            taken.append(f"took {circle.kind}.key from {message.sender}")
        elif me.folder.read_key(circle.kind) != key:
            raise BundleError(
                f"{letter.file} holds another {circle.kind} key than your private folder. Ask "
                f"{circle.maker!r} for the right one, and move the wrong one away."
            )
    return taken


def awaited_keys(me: Participant, arrived: Sequence[Letter]) -> list[str]:
    """Return who has yet to send a key that this party lacks and cannot make."""
    there = {m.circle for m in (letter.message for letter in arrived) if isinstance(m, SharedKey)}
    others = [c for c in _lacking(me) if c.maker != me.name and c.name not in there]
    return sorted({circle.maker for circle in others})


def send_keys(me: Participant, out: Path, kinds: Sequence[str] | None = None) -> list[Path]:
    """Write every key this party holds, or some kinds of them, to the others who share it."""
    written = []
    held = [c for c in circles_of(me.study, me.name) if me.folder.has_key(c.kind)]
    for circle in held:
        if kinds is not None and circle.kind not in kinds:
            continue
        key = np.frombuffer(me.folder.read_key(circle.kind), dtype=np.uint8)
        for other in circle.members:
            if other != me.name:
                message = SharedKey(
                    study=me.study.digest,
                    sender=me.name,
                    recipient=other,
                    circle=circle.name,
                    key=key,
                )
                written.append(_write(me, message, out / _name(other, circle)))
    return written


def need_keys(me: Participant, given: Sequence[Path], out: Path) -> list[str]:
    """See that a party has its keys: take those there are, make and send its own; say so.

    Keys that others sent are those given, and those that lie beside the study file or where files
    go. Keys are made only where there is none yet and nothing has left: one that is lost is asked
    for.

    Raises
    ------
    StudyError
        If one is missing that cannot be made here.
    """
    by_psi = me.study.matches_by_psi(me.name)
    # A match of ids comes before all other keys, and makes the one it needs.
    held = [c.kind for c in circles_of(me.study, me.name) if not (by_psi and c.kind == "row")]
    left = [entry for entry in me.folder.ledger.entries() if entry["what"] != "match"]
    fresh = not any(map(me.folder.has_key, held)) and not left
    found = {} if not _lacking(me) else {p.name: p for at in (me.home, out) for p in _for(me, at)}
    said = take_keys(me, [*given, *found.values()])
    lacking = _lacking(me)
    for circle in lacking:
        if circle.maker != me.name:
            raise StudyError(
                f"{_path(me, circle)} is missing, and {circle.maker} makes it. Ask there for the "
                f"file {_name(me.name, circle)} that `consilience contribute` or `share` "
                f"writes, and put it beside the study file or give it with --keys."
            )
        if not fresh:
            raise StudyError(
                f"{_path(me, circle)} is missing. Name the folder that holds it with --private. If "
                f"it is lost, ask one of {', '.join(circle.members)} for it; if it was never made, "
                f"run `consilience share`."
            )
    said += make_keys(me)
    made = [circle.kind for circle in lacking]
    return said + [f"wrote {path}: carry it there" for path in send_keys(me, out, made)]


def _for(me: Participant, folder: Path) -> list[Path]:
    """Return the keys in a folder that were sent to a party."""
    return sorted(folder.glob(_name(me.name)))


def _path(me: Participant, circle: Circle) -> Path:
    return me.folder.path / f"{circle.kind}.key"


def _sent(me: Participant) -> set[str]:
    """Return the circles to which this party sent a key in this study."""
    entries = (e for e in me.folder.ledger.entries() if e.get("study") == me.study.digest)
    return {str(entry.get("circle")) for entry in entries if entry["what"] == "key"}


def _lacking(me: Participant) -> list[Circle]:
    return [c for c in circles_of(me.study, me.name) if not me.folder.has_key(c.kind)]


def _name(recipient: str, circle: Circle | None = None) -> str:
    """Return what a key for a party is called: that of a circle, or any."""
    which = "*" if circle is None else circle.name.replace(" ", "-")
    return f"{file_name(recipient)}.{which}{SUFFIX}"


def _write(me: Participant, message: SharedKey, path: Path) -> Path:
    manifest = manifest_of(message, me.study, f"key {message.circle} of {me.study.name!r}")
    before = me.folder.ledger.entries()
    about = {"to": message.recipient, "study": me.study.digest, "file": path.name}
    me.folder.ledger.add("key", **about, circle=message.circle)
    with locked(me.folder.path / "letters.lock"), replace_together(path.parent) as opened:
        known = Circumstances("key", before=before)
        seal_release(opened, path.name, me, message, manifest, known)
    return path

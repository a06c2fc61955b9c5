"""A role at a carrier: what its ledger says left is put there, what is there for it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from consilience.by_files import Letter
from consilience.carriers.carrier import Carrier
from consilience.carriers.parcel import EVERYONE, Parcel, folder_of
from consilience.cli.shared.console import tell, warn
from consilience.cli.shared.letters import read_folder
from consilience.exceptions import DamagedError, StudyError
from consilience.study.participant import Participant
from consilience.study.study import ANALYST, Study
from consilience.study.wording import difference

__all__ = ["STUDY", "Post", "fetch_study"]

STUDY = "study.toml"
ARRIVED = "arrived"
PLAIN = re.compile(r"[\w-][\w.@ -]{0,199}")


def fetch_study(carrier: Carrier, role: str, path: Path, *, accept: bool) -> bool:
    """Bring the study file of a role up to date, or put it where there is none yet.

    The analyst's own file is the study; a party takes the one it finds, if it says the same as its
    copy or the party accepts the difference.

    Returns
    -------
    bool
        Whether there is a study.
    """
    offered = [p for p in carrier.list(EVERYONE) if p.name == STUDY]
    if path.exists() and (role == ANALYST or not offered):
        carrier.put(path, sender=role, recipient=EVERYONE, name=STUDY)
        return True
    if not offered:
        return False
    of_analyst = [p for p in offered if p.sender == ANALYST]
    new = path.with_name(f".{STUDY}.offered")
    carrier.get((of_analyst or offered)[-1], new)
    theirs = Study.load(new)
    if path.exists():
        mine = Study.load(path)
        lines = difference(theirs.terms(), mine.terms())
        if mine.digest != theirs.digest and not accept:
            raise StudyError(
                f"the study there is not the one in {path}: {'; '.join(lines[:12])}. Compare the "
                f"fingerprint {theirs.fingerprint} with the others, by telephone; if they agreed "
                f"to the change too, say --accept."
            )
        if mine.digest == theirs.digest and len(mine.succession or ()) >= len(
            theirs.succession or ()
        ):
            new.unlink()  # a carrier may be behind, or hold back that somebody has new keys
            return True
    new.replace(path)
    tell(f"wrote {path}: {theirs.name}, fingerprint {theirs.fingerprint}")
    return True


class Post:
    """What a role sends and finds at a carrier.

    Parameters
    ----------
    carrier : Carrier
    me : Participant
    out : Path
        The folder its files leave from; what arrives lies in ``arrived`` there.
    """

    def __init__(self, carrier: Carrier, me: Participant, out: Path) -> None:
        self.carrier, self.me, self.out = carrier, me, out
        self._read: dict[Parcel, Letter | None] = {}
        self._told: set[Parcel] = set()

    def send(self) -> list[Parcel]:
        """Put everything the ledger says left in this study; what is there already stays.

        A later letter in this role's name that did not leave from here is left alone, and told.
        """
        study = self.me.study.digest
        entries = [e for e in self.me.folder.ledger.entries() if e.get("study") == study]
        left = {str(e["file"]): str(e["to"]) for e in entries if {"file", "to"} <= e.keys()}
        left = {file: to for file, to in left.items() if to != self.me.name}
        sent = [
            self.carrier.put(self.out / file, sender=self.me.name, recipient=to, once=True)
            for file, to in left.items()
            if (self.out / file).is_file()
        ]
        self._tell_of_others(sent)
        return sent

    def letters(self) -> Iterator[tuple[Letter, Path]]:
        """Return the latest usable letter of each sender and name, and where it lies.

        Whoever reaches a shared place may put something there in the name of another: what cannot
        be used is said so, and the one before it counts.
        """
        names: dict[tuple[str, str], list[Parcel]] = {}
        for parcel in self.carrier.list(self.me.name):
            if PLAIN.fullmatch(parcel.name):
                names.setdefault((parcel.sender, parcel.name), []).append(parcel)
        for (sender, name), parcels in names.items():
            path = self.out / ARRIVED / folder_of(sender) / name
            for parcel in reversed(parcels):
                letter = self._letter(parcel, path)
                if letter is not None:
                    yield letter, path
                    break

    def _tell_of_others(self, sent: Sequence[Parcel]) -> None:
        """Say which letters in this role's name lie above its own: somebody else has its keys."""
        own = {(parcel.recipient, parcel.name): parcel for parcel in sent}
        for to in {parcel.recipient for parcel in sent}:
            latest = {p.name: p for p in self.carrier.list(to, self.me.name)}
            for name, parcel in latest.items():
                mine = own.get((to, name), parcel)
                if parcel.sha256 != mine.sha256 and parcel not in self._told:
                    self._told.add(parcel)
                    warn(
                        f"{name} to {to} is there in your name as another file, later than yours: "
                        f"it counts, and did not leave from {self.out}. If you join from two "
                        f"folders, go on with one of them; else somebody has your keys, and "
                        f"`consilience rekey` gives you new ones."
                    )

    def _letter(self, parcel: Parcel, path: Path) -> Letter | None:
        if parcel not in self._read:
            try:
                self.carrier.get(parcel, path)
                found, unread = read_folder(self.me, [path])
            except DamagedError as error:
                found, unread = [], [str(error)]
            for reason in unread:
                warn(f"cannot be used: {reason}")
            own = [letter for letter in found if letter.message.sender == parcel.sender]
            self._read[parcel] = own[0] if own else None
        return self._read[parcel]

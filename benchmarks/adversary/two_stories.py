"""Peers that tell two others two things, or lie about what they heard or which rows they hold."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.adversary.company import LIAR, Company, names_liar
from consilience.consensus.protocol.commitments import Commitments, commit
from consilience.consensus.protocol.hearsay import Hearsay
from consilience.consensus.protocol.log import Log
from consilience.consensus.protocol.mailbox import Outbox
from consilience.consensus.protocol.meeting import Meeting
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.protocol.rosters import CommonRows, sort_pseudonyms
from consilience.exceptions import PeerError
from consilience.messages import (
    Commitment,
    LocalLabels,
    Message,
    Outline,
    PeerMessage,
    Ranking,
    Roster,
    Witness,
)

__all__ = ["claimed_difference", "huge_roster", "other_rows", "two_rosters", "two_words"]

VICTIM = "bank"
MANY = 200_000


class Liar(Peer):
    """Changes what it says on its way out."""

    rng: np.random.Generator

    def begin(self) -> list[Message]:
        """Say something else."""
        return self._changed(super().begin())

    def receive(self, message: Message) -> list[Message]:
        """Answer with something else."""
        return self._changed(super().receive(message))

    def _changed(self, messages: list[Message]) -> list[Message]:
        return [changed for message in messages for changed in self.change(message)]

    def change(self, message: Message) -> list[Message]:
        """Return what is said instead of a message."""
        return [message]


def liar(of: type[Liar], rng: np.random.Generator, **about: Any) -> type[Liar]:
    """Make a liar of a kind that knows some things."""
    return type("Made", (of,), {"rng": rng, **about})


class TwoRosters(Liar):
    """Holds other rows towards the bank than towards the clinic, equally many."""

    def begin(self) -> list[Message]:
        """Make a second roster, and all that an honest peer would say of it."""
        assert self._rows.roster is not None
        rows = self._rows.roster.copy()
        changed = self.rng.choice(len(rows), int(self.rng.integers(1, len(rows) // 2)), False)
        rows[changed] = self.rng.integers(256, size=(len(changed), 16))
        book = Commitments(self._membership, b"other")
        table = CommonRows(np.zeros((len(rows), 1)), sort_pseudonyms(rows)[0])
        self._other = Meeting(table, self._membership, book, Outbox(self._membership, self.study))
        said = [m for m in super().begin() if m.recipient != VICTIM]
        return [*said, *(m for m in self._other.begin() if m.recipient == VICTIM)]

    def receive(self, message: Message) -> list[Message]:
        """Answer the bank as the holder of the other rows would."""
        said = super().receive(message)
        if isinstance(message, Outline) and self._other.step == "outline":
            said = [m for m in said if not (isinstance(m, Roster) and m.recipient == VICTIM)]
            self._other.accept(message)
            if len(self._other.accepted) == len(self._membership.others):
                said += [m for m in self._other.finish() if m.recipient == VICTIM]
        return said


class TwoWords(Liar):
    """Tells the bank other labels, or another ranking, than the clinic, as it has committed to."""

    kind: type[PeerMessage] = LocalLabels
    when = 1

    def change(self, message: Message) -> list[Message]:
        """Reveal one label, or each cluster in another order, and commit to it."""
        if message.recipient != VICTIM or getattr(message, "iteration", 0) != self.when:
            return [message]
        if isinstance(message, Commitment) and message.phase == self._phase:
            self._lie = self._make(message)
            return [replace(message, digest=commit(self._lie))]
        return [self._lie if isinstance(message, self.kind) else message]

    @property
    def _phase(self) -> str:
        return "labels" if self.kind is LocalLabels else "ranking"

    def _make(self, message: Commitment) -> Any:
        sealed: Any = self._now._sealed[0]  # type: ignore[union-attr]
        nonce = self.rng.integers(256, size=16, dtype=np.uint8)
        lie = replace(sealed, recipient=VICTIM, nonce=nonce)
        if self.kind is LocalLabels:
            lie = replace(lie, n_labels=1, packed=np.zeros(0, dtype=np.uint8))
        return lie


class Claimant(Liar):
    """Says that it has heard something else from somebody than it has.

    Attributes
    ----------
    place : int
        Of what: rosters, labels or rankings.
    whose : str
        Who is said to have said it.
    shows : {"nothing", "the truth", "another list", "the list"}
        The list that goes with it.
    """

    place, whose, shows = 1, "clinic", "nothing"

    def change(self, message: Message) -> list[Message]:
        """Lie to the bank as soon as there is something to lie about."""
        if not isinstance(message, Witness) or message.recipient != VICTIM:
            return [message]
        assert message.heard is not None
        if not message.heard[self.place].any():
            return [message]
        heard, lists = message.heard.copy(), self.hearsay._lists()
        truth = lists.copy()
        lists[self.members.index(self.whose), self.place] = 7
        book = Hearsay(self._membership, self.commitments, self._outbox, Log())
        heard[self.place] = book._digest(lists[:, self.place])
        claim = replace(message, heard=heard, commitments=None, rosters=None)
        if self.shows == "the truth":
            lists = truth
        elif self.shows == "another list":
            lists[0, self.place] = 8
        if self.shows == "nothing":
            # Again and again: it must not be answered again and again.
            return [claim] * 5
        return [claim, replace(claim, commitments=lists[:, 1:], rosters=lists[:, 0])]


class OtherRows(Liar):
    """Tells rows or sums that are not those of its digest."""

    way = "fewer"

    def change(self, message: Message) -> list[Message]:
        """Leave out, add or replace rows, or change sums."""
        if isinstance(message, Outline) and self.way == "sums":
            sums = message.sums.copy()
            sums[self.rng.integers(len(sums))] += 1
            return [replace(message, sums=sums)]
        if isinstance(message, Outline) and self.way == "digest":
            return [replace(message, digest=message.digest[::-1].copy())]
        if isinstance(message, Roster) and self.way in ("fewer", "more", "others"):
            rows = message.pseudonyms
            made = self.rng.integers(256, size=(len(rows) + 1, 16), dtype=np.uint8)
            kept = {"fewer": rows[1:], "more": np.vstack([rows, made])}.get(self.way, made)
            return [replace(message, pseudonyms=sort_pseudonyms(kept)[0])]
        return [message]


def two_rosters(seed: int) -> bool:
    """Let a peer tell two rosters."""
    rng = np.random.default_rng(seed)
    return names_liar(Company(rng, liar=liar(TwoRosters, rng)).start_and_run)


def two_words(seed: int) -> bool:
    """Let a peer tell two label vectors, or rankings with two nonces."""
    rng = np.random.default_rng(seed)
    kind = (LocalLabels, Ranking)[int(rng.integers(2))]
    return names_liar(Company(rng, liar=liar(TwoWords, rng, kind=kind)).start_and_run)


def claimed_difference(seed: int) -> bool:
    """Let a peer lie about what it has heard, with every kind of list."""
    rng = np.random.default_rng(seed)
    shows = str(rng.choice(["nothing", "the truth", "another list", "the list"]))
    whose = str(rng.choice(["bank", "clinic", "insurer"]))
    about = {"place": int(rng.integers(3)), "whose": whose, "shows": shows}
    company = Company(rng, liar=liar(Claimant, rng, **about))
    try:
        company.start_and_run()
    except PeerError as error:
        # Whether the clinic or the liar lies cannot be known; the liar must be mentioned.
        third = shows == "the list" and whose == "clinic"
        return LIAR in str(error) if third else error.peers == (LIAR,)
    bank = company.roles[VICTIM]
    noted = any(f"{LIAR} says that it has heard something else" in line for line in bank.log)
    silent = shows == "nothing" and bank.hearsay.doubted == {LIAR} == set(bank.waiting_for)
    return silent and noted and not any(role.done for role in company.roles.values())


def other_rows(seed: int) -> bool:
    """Let a peer that holds fewer rows than the others tell other rows than those of its digest."""
    rng = np.random.default_rng(seed)
    way = str(rng.choice(["fewer", "more", "others", "sums", "digest"]))
    company = Company(rng, n_rows=int(rng.integers(60, 600)), liar=liar(OtherRows, rng, way=way))
    company.held[LIAR] = np.sort(rng.permutation(len(company.X))[5:])
    return names_liar(company.start_and_run)


def huge_roster(seed: int) -> bool:
    """Let a peer tell far more rows than it holds: others may take 12 times their size for it."""
    rng = np.random.default_rng(seed)
    company = Company(rng, n_rows=600)
    company.held[LIAR] = np.arange(5, 600)
    company.start(VICTIM)
    company.start("clinic")
    company.run()
    bank, peer = company.roles[VICTIM], company.make(LIAR)
    (outline,) = (m for m in peer.begin() if m.recipient == VICTIM)
    bank.receive(outline)
    rows = sort_pseudonyms(rng.integers(256, size=(MANY, 16), dtype=np.uint8))[0]
    header = {"study": "s", "sender": LIAR, "recipient": VICTIM, "iteration": 0, "attempt": 0}
    roster = Roster(**header, pseudonyms=rows)  # type: ignore[arg-type]
    tracemalloc.start()
    named = names_liar(lambda: [bank.receive(roster)].clear())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return named and peak < 12 * rows.nbytes

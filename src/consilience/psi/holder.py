"""A holder of rows in the ring: a small state machine, letter in, letter out."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError
from consilience.messages import PSEUDONYM_BYTES, SESSION_BYTES, BlindedIds
from consilience.psi.group import Points, multiply, points_of, quotient, random_scalar
from consilience.psi.ring import Ring
from consilience.study.matches import Match
from consilience.study.study import Study

__all__ = ["Holder", "Rows"]

Codes = npt.NDArray[np.uint8]
Rows = tuple[Sequence[str], Codes]
"""The ids of a holder's rows, normalised, and names of them that only it can make."""


class Holder:
    """One holder of rows in a match.

    The pseudonym of an id is a hash of its point times the secret parts of all holders. A holder
    sends its ids times a number of its own, gets them back times the parts of all others, and
    takes its number out: nobody else sees the result.

    Sends: its ids, blinded, to the holder after it; sets of others, blinded once more.
    Keeps: ids, its two secrets, the pseudonyms of its rows.
    Learns: how many ids each other holder has. Not which, nor how many are its own as well.

    Parameters
    ----------
    study : Study
    name : str
        Of a party whose rows others hold, too.
    own : Match, optional
        What it kept; nothing before its first letter.
    number : int
        How many matches it began before, if it begins another one.
    """

    def __init__(
        self, study: Study, name: str, own: Match | None = None, *, number: int = 0
    ) -> None:
        self.study, self.name, self.own, self._number = study, name, own, number
        self.ring = Ring(tuple(study.holders_of(name)))

    def begin(self, rows: Callable[[], Rows]) -> BlindedIds:
        """Begin a match, as the first holder; or say again what it began with."""
        if self.own is None:
            self.own = self._draw(secrets.token_bytes(SESSION_BYTES), *rows())
        return self._letter(0, [self.own.points])

    def receive(self, message: BlindedIds, rows: Callable[[], Rows]) -> BlindedIds | None:
        """Take the baton; return the letter to the next holder, or nothing after the last one.

        The same letter again gets the same letter in return; another one in its place is refused.
        What is refused changes nothing.

        Parameters
        ----------
        message : BlindedIds
        rows : callable
            Returns ids and tags of the holder's rows, where it has yet to add them.

        Raises
        ------
        MessageError
        """
        sets = self._check(message)
        before = None if self.own is None else self.own.heard.get(message.letter)
        digest = hashlib.sha256(message.counts.tobytes() + message.points.tobytes()).digest()
        if before not in (None, digest):
            raise MessageError(
                f"letter {message.letter + 1} of {message.sender!r} was answered before, with "
                f"other ids. A match is answered once; begin another one with --again."
            )
        own = self._draw(message.session.tobytes(), *rows()) if self.own is None else self.own
        passed = [multiply(points, own.secret) for who, points in sets.items() if who != self.name]
        own = replace(own, heard={**own.heard, message.letter: digest})
        if self.name in sets:
            own = replace(own, pseudonyms=self._name(own, sets[self.name]))
        elif message.letter + 1 < len(self.ring.holders):
            passed.append(own.points)
        self.own = own
        return self._letter(message.letter + 1, passed) if passed else None

    @property
    def missing(self) -> list[int]:
        """The letters it has yet to hear."""
        heard = {} if self.own is None else self.own.heard
        return [letter for letter in self.ring.awaited(self.name) if letter not in heard]

    def _draw(self, session: bytes, ids: Sequence[str], tags: Codes) -> Match:
        if not 1 <= len(ids) <= self.study.ids.most:
            raise MessageError(
                f"{len(ids)} ids of {self.name!r}, must be between 1 and {self.study.ids.most}, "
                f"what the study allows: ids.max_ids."
            )
        secret, blind = random_scalar(), random_scalar()
        points = multiply(points_of(ids, self._context(session)), blind)
        order = np.lexsort(points.T[::-1])
        return Match(session, secret, blind, tags[order], points[order], {}, number=self._number)

    def _check(self, message: BlindedIds) -> dict[str, Points]:
        """Check what arrived against the ring; return the sets by their owners."""
        letter, ring = message.letter, self.ring
        if message.study != self.study.digest:
            raise MessageError(f"{message.sender!r} is in another study, or has older terms of it.")
        if letter >= ring.n_letters or ring.writer(letter + 1) != self.name:
            raise MessageError(f"letter {letter + 1} of a match is none that {self.name!r} reads.")
        if message.sender != ring.writer(letter):
            raise MessageError(
                f"letter {letter + 1} comes from {message.sender!r}, must come from "
                f"{ring.writer(letter)!r}, who is before you in the grid."
            )
        if self.own is not None and message.session.tobytes() != self.own.session:
            raise MessageError(
                f"{message.sender!r} is in another match than you: an older letter, or one who "
                f"began anew. If all holders agreed to match again, say --again."
            )
        if self.own is None and letter + 1 >= len(ring.holders):
            raise MessageError(f"letter {letter + 1} came before the one in which you take part.")
        owners = ring.sets(letter)
        if len(message.counts) != len(owners):
            raise MessageError(
                f"letter {letter + 1} holds {len(message.counts)} sets, must be {len(owners)}."
            )
        ends = np.cumsum(message.counts)
        sets = dict(zip(owners, np.split(message.points, ends[:-1]), strict=True))
        for owner, points in sets.items():
            self._check_set(owner, points)
        return sets

    def _check_set(self, owner: str, points: Points) -> None:
        if owner == self.name and self.own is not None and len(points) != len(self.own.points):
            raise MessageError(
                f"{len(points)} of your ids came back, must be {len(self.own.points)}: somebody "
                f"lost or added some. Begin another match with --again."
            )
        if len(points) > self.study.ids.most:
            raise MessageError(
                f"{len(points)} ids of {owner!r}, must be at most {self.study.ids.most}, what the "
                f"study allows (ids.max_ids): every id of a set is a guess that you answer."
            )
        if len(np.unique(points, axis=0)) < len(points):
            raise MessageError(f"the set of {owner!r} has the same point twice: no honest set has.")

    def _name(self, own: Match, points: Points) -> Codes:
        """Take the own blinding out, and hash to pseudonyms."""
        shared = multiply(points, quotient(own.secret, own.blind)).tobytes()
        begun = hashlib.sha256(b"consilience psi pseudonym " + self._context(own.session))
        codes, width = bytearray(), points.shape[1]
        for start in range(0, len(shared), width):
            hashed = begun.copy()
            hashed.update(shared[start : start + width])
            codes += hashed.digest()[:PSEUDONYM_BYTES]
        return np.frombuffer(codes, dtype=np.uint8).reshape(-1, PSEUDONYM_BYTES)

    def _context(self, session: bytes) -> bytes:
        return hashlib.sha256(self.study.match_of(self.name).encode() + session).digest()

    def _letter(self, letter: int, sets: Sequence[Points]) -> BlindedIds:
        assert self.own is not None
        return BlindedIds(
            study=self.study.digest,
            sender=self.name,
            recipient=self.ring.writer(letter + 1),
            session=np.frombuffer(self.own.session, dtype=np.uint8),
            letter=letter,
            counts=np.array([len(points) for points in sets], dtype=np.int64),
            points=np.concatenate(sets),
        )

"""Matches of ids with a holder who does not keep to the rules: refused, or for nothing.

Whatever a holder sends in the place of an honest letter, the others refuse it in words of ours and
are as they were, or the match goes on and the holder has the names of its own ids and of no other.
That rows then do not meet is not counted: whoever sends wrong rows gets as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np

from benchmarks.adversary.tried import Tried, share_of
from consilience.exceptions import MessageError
from consilience.messages import BlindedIds
from consilience.psi.group import Points, multiply, points_of, quotient, random_scalar
from consilience.psi.holder import Holder, Rows
from consilience.study.pseudonyms import pseudonyms
from consilience.study.study import Study

__all__ = ["attempt"]

N_TRIES = 1000
PEOPLE = [f"p-{k}" for k in range(12)]
FIELD = 2**255 - 19
NO_POINTS = {
    "neutral": bytes(32),
    "the prime": FIELD.to_bytes(32, "little"),
    "above the prime": (FIELD + 2).to_bytes(32, "little"),
    "all ones": b"\xff" * 32,
    "negative": b"\x01" + bytes(31),
}
"""Bytes that are no point, or the neutral one: none of them is how a point is written."""

SCHEMA = {name: {"kind": "numeric", "bounds": [0, 1]} for name in ("x", "y")}


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Let a holder send something else, at a random place of a match.

    Parameters
    ----------
    share : float
        Of 1,000 matches for each thing that is sent.
    seed : int
    """
    rng, n_tries = np.random.default_rng(seed), share_of(N_TRIES, share)
    plays: dict[str, Callable[[_Town], bool]] = {
        "no point, the neutral one, or one in another form; anything but a refusal": _no_point,
        "ids of others left out, added or doubled; the match ends as if nothing was": _miscount,
        "letters of another match, study, sender or place; anything but a refusal": _misplace,
        "a letter again, and another in its place; two answers, or another answer": _replay,
        "ids permuted, not blinded, or sent back as one's own; a name of others' ids": _spoil,
    }
    for what, play in plays.items():
        yield Tried(what, n_tries, sum(play(_Town(rng)) for _ in range(n_tries)))


class _Town:
    """Two or three holders of some of the same people; the match is at a random letter."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        columns = [f"c{k}" for k in range(rng.integers(2, 4))]
        self.study = Study.from_terms(
            {
                "name": "match",
                "grid": {"rows": ["a"], "columns": columns},
                "schema": {column: SCHEMA for column in columns},
                "ids": {"match": "psi"},
            }
        )
        names = self.study.grid.parties
        self.ids = {name: list(rng.choice(PEOPLE, rng.integers(3, 7), False)) for name in names}
        self.holders = {name: Holder(self.study, name) for name in names}
        self.sent = [self.holders[names[0]].begin(self.rows(names[0]))]

    def rows(self, name: str) -> Callable[[], Rows]:
        """Return what a holder reads from its table."""
        key = name.encode().ljust(32, b"\0")
        return lambda: (self.ids[name], pseudonyms(self.ids[name], key))

    def deliver(self, letter: BlindedIds) -> BlindedIds | None:
        """Let whoever a letter is to read it."""
        answer = self.holders[letter.recipient].receive(letter, self.rows(letter.recipient))
        self.sent += [] if answer is None else [answer]
        return answer

    def go(self, n_letters: int) -> BlindedIds:
        """Let so many letters be read; return the one that comes next."""
        for _ in range(n_letters):
            self.deliver(self.sent[-1])
        return self.sent[-1]

    def go_on(self, letter: BlindedIds | None) -> bool:
        """Let the match end; tell whether nobody refused anything."""
        try:
            while letter is not None:
                letter = self.deliver(letter)
        except MessageError:
            return False
        return True

    def refuses(self, letter: BlindedIds) -> bool:
        """Tell whether a letter is refused, and its reader is as before."""
        reader = self.holders[letter.recipient]
        before = reader.own
        try:
            reader.receive(letter, self.rows(reader.name))
        except MessageError:
            return reader.own is before
        return False

    def sets(self, letter: BlindedIds) -> dict[str, Points]:
        """Return the sets of a letter by their owners."""
        owners = self.holders[letter.sender].ring.sets(letter.letter)
        parts = np.split(letter.points, np.cumsum(letter.counts)[:-1])
        return dict(zip(owners, parts, strict=True))


def _with_sets(letter: BlindedIds, sets: dict[str, Points]) -> BlindedIds:
    counts = np.array([len(points) for points in sets.values()])
    return replace(letter, counts=counts, points=np.concatenate(list(sets.values())))


def _no_point(town: _Town) -> bool:
    rng = town.rng
    letter = town.go(int(rng.integers(town.holders["a/c0"].ring.n_letters)))
    points = letter.points.copy()
    bad = str(rng.choice(list(NO_POINTS)))
    points[rng.integers(len(points))] = np.frombuffer(NO_POINTS[bad], dtype=np.uint8)
    return not town.refuses(replace(letter, points=points))


def _miscount(town: _Town) -> bool:
    """Change the number of somebody else's ids; that one must notice when they come back."""
    rng = town.rng
    letter = town.go(int(rng.integers(1, town.holders["a/c0"].ring.n_letters)))
    sets = town.sets(letter)
    victim = str(rng.choice([owner for owner in sets if owner != letter.sender]))
    points, how = sets[victim], rng.integers(3)
    more = {
        0: points[:-1],
        1: np.vstack([points, points_of(["invented"], bytes(16))]),
        2: np.vstack([points, points[:1]]),
    }
    return town.go_on(_with_sets(letter, {**sets, victim: more[int(how)]}))


def _misplace(town: _Town) -> bool:
    rng, ring = town.rng, town.holders["a/c0"].ring
    other = _Town(rng)
    other.study, other.holders = town.study, {n: Holder(town.study, n) for n in town.holders}
    other.ids = town.ids
    other.sent = [other.holders["a/c0"].begin(other.rows("a/c0"))]
    place = int(rng.integers(1, ring.n_letters))
    letter, foreign = town.go(place), other.go(place)
    wrong = {
        0: replace(letter, study="0" * 64),
        1: replace(letter, sender=letter.recipient),
        2: replace(letter, letter=letter.letter + 1),
        3: replace(letter, letter=letter.letter + 2 * len(ring.holders)),
        4: foreign,
    }
    chosen = int(rng.integers(len(wrong)))
    if chosen == 4 and town.holders[letter.recipient].own is None:
        # Who has no part in a match yet may be asked to take part in either; not in both.
        town.deliver(letter)
    return not town.refuses(wrong[chosen])


def _replay(town: _Town) -> bool:
    rng = town.rng
    letter = town.go(int(rng.integers(town.holders["a/c0"].ring.n_letters)))
    first, again = town.deliver(letter), town.deliver(letter)
    same = (first is None) is (again is None)
    if first is not None and again is not None:
        same = np.array_equal(first.points, again.points)
    other = replace(letter, points=multiply(letter.points, random_scalar()))
    return not same or not town.refuses(other)


def _spoil(town: _Town) -> bool:
    """Let the second holder answer the first as it likes, and look for names it should not have."""
    rng, (victim, attacker) = town.rng, list(town.holders)[:2]
    begun = town.sent[0]
    answer = town.go(1)
    sets, points = town.sets(answer), begun.points
    if rng.integers(2):
        points = multiply(points, random_scalar())
    bad = [
        {**sets, victim: rng.permutation(sets[victim])},
        {**sets, victim: begun.points},
        {**sets, attacker: points},
        {victim: begun.points, attacker: multiply(begun.points, random_scalar())},
    ]
    town.go_on(_with_sets(answer, bad[int(rng.integers(len(bad)))]))
    own = town.holders[victim].own
    if own is None or own.pseudonyms is None:
        return False
    released = {code.tobytes() for code in own.pseudonyms}
    common = set(town.ids[attacker]) & set(town.ids[victim])
    return len(_guessed(town, attacker) & released) > len(common)


def _guessed(town: _Town, name: str) -> set[bytes]:
    """Name everything that one holder can put together from its secrets, letters and guesses."""
    holder = town.holders[name]
    own = holder.own
    assert own is not None
    seen = [m.points for m in town.sent if name in (m.sender, m.recipient)]
    known = np.vstack([points_of(PEOPLE, holder._context(own.session)), *seen])
    unit = quotient(own.secret, own.secret)
    scalars = [unit, own.secret, own.blind, quotient(unit, own.secret), quotient(unit, own.blind)]
    found = set()
    for one, two in combinations_with_replacement(scalars, 2):
        # Times the one and the other; and over s / r, which a holder multiplies names with.
        times = quotient(one, quotient(quotient(own.secret, own.blind), two))
        found |= {code.tobytes() for code in holder._name(own, multiply(known, times))}
    return found

"""Who asks, and whether that may be granted: signatures, replays, rates, and who sees what."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from consilience.carriers.letter_box.links import HOURS, read_link
from consilience.carriers.letter_box.signatures import MAX_AGE, Challenge, read_signature
from consilience.carriers.parcel import EVERYONE, SLIP, folder_of
from consilience.study.identity import PublicKeys

__all__ = ["Guard", "Place", "RefusedError"]

RATE, BURST = 50.0, 400.0
"""Requests a second that each key may make in the long run, and at once."""

PART = r"[a-z0-9][a-z0-9.-]{0,119}"
PATH = re.compile(rf"({PART})/({PART})/({PART})/([0-9]{{5}}|{re.escape(SLIP)})")


class RefusedError(Exception):
    """A request that is refused: the status, and why in words that hold no name."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


@dataclass(frozen=True)
class Place:
    """Where a file of a parcel lies."""

    sender: str
    recipient: str
    parcel: str
    file: str

    @property
    def folder(self) -> str:
        """The folder of the parcel."""
        return f"{self.sender}/{self.recipient}/{self.parcel}"

    @property
    def path(self) -> str:
        """The path on the shelf."""
        return f"{self.folder}/{self.file}"


@dataclass
class _Pace:
    """What a key may still ask for at once, and when that was last counted."""

    left: float = BURST
    since: float = 0.0
    nonces: dict[str, float] = field(default_factory=dict)


class Guard:
    """Knows the roles of a study, and lets each do what is its own.

    Parameters
    ----------
    keys : mapping of str to PublicKeys
        The roles of the study, with their keys as they are now.
    clock : callable, default=time.time

    Examples
    --------
    >>> Guard.read_path("a.lab-159dde24/analyst-f44ceb06/000001-x-0/00000").file
    '00000'
    """

    def __init__(
        self, keys: Mapping[str, PublicKeys], clock: Callable[[], float] = time.time
    ) -> None:
        self._clock, self._box = clock, secrets.token_hex(16)
        self._roles = {known.sign: name for name, known in keys.items()}
        self._keys = dict(keys)
        self._folders = {folder_of(name) for name in keys}
        self._paces: dict[str, _Pace] = {}

    @property
    def challenge(self) -> Challenge:
        """What whoever signs has to know."""
        return Challenge(self._box, int(self._clock()))

    def identify(self, headers: Mapping[str, str], method: str, path: str, query: str) -> str:
        """Return the role that signed a request, once; refuse any other.

        Nothing of the body is believed yet: whoever reads it compares its digest.
        """
        signed = read_signature(dict(headers), method, path, query)
        if signed is None:
            raise RefusedError(401, "the request is not signed as the letter box asks")
        role = self._roles.get(signed.key)
        if role is None:
            raise RefusedError(403, "the key is of no role of this study")
        if not self._keys[role].verify(signed.signature, signed.covered):
            raise RefusedError(403, "the signature does not fit the request")
        if signed.box != self._box or abs(signed.created - self._clock()) > MAX_AGE:
            raise RefusedError(401, "the signature was made for another time")
        pace = self._paces.setdefault(role, _Pace(since=self._clock()))
        self._count(pace)
        if signed.nonce in pace.nonces:
            raise RefusedError(409, "the request was made before")
        pace.nonces[signed.nonce] = self._clock() + 2 * MAX_AGE
        return role

    def admit(self, text: str) -> str:
        """Return the role that signed a link to the study's page; refuse any other."""
        link, now = read_link(text), self._clock()
        role = None if link is None else self._roles.get(link.key)
        if link is None or role is None or not now < link.until <= now + HOURS * 3600 + MAX_AGE:
            raise RefusedError(401, "the link is none, or too old")
        if not self._keys[role].verify(link.signature, link.covered(self._box)):
            raise RefusedError(401, "the link was made for another run of the letter box")
        self._count(self._paces.setdefault(role, _Pace(since=now)))
        return role

    def _count(self, pace: _Pace) -> None:
        """Charge a request to a key, and forget what is too old to be used again."""
        now = self._clock()
        pace.left = min(BURST, pace.left + RATE * max(0.0, now - pace.since)) - 1
        pace.since = now
        if pace.left < 0:
            pace.left = 0.0
            raise RefusedError(429, "too many requests at once")
        while pace.nonces and next(iter(pace.nonces.values())) < now:
            pace.nonces.pop(next(iter(pace.nonces)))

    @staticmethod
    def read_path(path: str) -> Place:
        """Read the path of a file; refuse whatever is none."""
        found = PATH.fullmatch(path)
        if found is None or ".." in path:
            raise RefusedError(404, "there is no such file")
        return Place(*found.groups())

    def may_read(self, role: str, path: str) -> bool:
        """Tell whether a file was sent by a role, or to it, or to everyone."""
        mine = folder_of(role)
        sender, _, rest = path.partition("/")
        return mine == sender or rest.partition("/")[0] in (mine, folder_of(EVERYONE))

    def check_write(self, role: str, place: Place) -> None:
        """Refuse to write in the name of another, or to nobody of the study."""
        if place.sender != folder_of(role):
            raise RefusedError(403, "a role writes letters of its own only")
        if place.recipient not in self._folders:
            raise RefusedError(403, "the letter is to no role of this study")

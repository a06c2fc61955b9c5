"""Links by which a person sees the study's page: signed by the key of a role, good for some hours.

A link says which key signed it and until when it is good, and is bound to one run of one server,
as requests are. It opens the page and nothing else: no letter can be read or put by it.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass

from consilience.carriers.letter_box.signatures import Challenge
from consilience.study.identity import Identity

__all__ = ["HOURS", "Link", "read_link", "sign_link"]

HOURS = 12
"""How long a link is good."""

FORM = re.compile(r"([0-9a-f]{64})\.([0-9]{1,12})\.([A-Za-z0-9_-]{85}[AQgw])")
"""The last letter of a signature carries two bits: one text for one signature."""


@dataclass(frozen=True)
class Link:
    """A link as it was read, of which nothing is believed yet.

    Parameters
    ----------
    key : str
        The public key it claims, 64 hexadecimal digits.
    until : int
        Seconds, by the server's clock.
    signature : bytes
    """

    key: str
    until: int
    signature: bytes

    def covered(self, box: str) -> bytes:
        """Return what was signed, if it was for this run of a server."""
        return _covered(box, self.until)


def sign_link(identity: Identity, challenge: Challenge) -> str:
    """Return the part of a link that says who looks, and until when.

    Examples
    --------
    >>> alice, challenge = Identity.new("a/lab"), Challenge("0" * 32, 1_700_000_000)
    >>> link = read_link(sign_link(alice, challenge))
    >>> link.until - challenge.now
    43200
    >>> alice.public.verify(link.signature, link.covered(challenge.box))
    True
    """
    until = challenge.now + HOURS * 3600
    signature = base64.urlsafe_b64encode(identity.sign(_covered(challenge.box, until)))
    return f"{identity.public.sign}.{until}.{signature.decode().rstrip('=')}"


def read_link(text: str) -> Link | None:
    """Read what :func:`sign_link` wrote; None if it is none."""
    found = FORM.fullmatch(text)
    if found is None:
        return None
    key, until, signature = found.groups()
    return Link(key, int(until), base64.urlsafe_b64decode(f"{signature}=="))


def _covered(box: str, until: int) -> bytes:
    return f"consilience page\n{box}\n{until}".encode()

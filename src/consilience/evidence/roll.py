"""The roll: which contributions an analyst's answers go back to, written once for all of them.

A line has the digest of a contribution and who sent it; lines are in the order of the senders. Each
answer's signed statement names the roll by its SHA-256, so that parties who compare that one number
know whether they were told the same, and what is written grows with the parties, not their square.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from consilience.exceptions import BundleError

__all__ = ["ROLL", "Roll", "check_roll"]

ROLL = "contributions.statement.txt"
"""The file beside the answers."""


@dataclass(frozen=True)
class Roll:
    """Who sent what, as far as answers go back to it.

    Parameters
    ----------
    contributions : tuple of (str, str)
        Sender and digest.

    Examples
    --------
    >>> roll = Roll((("b/lab", "22"), ("a/lab", "11")))
    >>> print(roll.text, end="")
    11  a/lab
    22  b/lab
    >>> roll.of("a/lab")
    ['11']
    """

    contributions: tuple[tuple[str, str], ...] = ()

    @cached_property
    def text(self) -> str:
        """The file, in the form of ``sha256sum``."""
        return "".join(f"{digest}  {sender}\n" for sender, digest in sorted({*self.contributions}))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def of(self, sender: str) -> list[str]:
        """Return the digests of what one party sent."""
        return [digest for name, digest in self.contributions if name == sender]

    def told_to(self, recipient: str) -> dict[str, Any]:
        """Return what the statement of one answer says: the recipient's own, and the whole."""
        if not self.contributions:
            return {"answers": [], "roll": None}
        own = [{"from": recipient, "digest": digest} for digest in self.of(recipient)]
        roll = {"name": ROLL, "contributions": len(self.contributions), "sha256": self.digest}
        return {"answers": own, "roll": roll}


def check_roll(bundle: Path, statement: dict[str, Any]) -> None:
    """See that a roll that lies beside a bundle is the one its statement names.

    Raises
    ------
    BundleError
    """
    named, beside = statement["predicate"].get("roll"), bundle.with_name(ROLL)
    if named is None or not beside.exists():
        return
    found = hashlib.sha256(beside.read_bytes()).hexdigest()
    if found != named["sha256"]:
        raise BundleError(
            f"{ROLL} is not the list the statement of {bundle.name} names: its SHA-256 is "
            f"{found[:12]}.... It belongs to other answers, or was changed on the way."
        )

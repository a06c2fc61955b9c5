"""New keys for a role whose old ones are lost or worn out, without another study.

A succession is a signed statement beside the terms: the keys of a role are others from now on. It
is no part of the digest, so nobody contributes again; it stands by itself, because

- the new key signed it, and
- the old key did, or, where that is lost, more than half of the other roles.

What the old key signed before counts only if the succession lists it: whoever finds a lost key can
sign nothing new with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from consilience.exceptions import BundleError
from consilience.study.envelope import STATEMENT, Envelope
from consilience.study.identity import Identity, PublicKeys

__all__ = ["ENDING", "SUCCESSION", "Heirs", "state_succession", "succession_in_words"]

SUCCESSION = "urn:consilience:succession:1"
ENDING = ".succession.json"
MAX_KEPT = 10_000


def state_succession(
    study: str,
    role: str,
    old: PublicKeys,
    new: Identity,
    kept: Sequence[str],
    by: Identity | None,
) -> Envelope:
    """State that a role has new keys, signed by them and, where it is there, by the old one.

    Parameters
    ----------
    study : str
        The digest of the study.
    role : str
    old : PublicKeys
        As the study has them so far.
    new : Identity
    kept : sequence of str
        Digests of what the old key signed and what counts all the same.
    by : Identity or None
        The old identity; None if it is lost.

    Examples
    --------
    >>> old, new = Identity.new("a/lab"), Identity.new("a/lab")
    >>> envelope = state_succession("d" * 64, "a/lab", old.public, new, [], old)
    >>> heirs = Heirs("d" * 64, {"a/lab": old.public})
    >>> heirs.take(envelope)
    >>> heirs.now["a/lab"] == new.public
    True
    """
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": role, "digest": {"sha256": study}}],
        "predicateType": SUCCESSION,
        "predicate": {
            "study": study,
            "role": role,
            "old": old.model_dump(),
            "new": new.public.model_dump(),
            "kept": list(kept),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
        },
    }
    envelope = Envelope.of(statement).signed(new)
    return envelope if by is None else envelope.signed(by)


class Heirs:
    """The keys of all roles after some successions.

    Parameters
    ----------
    study : str
        The digest of the study.
    keys : mapping of str to PublicKeys
        As the terms have them.

    Attributes
    ----------
    now : dict of str to PublicKeys
    """

    def __init__(self, study: str, keys: Mapping[str, PublicKeys]) -> None:
        self._study = study
        self.now = dict(keys)
        self._kept: list[tuple[str, PublicKeys, frozenset[str]]] = []

    def signers(self, role: str, digest: str) -> list[PublicKeys]:
        """Return the keys by which a role may have signed something with this digest."""
        earlier = [keys for name, keys, kept in self._kept if name == role and digest in kept]
        return [self.now[role], *earlier]

    def ever(self, role: str) -> list[PublicKeys]:
        """Return all keys a role has or had."""
        return [self.now[role], *(keys for name, keys, _ in self._kept if name == role)]

    def take(self, envelope: Envelope) -> None:
        """Let a role have new keys from now on.

        Raises
        ------
        BundleError
            With what is missing, if the succession does not stand.
        """
        role, old, new, kept = self.read(envelope)
        if self.now[role] == new:
            return
        if self.now[role] != old:
            raise BundleError(f"a succession of {role!r} begins with other keys than it has now")
        if not envelope.is_signed_by(new):
            raise BundleError(f"a succession of {role!r} is not signed by its new key")
        lacking = self.lacking(envelope)
        if lacking:
            raise BundleError(
                f"a succession of {role!r} is signed neither by the old key nor by more than half "
                f"of the other roles: {lacking} more have to vouch for it"
            )
        self._kept.append((role, old, frozenset(kept)))
        self.now[role] = new

    def lacking(self, envelope: Envelope) -> int:
        """Return how many more roles have to vouch for a succession."""
        role, old, _, _ = self.read(envelope)
        if envelope.is_signed_by(old):
            return 0
        others = {keys.sign: keys for name, keys in self.now.items() if name != role}
        others.pop(old.sign, None)
        vouched = sum(envelope.is_signed_by(keys) for keys in others.values())
        return max(0, len(others) // 2 + 1 - vouched)

    def read(self, envelope: Envelope) -> tuple[str, PublicKeys, PublicKeys, list[str]]:
        """Return role, old keys, new keys and what is kept; refuse what is of another study."""
        try:
            said: dict[str, Any] = envelope.statement
            if said["predicateType"] != SUCCESSION:
                raise ValueError
            fields = said["predicate"]
            role, kept = str(fields["role"]), [str(digest) for digest in fields["kept"]]
            old, new = (PublicKeys.model_validate(fields[which]) for which in ("old", "new"))
            same = fields["study"] == self._study
            if len(kept) > MAX_KEPT:
                raise ValueError
        except (KeyError, TypeError, ValueError, ValidationError):
            raise BundleError("a succession cannot be read") from None
        if not same:
            raise BundleError(f"a succession of {role!r} belongs to another study")
        if role not in self.now:
            raise BundleError(f"a succession names {role!r}, who has no keys in the study")
        return role, old, new, kept


def succession_in_words(statement: dict[str, Any]) -> str:
    """Return what a succession says, for a person who is asked to vouch for it."""
    said = statement["predicate"]
    old, new = (PublicKeys.model_validate(said[which]) for which in ("old", "new"))
    return (
        f"{said['role']} has new keys since {said['when']}.\n"
        f"old keys: {old.fingerprint}\n"
        f"new keys: {new.fingerprint}\n"
        f"{len(said['kept'])} files signed with the old key still count, and nothing else does.\n"
        f"Call {said['role']} and compare the new digits before you vouch for them.\n"
    )

"""Who a party is: a key to sign with and a key to receive sealed bundles with.

Signatures are Ed25519 (``cryptography``), sealing is age with X25519 (``pyrage``). The public half
stands in the study file; the secret half stays in the party's private folder.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from typing import Annotated

import pyrage
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from pydantic import BaseModel, ConfigDict, Field, field_validator

from consilience.exceptions import StudyError
from consilience.study.fingerprint import fingerprint

__all__ = ["Identity", "PublicKeys"]


class PublicKeys(BaseModel):
    """The public half of an identity, as it stands in the study file.

    Parameters
    ----------
    sign : str
        Ed25519 public key, 64 hexadecimal digits.
    seal : str
        age recipient, ``age1...``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sign: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    seal: Annotated[str, Field(pattern=r"^age1[0-9a-z]{58}$")]

    @field_validator("seal")
    @classmethod
    def _can_be_sealed_to(cls, seal: str) -> str:
        try:
            pyrage.x25519.Recipient.from_str(seal)
        except pyrage.RecipientError:
            raise ValueError("not an age recipient: a character is wrong") from None
        return seal

    def verify(self, signature: bytes, data: bytes) -> bool:
        """Tell whether the holder of the secret half signed this data."""
        try:
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.sign)).verify(signature, data)
        except InvalidSignature:
            return False
        return True

    @property
    def fingerprint(self) -> str:
        """Both keys as digits, to be compared aloud with what their owner sees."""
        return fingerprint("keys", f"{self.sign} {self.seal}")

    @property
    def recipient(self) -> pyrage.x25519.Recipient:
        """The key to seal to."""
        return pyrage.x25519.Recipient.from_str(self.seal)


@dataclass(frozen=True, repr=False)
class Identity:
    """Both halves of a role's keys. Its text form is a secret file; it never prints itself.

    Examples
    --------
    >>> identity = Identity.new("hospital-a/clinical")
    >>> identity
    Identity('hospital-a/clinical')
    >>> identity.public.verify(identity.sign(b"hello"), b"hello")
    True
    >>> Identity.from_text(identity.to_text()).public == identity.public
    True
    """

    name: str
    signing: Ed25519PrivateKey
    sealing: pyrage.x25519.Identity

    def __repr__(self) -> str:
        return f"Identity({self.name!r})"

    @classmethod
    def new(cls, name: str) -> Identity:
        """Draw new keys."""
        return cls(name, Ed25519PrivateKey.generate(), pyrage.x25519.Identity.generate())

    @classmethod
    def from_text(cls, text: str) -> Identity:
        """Read the form :meth:`to_text` writes; a damaged one is refused without showing it."""
        try:
            fields = tomllib.loads(text)
            signing = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(fields["sign"]))
            sealing = pyrage.x25519.Identity.from_str(fields["seal"])
            return cls(str(fields["name"]), signing, sealing)
        except (KeyError, TypeError, ValueError, RecursionError, pyrage.IdentityError):
            message = "the identity file is damaged; restore it from a copy, or make a new one."
            raise StudyError(message) from None

    def to_text(self) -> str:
        """Return the text of the secret file."""
        return (
            "# Secret: the identity of one role. It never leaves this folder.\n"
            f"name = {json.dumps(self.name)}\n"
            f'sign = "{self.signing.private_bytes_raw().hex()}"\n'
            f'seal = "{self.sealing}"\n'
        )

    def sign(self, data: bytes) -> bytes:
        """Sign data; the signature has 64 bytes."""
        return self.signing.sign(data)

    @property
    def public(self) -> PublicKeys:
        """The public half, for the study file."""
        sign = self.signing.public_key().public_bytes_raw().hex()
        return PublicKeys(sign=sign, seal=str(self.sealing.to_public()))

    def public_lines(self, table: str = "keys") -> str:
        """Return the public half as lines of a study file, under the table of that name."""
        public = self.public
        return (
            f'\n[{table}."{self.name}"]\n# fingerprint {public.fingerprint}\n'
            f'sign = "{public.sign}"\nseal = "{public.seal}"\n'
        )

"""Envelopes: a statement and the signatures of those who stand by it (DSSE, version 1).

The form is that of the `Dead Simple Signing Envelope`: JSON with the statement in base64, and for
each signature the key it was made with. Ed25519 signs the *pre-authentication encoding*, kind and
bytes of the statement with their lengths. A statement is an in-toto Statement, version 1. So tools
that know nothing of this package read and verify both.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from consilience.arrays import read_json
from consilience.exceptions import ArraysError, BundleError
from consilience.study.identity import Identity, PublicKeys

__all__ = ["MAX_ENVELOPE_BYTES", "STATEMENT", "Envelope", "Signature"]

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
MAX_ENVELOPE_BYTES = 8 * 2**20
MAX_SIGNATURES = 64


@dataclass(frozen=True)
class Signature:
    """One signature: the Ed25519 public key it was made with, in hexadecimal, and its bytes."""

    key: str
    made: bytes


@dataclass(frozen=True)
class Envelope:
    """A statement and its signatures.

    Parameters
    ----------
    payload : bytes
        The statement as it was signed.
    signatures : tuple of Signature

    Examples
    --------
    >>> identity = Identity.new("hospital-a/clinical")
    >>> envelope = Envelope.of({"_type": STATEMENT, "subject": []}).signed(identity)
    >>> read = Envelope.from_text(envelope.to_text())
    >>> read.is_signed_by(identity.public), read.statement["subject"]
    (True, [])
    """

    payload: bytes
    signatures: tuple[Signature, ...] = ()

    @classmethod
    def of(cls, statement: dict[str, Any]) -> Envelope:
        """Put a statement into an envelope nobody has signed."""
        return cls(json.dumps(statement, indent=1, sort_keys=True, allow_nan=False).encode())

    @property
    def statement(self) -> dict[str, Any]:
        """What it says; not yet verified by anybody."""
        return read_json(self.payload, MAX_ENVELOPE_BYTES)

    def signed(self, identity: Identity) -> Envelope:
        """Return it with the signature of an identity; one that is there is not made twice."""
        if self.is_signed_by(identity.public):
            return self
        made = Signature(identity.public.sign, identity.sign(_encode(self.payload)))
        return replace(self, signatures=(*self.signatures, made))

    def joined(self, others: Iterable[Signature]) -> Envelope:
        """Return it with further signatures, each once."""
        return replace(self, signatures=tuple(dict.fromkeys((*self.signatures, *others))))

    def is_signed_by(self, keys: PublicKeys) -> bool:
        """Tell whether the holder of these keys signed it."""
        made = [s.made for s in self.signatures if s.key == keys.sign]
        return any(keys.verify(signature, _encode(self.payload)) for signature in made)

    def to_text(self) -> str:
        """Return the envelope as JSON."""
        fields = {
            "payloadType": PAYLOAD_TYPE,
            "payload": base64.b64encode(self.payload).decode(),
            "signatures": [
                {"keyid": s.key, "sig": base64.b64encode(s.made).decode()} for s in self.signatures
            ],
        }
        return json.dumps(fields)

    @classmethod
    def from_text(cls, text: str | bytes, source: str = "the envelope") -> Envelope:
        """Read what :meth:`to_text`, or any other tool, wrote.

        Raises
        ------
        BundleError
            If it is no envelope around a statement.
        """
        data = text.encode() if isinstance(text, str) else text
        try:
            fields = read_json(data, MAX_ENVELOPE_BYTES)
            stated = fields["signatures"]
            if fields["payloadType"] != PAYLOAD_TYPE or len(stated) > MAX_SIGNATURES:
                raise ValueError
            signatures = tuple(
                Signature(str(s["keyid"]), base64.b64decode(s["sig"], validate=True))
                for s in stated
            )
            envelope = cls(base64.b64decode(fields["payload"], validate=True), signatures)
            if envelope.statement["_type"] != STATEMENT:
                raise ValueError
        except (ArraysError, KeyError, TypeError, ValueError, binascii.Error):
            raise BundleError(f"{source} is no signed statement, or is damaged.") from None
        return envelope


def _encode(payload: bytes) -> bytes:
    """Return what is signed: kind and statement, each after its length."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)

"""Requests that a role signs with its own key: no passwords, nothing that can be used twice.

The form is that of HTTP message signatures (RFC 9421), with one fixed list of what is covered:
method, path, query and the digest of the body. A nonce begins with what the server said of itself
when it started, so a signature is good for one request at one server, for a minute by its clock.
Who signs is named by its public key, and by nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass

from consilience.study.identity import Identity

__all__ = ["MAX_AGE", "Challenge", "Signed", "digest_of", "read_signature", "sign_request"]

COVERED = ("@method", "@path", "@query", "content-digest")
MAX_AGE = 60
"""Seconds for which a signature is good, to either side of the server's clock."""

PARAMETERS = re.compile(
    r'sig=\("@method" "@path" "@query" "content-digest"\);created=([0-9]{1,12});'
    r'nonce="([0-9a-f]{32}[0-9a-f]{32})";keyid="([0-9a-f]{64})";alg="ed25519";tag="consilience"'
)
SIGNATURE = re.compile(r"sig=:([A-Za-z0-9+/]{86}==):")


@dataclass(frozen=True)
class Challenge:
    """What a server says of itself before anybody signs.

    Parameters
    ----------
    box : str
        32 hexadecimal digits it drew when it started.
    now : int
        Its clock, in seconds: whose own clock is off by a day signs all the same.
    """

    box: str
    now: int


@dataclass(frozen=True)
class Signed:
    """A signature as it was read, of which nothing is believed yet.

    Parameters
    ----------
    key : str
        The public key it claims, 64 hexadecimal digits.
    box, nonce : str
    created : int
    signature : bytes
    covered : bytes
        What was signed, if the request is what the signer made.
    """

    key: str
    box: str
    nonce: str
    created: int
    signature: bytes
    covered: bytes


def digest_of(body: bytes) -> str:
    """Return the digest of a body as it stands in a header.

    Examples
    --------
    >>> digest_of(b"")
    'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'
    """
    return f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"


def sign_request(
    identity: Identity, method: str, path: str, query: str, body: bytes, challenge: Challenge
) -> dict[str, str]:
    """Return the headers of a request that a role signs.

    Examples
    --------
    >>> alice = Identity.new("a/lab")
    >>> challenge = Challenge("0" * 32, 1_700_000_000)
    >>> headers = sign_request(alice, "GET", "/v1/files", "", b"", challenge)
    >>> signed = read_signature(headers, "GET", "/v1/files", "")
    >>> signed.key == alice.public.sign, alice.public.verify(signed.signature, signed.covered)
    (True, True)
    """
    digest = digest_of(body)
    names = " ".join(f'"{name}"' for name in COVERED)
    parameters = (
        f'({names});created={challenge.now};nonce="{challenge.box}{secrets.token_hex(16)}"'
        f';keyid="{identity.public.sign}";alg="ed25519";tag="consilience"'
    )
    covered = _covered(method, path, query, digest, parameters)
    signature = base64.b64encode(identity.sign(covered)).decode()
    return {
        "content-digest": digest,
        "signature-input": f"sig={parameters}",
        "signature": f"sig=:{signature}:",
    }


def read_signature(headers: dict[str, str], method: str, path: str, query: str) -> Signed | None:
    """Read the signature of a request; None if it has none of our form."""
    given = PARAMETERS.fullmatch(headers.get("signature-input", ""))
    signature = SIGNATURE.fullmatch(headers.get("signature", ""))
    if given is None or signature is None:
        return None
    created, nonce, key = given.groups()
    parameters = given.group().removeprefix("sig=")
    covered = _covered(method, path, query, headers.get("content-digest", ""), parameters)
    data = base64.b64decode(signature.group(1))
    return Signed(key, nonce[:32], nonce[32:], int(created), data, covered)


def _covered(method: str, path: str, query: str, digest: str, parameters: str) -> bytes:
    values = (method, path, f"?{query}", digest)
    lines = [f'"{name}": {value}' for name, value in zip(COVERED, values, strict=True)]
    return "\n".join([*lines, f'"@signature-params": {parameters}']).encode()

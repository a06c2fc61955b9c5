"""A letter box somewhere else, as a shelf: outgoing connections only, every request signed."""

from __future__ import annotations

import hashlib
import re
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from consilience.carriers.letter_box.links import sign_link
from consilience.carriers.letter_box.signatures import Challenge, sign_request
from consilience.exceptions import CarrierError, MissingExtraError
from consilience.study.identity import Identity

try:
    import httpx
except ImportError as error:
    raise MissingExtraError("a letter box", str(error.name), "net") from None

__all__ = ["LetterBox", "read_pin"]

ATTEMPTS = 8
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
SECONDS = 60.0
PART_BYTES = 2**16
AGAIN = frozenset({401, 408, 409, 429, 500, 502, 503, 504})
PIN = re.compile(r"sha256=([0-9a-f]{64})")


@dataclass(frozen=True)
class _Answer:
    """What a server answered, read whole."""

    status: int
    data: bytes

    def json(self) -> dict[str, Any]:
        return dict(httpx.Response(self.status, content=self.data).json())


class LetterBox:
    """A shelf behind a letter box.

    Parameters
    ----------
    address : str
        Such as ``https://analyst.example:8443``; behind a ``#`` may stand the SHA-256 of the
        certificate it has to show, ``#sha256=...``, as `consilience serve` prints it.
    identity : Identity
        Signs every request.
    ca : Path, optional
        Certificates to trust beside those of this machine, such as the house's own.
    certificate : str, optional
        SHA-256 of the certificate it has to show, as the study says; what stands in the address,
        or a house that opens TLS and whose certificates are given, comes before it.

    Notes
    -----
    ``HTTPS_PROXY``, ``NO_PROXY`` and ``SSL_CERT_FILE`` of the environment are obeyed.
    """

    def __init__(
        self,
        address: str,
        identity: Identity,
        ca: Path | None = None,
        certificate: str | None = None,
    ) -> None:
        parts = urlsplit(address)
        self._base = f"{parts.scheme}://{parts.netloc}"
        self._identity = identity
        self._seen: int | None = None
        self._challenge: tuple[Challenge, float] | None = None
        self._pinned, self._ca = read_pin(address) or (None if ca else certificate), ca
        self._client: httpx.Client | None = None

    def write(self, path: str, data: bytes) -> None:
        """Write a file of one's own."""
        self._ask("PUT", f"/v1/files/{path}", body=data)

    def read(self, path: str) -> bytes:
        """Return a file sent by this role, or to it."""
        return self._ask("GET", f"/v1/files/{path}").data

    def find(self) -> dict[str, int]:
        """Return the size of every file that concerns this role, by path."""
        answer = self._ask("GET", "/v1/files").json()
        if self._seen is None:
            # What comes between two looks of one round is news when the round is over.
            self._seen = int(answer["seen"])
        return {str(path): int(size) for path, size in answer["files"].items()}

    def rest(self, seconds: float) -> None:
        """Return when the box says that something is new, at the latest after so many seconds."""
        seen, self._seen = -1 if self._seen is None else self._seen, None
        self._ask("GET", "/v1/wait", f"seen={seen}&seconds={seconds:g}")

    def link(self) -> str:
        """Return an address at which a browser shows the study's page, to whoever has it."""
        try:
            if self._connected().get("/page").status_code == 404:
                raise CarrierError(f"{self._base} shows no page: it is served without.")
            return f"{self._base}/page?by={sign_link(self._identity, self._current())}"
        except httpx.TransportError as error:
            raise CarrierError(f"{self._base} cannot be reached: {_failure(error)}.") from None

    def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            self._client.close()

    def _ask(self, method: str, path: str, query: str = "", body: bytes = b"") -> _Answer:
        """Ask, and ask again where the line or the server failed: nothing is harmful twice."""
        why = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)))
            try:
                answer = self._ask_once(method, path, query, body)
            except httpx.TransportError as error:
                why, self._challenge = _failure(error), None
                continue
            if answer.status < 300:
                return answer
            why = _why(answer)
            if answer.status not in AGAIN:
                break
            if answer.status == 401:
                self._challenge = None
        raise CarrierError(f"{self._base} cannot be reached or refuses: {why}.")

    def _ask_once(self, method: str, path: str, query: str, body: bytes) -> _Answer:
        headers = sign_request(self._identity, method, path, query, body, self._current())
        address = f"{path}?{query}" if query else path
        content = None
        if method == "PUT":
            # Bytes given as they are would be kept with the request, piece after piece.
            headers["content-length"], content = str(len(body)), _in_parts(body)
        del body
        with self._connected().stream(method, address, headers=headers, content=content) as answer:
            data = b"".join(answer.iter_bytes())
        return _Answer(answer.status_code, data)

    def _current(self) -> Challenge:
        """Return what the server last said of itself, with its clock run on by ours."""
        if self._challenge is None:
            answer = self._connected().get("/v1/challenge")
            if answer.status_code != 200:
                raise httpx.RemoteProtocolError(f"status {answer.status_code}")
            try:
                said = answer.json()
                challenge = Challenge(str(said["box"]), int(said["now"]))
            except (ValueError, KeyError, TypeError):
                raise CarrierError(f"{self._base} is no letter box of Consilience.") from None
            self._challenge = challenge, time.monotonic()
        challenge, heard = self._challenge
        return Challenge(challenge.box, challenge.now + int(time.monotonic() - heard))

    def _connected(self) -> httpx.Client:
        """Return the client, which is made when it is first needed: nobody may be there yet."""
        if self._client is None:
            trusted: ssl.SSLContext | bool = not self._base.startswith("http:")
            if trusted:
                known = self._pinned
                trusted = _trusted(self._ca) if known is None else self._trust_pinned(known)
            self._client = httpx.Client(base_url=self._base, verify=trusted, timeout=SECONDS)
        return self._client

    def _trust_pinned(self, pin: str) -> ssl.SSLContext:
        """Look at the certificate once, without a word of ours; trust it alone if it is the one."""
        blind = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
        with (
            httpx.Client(verify=blind, timeout=SECONDS) as client,
            client.stream("GET", f"{self._base}/health") as answer,
        ):
            tls = answer.extensions["network_stream"].get_extra_info("ssl_object")
            shown = None if tls is None else tls.getpeercert(True)
        if shown is None:
            raise CarrierError(f"{self._base} shows no certificate: its address begins with https.")
        digest = hashlib.sha256(shown).hexdigest()
        if digest != pin:
            raise CarrierError(
                f"{self._base} shows another certificate than the study or the address says: its "
                f"SHA-256 is {digest}, must be {pin}. Ask whoever runs it, by telephone; if it was "
                f"renewed, put #sha256= and the new one behind the address. Where your house opens "
                f"TLS use --ca, and an address without #."
            )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.load_verify_locations(cadata=shown)
        return context


def _in_parts(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), PART_BYTES):
        yield body[start : start + PART_BYTES]


def _trusted(ca: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca is not None:
        try:
            context.load_verify_locations(cafile=ca)
        except ssl.SSLError:
            raise CarrierError(f"{ca} holds no certificates in PEM.") from None
    return context


def read_pin(address: str) -> str | None:
    """Return the SHA-256 of a certificate that stands behind an address, if one does.

    Examples
    --------
    >>> read_pin("https://host:8443"), read_pin("https://host:8443#sha256=" + "0" * 64)[:4]
    (None, '0000')
    """
    fragment = urlsplit(address).fragment
    if not fragment:
        return None
    found = PIN.fullmatch(fragment)
    if found is None:
        raise CarrierError("behind # stands sha256= and 64 digits, as `consilience serve` prints.")
    return found.group(1)


def _failure(error: httpx.TransportError) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return (
            "this machine does not trust its certificate. Join from a folder whose study.toml "
            "names it, or by the whole address that `consilience serve` printed, or use --ca"
        )
    return type(error).__name__


def _why(answer: _Answer) -> str:
    """Return what a server says, as far as it is one of ours."""
    try:
        return f"{answer.status}, {str(answer.json()['why'])[:200]}"
    except (ValueError, KeyError, TypeError):
        return f"status {answer.status}"

"""Where a letter box listens, by which certificate, and how long it waits for whoever connects."""

from __future__ import annotations

import ipaddress
import logging
import socket
from asyncio import TimerHandle, Transport
from asyncio.sslproto import SSLProtocol
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from consilience.exceptions import MissingExtraError, StudyError
from consilience.study.files import create_whole

try:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as error:
    raise MissingExtraError("a letter box", str(error.name), "net") from None

__all__ = ["Tls", "check_listen", "listen", "make_certificate", "make_server"]

HEAD_SECONDS = 15.0
"""Whoever has not sent the head of a request by then is cut off."""

TLS_BUFFER = 2**16
"""Bytes of a connection that are decrypted at once: each holds several times as much."""

KEEP_ALIVE = 65
MAX_CONNECTIONS = 4000
YEARS = 3


@dataclass(frozen=True)
class Tls:
    """A certificate (with its chain) and its key, as PEM files."""

    certificate: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate, by which a client may know it."""
        return self._read().fingerprint(hashes.SHA256()).hex()

    @property
    def ends(self) -> int:
        """Until when the certificate is good, in seconds since 1970."""
        return int(self._read().not_valid_after_utc.timestamp())

    def _read(self) -> x509.Certificate:
        try:
            return x509.load_pem_x509_certificates(self.certificate.read_bytes())[0]
        except ValueError:
            raise StudyError(f"{self.certificate} holds no certificate in PEM.") from None


def check_listen(text: str, encrypted: bool) -> tuple[str, int]:
    """Read where to listen; without TLS that is on this machine alone.

    Examples
    --------
    >>> check_listen("0.0.0.0:8443", True), check_listen("[::1]:0", False)
    (('0.0.0.0', 8443), ('::1', 0))
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise StudyError(f"--listen is {text!r}, must be HOST:PORT, such as 0.0.0.0:8443.")
    host = host.strip("[]")
    if not encrypted and not _is_loopback(host):
        raise StudyError(
            f"--listen is {text}, and there is no --tls: beyond this machine a letter box speaks "
            f"TLS only. Bring a certificate, or say --tls self for one of its own."
        )
    return host, int(port)


def listen(host: str, port: int) -> socket.socket:
    """Bind a socket."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((host, port))
    bound.listen(2048)
    return bound


def make_certificate(folder: Path, host: str) -> Tls:
    """Return the self-signed certificate of a folder; the first who asks makes it."""
    tls = Tls(folder / "certificate.pem", folder / "certificate-key.pem")
    if tls.certificate.exists():
        return tls
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "consilience letter box")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=7))  # a clock elsewhere may be wrong
        .not_valid_after(now + timedelta(days=365 * YEARS))
        .add_extension(x509.SubjectAlternativeName([_alternative(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    tls.key.unlink(missing_ok=True)  # of an attempt that did not get as far as the certificate
    create_whole(tls.key, secret)
    create_whole(tls.certificate, made.public_bytes(serialization.Encoding.PEM))
    return tls


def make_server(app: Any, tls: Tls | None) -> uvicorn.Server:
    """Return what serves an application: ``run(sockets=[...])`` until it is told to end."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    SSLProtocol.max_size = TLS_BUFFER
    config = uvicorn.Config(
        app,
        http=_Patient,
        ws="none",
        lifespan="off",
        loop="asyncio",
        access_log=False,
        log_config=None,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=5,
        ssl_certfile=None if tls is None else str(tls.certificate),
        ssl_keyfile=None if tls is None else str(tls.key),
    )
    return uvicorn.Server(config)


class _Patient(H11Protocol):
    """Cuts off whoever connects and does not ask, or asks one letter at a time."""

    _late: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_asking():
            self._watch()
        elif self._late is not None:
            self._late.cancel()
            self._late = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _is_asking(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _watch(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._cut)

    def _cut(self) -> None:
        self._late = None
        if not self._is_asking():
            self.transport.abort()


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

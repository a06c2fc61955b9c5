"""Lines between a house and a letter box: cut, slow, through a proxy, or opened by one.

Each function carries bytes for whoever connects, one connection after the other, until its process
is killed.
"""

from __future__ import annotations

import random
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from consilience.carriers.parcel import PIECE_BYTES

__all__ = ["House", "connect_for", "intercept", "relay"]

HOST = "127.0.0.1"
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
Heard = Callable[[bytes], None]


def relay(bound: socket.socket, port: int, rng: random.Random) -> None:
    """Carry bytes to and fro; most connections are cut after some, and some are slow."""
    while True:
        near, _ = bound.accept()
        with near, suppress(OSError), socket.create_connection((HOST, port)) as far:
            _carry(near, far, rng)


def connect_for(bound: socket.socket, port: int, rng: random.Random) -> None:
    """Be the proxy of a house that lets nobody out but by CONNECT; its lines are cut, too."""
    while True:
        near, _ = bound.accept()
        with near, suppress(OSError):
            if _asked_for(near) == f"{HOST}:{port}":
                with socket.create_connection((HOST, port)) as far:
                    near.sendall(ESTABLISHED)
                    _carry(near, far, rng)


def intercept(bound: socket.socket, port: int, house: House, heard: Heard) -> None:
    """Be a proxy that opens TLS at the border of a house, and hears what is said."""
    blind = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
    while True:
        near, _ = bound.accept()
        with near, suppress(OSError):
            near.settimeout(30)
            _asked_for(near)
            near.sendall(ESTABLISHED)
            inner = house.context.wrap_socket(near, server_side=True)
            with inner, socket.create_connection((HOST, port), 30) as plain:
                outer = blind.wrap_socket(plain)
                back = threading.Thread(target=_pump, args=(outer, inner, None), daemon=True)
                back.start()
                _pump(inner, outer, heard)
                back.join()


class House:
    """A house with a certificate authority of its own, which its machines trust.

    Parameters
    ----------
    folder : Path

    Attributes
    ----------
    authority : Path
        Its certificate, as PEM.
    context : SSLContext
        Shows a certificate for this machine by that authority.
    """

    def __init__(self, folder: Path) -> None:
        self.authority, chain = folder / "house.pem", folder / "shown.pem"
        key, shown_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        root = _sign("a house", key, "a house", key, authority=True)
        shown = _sign("this machine", shown_key, "a house", key, authority=False)
        encoding = serialization.Encoding.PEM
        self.authority.write_bytes(root.public_bytes(encoding))
        secret = shown_key.private_bytes(
            encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        chain.write_bytes(secret + shown.public_bytes(encoding))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(chain)


def _sign(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    by: ec.EllipticCurvePrivateKey,
    *,
    authority: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    subject, signer = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, n)]) for n in (name, issuer)
    )
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.BasicConstraints(authority, None), critical=True)
        # Python 3.13 asks what a key is for, and whose key signed its certificate (RFC 5280).
        .add_extension(_use(signs=authority), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), critical=False
        )
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))]), critical=False
        )
    )
    return made.sign(by, hashes.SHA256())


def _use(*, signs: bool) -> x509.KeyUsage:
    names = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
    never = dict.fromkeys((*names, "crl_sign", "encipher_only", "decipher_only"), False)
    return x509.KeyUsage(digital_signature=True, key_cert_sign=signs, **never)


def _asked_for(near: socket.socket) -> str:
    """Read the head of a request to a proxy, and return where it wants to go."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = near.recv(1)
        if not byte:
            raise ConnectionError
        head += byte
    method, place, *_ = head.decode("latin-1").split(" ")
    if method != "CONNECT":
        raise ConnectionError
    return place


def _carry(near: socket.socket, far: socket.socket, rng: random.Random) -> None:
    # Enough for two pieces at most: what gets through is kept.
    left = rng.choice([10**9, rng.randrange(1000), rng.randrange(2 * PIECE_BYTES)])
    slow = rng.random() < 0.2
    other = {near: far, far: near}
    while left > 0:
        ready, _, _ = select.select([near, far], [], [], 30)
        for one in ready:
            data = one.recv(2**16)
            if not data:
                left = 0
            if slow:
                time.sleep(0.001)
            other[one].sendall(data)
            left -= len(data)


def _pump(source: ssl.SSLSocket, target: ssl.SSLSocket, heard: Heard | None) -> None:
    """Carry what one side says to the other until it ends."""
    with suppress(OSError):
        while data := source.recv(2**16):
            if heard is not None:
                heard(data)
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)

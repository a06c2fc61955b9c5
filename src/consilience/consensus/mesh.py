"""A full mesh of encrypted connections between peers, and nobody in the middle.

Each peer listens on one port and connects to every other peer. Connections use CURVE: both sides
prove the key the study names for them, and everything is encrypted. Messages travel as written by
:mod:`~consilience.transports.wire`, one each. Signs of life are exchanged by the connections
themselves, so that a peer that computes for an hour is still seen to be there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from consilience.consensus.protocol.log import Log
from consilience.consensus.terms import Address
from consilience.exceptions import MessageError, MissingExtraError, StudyError
from consilience.messages import Message
from consilience.transports.wire import decode, encode

__all__ = ["Mesh", "Traffic", "curve_keys"]

MAX_MESSAGE = 2**28
MAX_UNREAD, MAX_UNSENT = 4, 1_000
"""Messages that wait at one connection; a peer that does not read gets no more."""
DOMAIN = "consilience"
PULSE, MAX_SILENCE = 2_000, 10_000
"""Milliseconds between two signs of life, and without one before a connection counts as lost."""


@dataclass
class Traffic:
    """What passed through a peer's connections.

    Parameters
    ----------
    sent, received : dict of str to int
        Bytes of messages, by kind.
    refused : list of str
        Why a message had no effect.
    """

    sent: dict[str, int] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=Log)


def curve_keys(seed: bytes) -> tuple[str, str]:
    """Make the CURVE key pair of a secret of 32 bytes: public, secret, as Z85 texts."""
    zmq = _zmq()
    from zmq.utils import z85

    secret = z85.encode(seed)
    return zmq.curve_public(secret).decode(), secret.decode()


class Mesh:
    """One listening socket, and one connection to every other peer.

    Parameters
    ----------
    name : str
    addresses : mapping of str to Address
        Every peer of the study, this one included.
    secret_key : str
        This peer's CURVE secret key.
    listen : str or None
        Where to listen, if not at the peer's own address.

    Attributes
    ----------
    traffic : Traffic
    present : set of str
        Peers that are there, be they busy.
    log : Log
        Connections that were turned down.
    """

    def __init__(
        self, name: str, addresses: Mapping[str, Address], secret_key: str, listen: str | None
    ) -> None:
        zmq = _zmq()
        from zmq.auth.thread import ThreadAuthenticator

        self.traffic, self.log = Traffic(), Log()
        self.present: set[str] = set()
        self._zmq = zmq
        self._names = {a.curve: peer for peer, a in addresses.items() if peer != name}
        self._context = zmq.Context()
        self._guard = ThreadAuthenticator(self._context)
        self._guard.start()
        self._guard.configure_curve_callback(domain=DOMAIN, credentials_provider=self)
        self._addresses = addresses
        self._keys = addresses[name].curve.encode(), secret_key.encode()
        self._pull = self._listen(listen or addresses[name].endpoint, name)
        self._watched: dict[str, Any] = {}
        self._push = {peer: self._connect(peer) for peer in addresses if peer != name}

    def _listen(self, place: str, name: str) -> Any:
        zmq = self._zmq
        socket = self._context.socket(zmq.PULL)
        socket.curve_server = True
        socket.curve_publickey, socket.curve_secretkey = self._keys
        for option, value in (
            (zmq.MAXMSGSIZE, MAX_MESSAGE),
            (zmq.RCVHWM, MAX_UNREAD),
            (zmq.ZAP_DOMAIN, DOMAIN.encode()),
            (zmq.LINGER, 0),
        ):
            socket.setsockopt(option, value)
        try:
            socket.bind(place)
        except zmq.ZMQError as error:
            self._guard.stop()
            self._context.destroy(linger=0)
            raise StudyError(
                f"{name} cannot listen at {place}: {error}. Choose another address with listen."
            ) from error
        return socket

    def _connect(self, peer: str) -> Any:
        zmq, address = self._zmq, self._addresses[peer]
        socket = self._context.socket(zmq.PUSH)
        socket.curve_publickey, socket.curve_secretkey = self._keys
        socket.curve_serverkey = address.curve.encode()
        for option, value in (
            (zmq.SNDHWM, MAX_UNSENT),
            (zmq.LINGER, 2_000),
            (zmq.RECONNECT_IVL, 50),
            (zmq.RECONNECT_IVL_MAX, 1_000),
            (zmq.HEARTBEAT_IVL, PULSE),
            (zmq.HEARTBEAT_TIMEOUT, MAX_SILENCE),
        ):
            socket.setsockopt(option, value)
        events = zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED | self._turned_down
        self._watched[peer] = socket.get_monitor_socket(events)
        socket.connect(address.endpoint)
        return socket

    def _disconnect(self, peer: str, linger: int | None = None) -> None:
        self._push[peer].disable_monitor()
        self._watched.pop(peer).close()
        self._push[peer].close(linger)

    @property
    def _turned_down(self) -> int:
        zmq = self._zmq
        return int(zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL)

    def callback(self, domain: str, key: bytes) -> bool:
        """Admit the keys the study names; called by the authenticator for each connection."""
        known = key.decode() in self._names
        if not known:
            self.log.append(
                "someone with a key that the study does not name was turned away: if that was a "
                "peer, its study file or its private folder is another one"
            )
        return known

    def look(self) -> None:
        """Note who has come and who has gone since the last look."""
        from zmq.utils.monitor import recv_monitor_message

        for peer, monitor in self._watched.items():
            while monitor.poll(0):
                event = recv_monitor_message(monitor)["event"]
                if event == self._zmq.EVENT_HANDSHAKE_SUCCEEDED:
                    self.present.add(peer)
                else:
                    self.present.discard(peer)
                if event & self._turned_down:
                    self.log.append(f"{peer} turned this peer away: it has another study file")

    def send(self, message: Message) -> None:
        """Send a message, or keep it for a peer that is not there yet."""
        data = encode(message)
        _add(self.traffic.sent, message, len(data))
        peer = message.recipient
        try:
            self._push[peer].send(data, self._zmq.NOBLOCK)
        except self._zmq.Again:
            # The other side turned this connection down for good, as one with an old key does, or
            # it does not read.
            self._disconnect(peer, linger=0)
            self._push[peer] = self._connect(peer)
            self._push[peer].send(data, self._zmq.NOBLOCK)

    def receive(self, seconds: float) -> Message | None:
        """Wait for a message so long; one that no peer of the study can have sent is None, too."""
        if not self._pull.poll(int(1000 * seconds)):
            return None
        try:
            frame = self._pull.recv(self._zmq.NOBLOCK, copy=False)
        except self._zmq.Again:
            # A sign of life wakes, too, and holds no message.
            return None
        sender = self._names.get(frame.get("User-Id"))
        try:
            message = decode(frame.bytes)
            if message.sender != sender:
                raise MessageError(f"{sender} sent a message in the name of someone else.")
        except MessageError as error:
            self.traffic.refused.append(f"from {sender}: {error}")
            return None
        _add(self.traffic.received, message, len(frame))
        return message

    def close(self) -> None:
        """Close all connections; what was said last is still sent."""
        for peer in self._push:
            self._disconnect(peer)
        self._pull.close()
        self._guard.stop()
        self._context.term()


def _add(book: dict[str, int], message: Message, n_bytes: int) -> None:
    kind = type(message).__name__
    book[kind] = book.get(kind, 0) + n_bytes


def _zmq() -> Any:
    try:
        import zmq
    except ImportError as error:
        raise MissingExtraError("running a peer over a network", "pyzmq", "peer") from error
    return zmq

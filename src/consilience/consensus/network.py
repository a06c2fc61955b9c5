"""Peers over a network: a full mesh of encrypted connections, and nobody in the middle.

Each peer listens on one port and connects to every other peer. Connections use CURVE: both sides
prove the key the study names for them, and everything is encrypted. Messages travel as written by
:mod:`~consilience.transports.wire`, one each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from consilience.arrays import from_bytes, to_bytes
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import Address, Peers
from consilience.exceptions import MessageError, MissingExtraError, PeerError, StudyError
from consilience.messages import Failure, Message
from consilience.study.files import write_whole
from consilience.study.identity import Identity
from consilience.study.keys import derive_key
from consilience.study.participant import Participant
from consilience.transports.wire import decode, encode

__all__ = ["Traffic", "curve_keys", "curve_seed", "meet_over_network", "run_peer", "show_place"]

MAX_MESSAGE = 2**30
LOOK_EVERY = 0.2
DOMAIN = "consilience"


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
    refused: list[str] = field(default_factory=list)


def curve_keys(seed: bytes) -> tuple[str, str]:
    """Make the CURVE key pair of a secret of 32 bytes: public, secret, as Z85 texts."""
    zmq = _zmq()
    from zmq.utils import z85

    secret = z85.encode(seed)
    return zmq.curve_public(secret).decode(), secret.decode()


def curve_seed(identity: Identity) -> bytes:
    """Derive the secret of a peer's CURVE keys from its signing key."""
    return derive_key(identity.signing.private_bytes_raw(), "curve")


def show_place(identity: Identity, endpoint: str) -> str:
    """Write the lines of a study file that say where a peer is reached and by which key."""
    public, _ = curve_keys(curve_seed(identity))
    return f'[consensus.places."{identity.name}"]\nendpoint = "{endpoint}"\ncurve = "{public}"\n'


def meet_over_network(
    me: Participant,
    peer: Peer,
    *,
    listen: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Traffic:
    """Run a peer with the others at the places the study names.

    Parameters
    ----------
    me : Participant
        In its private folder the checkpoint is kept.
    peer : Peer
    listen : str or None, default=None
        Where to listen, if not at the peer's own place.
    tell : callable
        Called with a line of progress now and then.

    Returns
    -------
    Traffic
    """
    study, agreed = me.study, me.study.of(Peers).consensus
    absent = [name for name in study.grid.parties if name not in agreed.places]
    if absent:
        raise StudyError(
            f"the study does not say where {absent} are. Each adds its place with `consilience "
            f"keygen --name ROLE --study STUDY --endpoint tcp://HOST:PORT`; or use --files."
        )
    public, secret = curve_keys(curve_seed(me.identity))
    if agreed.places[peer.name].curve != public:
        raise StudyError(
            f"the study has another curve key of {peer.name!r} than your private folder. Delete "
            f"its [consensus.places] entry and add yours with `consilience keygen --endpoint`."
        )
    return run_peer(
        peer,
        agreed.places,
        secret,
        listen=listen,
        timeout=agreed.timeout,
        folder=me.folder.path / "consensus" / study.digest[:12],
        tell=tell,
    )


def run_peer(
    role: Peer,
    addresses: Mapping[str, Address],
    secret_key: str,
    *,
    listen: str | None = None,
    timeout: float = 60.0,
    folder: Path | None = None,
    tell: Callable[[str], None] = lambda line: None,
    clock: Callable[[], float] = time.monotonic,
) -> Traffic:
    """Run one peer until it has its result.

    Parameters
    ----------
    role : Peer
    addresses : mapping of str to Address
        Every peer of the study, this one included.
    secret_key : str
        This peer's CURVE secret key.
    listen : str or None, default=None
        Where to listen, if not at the peer's own address; ``"tcp://*:7700"`` for all interfaces.
    timeout : float, default=60.0
        Seconds without progress after which the role gives up on those it waits for.
    folder : Path or None, default=None
        Where to keep the checkpoint; a peer started again with the same folder goes on from it.
    tell : callable
        Called with a line of progress now and then.
    clock : callable
        Seconds by which `timeout` is measured.

    Returns
    -------
    Traffic

    Raises
    ------
    PeerError
        If the run cannot go on; the others are told the reason.
    """
    file = None if folder is None else folder / f"{role.name.replace('/', '.')}.checkpoint"
    runner = _Runner(role, timeout, file, tell, clock)
    # Before anyone can reach this peer, so that a restart knows that it is one.
    runner.restore()
    runner.save()
    mesh = _Mesh(role.name, addresses, secret_key, listen)
    try:
        return runner.run(mesh)
    finally:
        mesh.close()


@dataclass
class _Runner:
    """The clock, the checkpoint and the loop around one role."""

    role: Peer
    timeout: float
    file: Path | None
    tell: Callable[[str], None]
    clock: Callable[[], float]
    saved: tuple[int, int, bool] | None = None
    told: int = 0
    restored: bool = False

    def run(self, mesh: _Mesh) -> Traffic:
        role, self._mesh = self.role, mesh
        try:
            self._send(role.begin() + (role.rejoin() if self.restored else []))
            self._loop(until=lambda: role.done)
            self.tell(f"agreed after iteration {role.iteration}")
            self._send(role.farewell())
            # Stay for those who have yet to hear the last words, but not forever.
            self._loop(until=lambda: set(role.members) <= role.gone | {role.name}, ending=True)
        except PeerError as error:
            header = {"study": role.study, "sender": role.name, "reason": str(error)}
            for name in set(role.members) - {role.name}:
                mesh.send(Failure(**header, recipient=name))
            raise
        return mesh.traffic

    def _loop(self, until: Callable[[], bool], ending: bool = False) -> None:
        role = self.role
        seen: object = None
        deadline = 0.0
        while not until():
            progress = (role.attempt, role.iteration, role.waiting_for, len(role.gone))
            now = self.clock()
            if progress != seen:
                seen, deadline = progress, now + self.timeout
            elif now >= deadline:
                if ending:
                    return
                seen = None
                self._send(role.give_up())
            message = self._mesh.receive(min(LOOK_EVERY, max(0.0, deadline - now)))
            if message is not None:
                try:
                    self._send(role.receive(message))
                except MessageError as error:
                    self._mesh.traffic.refused.append(str(error))
            for line in role.log[self.told :]:
                self.tell(line)
            self.told = len(role.log)

    def _send(self, messages: list[Message]) -> None:
        # What is about to be said must survive a crash, or a restart would contradict it.
        self.save()
        for message in messages:
            self._mesh.send(message)

    def save(self) -> None:
        role = self.role
        mark = (role.attempt, role.iteration, role.done)
        if self.file is None or mark == self.saved:
            return
        with write_whole(self.file, 0o600) as stream:
            stream.write(to_bytes(role.checkpoint()))
        self.saved = mark
        self.tell(f"iteration {role.iteration}")

    def restore(self) -> None:
        if self.file is None:
            return
        # As the first versions wrote it.
        old = self.file.with_suffix(".checkpoint.npz")
        try:
            if self.file.exists():
                _, arrays = from_bytes(self.file.read_bytes())
            elif old.exists():
                with np.load(old, allow_pickle=False) as stored:
                    arrays = dict(stored)
            else:
                return
        except (OSError, ValueError, BadZipFile) as error:
            raise StudyError(
                f"the checkpoint {self.file.name} cannot be read: delete it to start over."
            ) from error
        self.role.restore(arrays)
        self.restored = True
        self.tell(f"taking up the checkpoint of iteration {self.role.iteration}")


class _Mesh:
    """One listening socket, and one connection to every other peer."""

    def __init__(
        self, name: str, addresses: Mapping[str, Address], secret_key: str, listen: str | None
    ) -> None:
        zmq = _zmq()
        from zmq.auth.thread import ThreadAuthenticator

        self.traffic = Traffic()
        self._zmq, self._name = zmq, name
        self._names = {a.curve: peer for peer, a in addresses.items() if peer != name}
        self._context = zmq.Context()
        self._guard = ThreadAuthenticator(self._context)
        self._guard.start()
        self._guard.configure_curve_callback(domain=DOMAIN, credentials_provider=self)
        self._addresses = addresses
        self._keys = addresses[name].curve.encode(), secret_key.encode()
        self._pull = self._context.socket(zmq.PULL)
        self._pull.curve_server = True
        self._pull.curve_publickey, self._pull.curve_secretkey = self._keys
        self._pull.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE)
        self._pull.setsockopt(zmq.ZAP_DOMAIN, DOMAIN.encode())
        self._pull.setsockopt(zmq.LINGER, 0)
        place = listen or addresses[name].endpoint
        try:
            self._pull.bind(place)
        except zmq.ZMQError as error:
            self._guard.stop()
            self._context.destroy(linger=0)
            raise StudyError(
                f"{name} cannot listen at {place}: {error}. Choose another address with listen."
            ) from error
        self._push = {peer: self._connect(peer) for peer in addresses if peer != name}

    def _connect(self, peer: str) -> Any:
        zmq, address = self._zmq, self._addresses[peer]
        socket = self._context.socket(zmq.PUSH)
        socket.curve_publickey, socket.curve_secretkey = self._keys
        socket.curve_serverkey = address.curve.encode()
        socket.setsockopt(zmq.SNDHWM, 0)
        socket.setsockopt(zmq.LINGER, 2000)
        socket.setsockopt(zmq.RECONNECT_IVL, 50)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 1000)
        socket.connect(address.endpoint)
        return socket

    def callback(self, domain: str, key: bytes) -> bool:
        """Admit the keys the study names; called by the authenticator for each connection."""
        return key.decode() in self._names

    def send(self, message: Message) -> None:
        data = encode(message)
        _add(self.traffic.sent, message, len(data))
        try:
            self._push[message.recipient].send(data, self._zmq.NOBLOCK)
        except self._zmq.Again:
            # The other side turned this connection down for good, as one with an old key does.
            self._push[message.recipient].close(linger=0)
            self._push[message.recipient] = self._connect(message.recipient)
            self._push[message.recipient].send(data, self._zmq.NOBLOCK)

    def receive(self, seconds: float) -> Message | None:
        if not self._pull.poll(int(1000 * seconds)):
            return None
        frame = self._pull.recv(copy=False)
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
        for socket in self._push.values():
            socket.close()
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

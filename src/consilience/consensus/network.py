"""A peer over a network: the clock, the checkpoint and the loop around one role."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from consilience.consensus.checkpoint import restore_peer, write_checkpoint
from consilience.consensus.kept import Kept
from consilience.consensus.mesh import Mesh, Traffic, curve_keys
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import Address, Peers
from consilience.exceptions import MessageError, PeerError, StudyError
from consilience.messages import Failure, Message
from consilience.study.files import write_whole
from consilience.study.identity import Identity
from consilience.study.keys import derive_key
from consilience.study.participant import Participant

__all__ = ["curve_seed", "meet_over_network", "run_peer", "show_place"]

LOOK_EVERY = 0.2
A_DAY = 86_400.0


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
        deadline=agreed.deadline,
        folder=Kept(me).folder,
        tell=tell,
    )


def run_peer(
    role: Peer,
    addresses: Mapping[str, Address],
    secret_key: str,
    *,
    listen: str | None = None,
    timeout: float = 60.0,
    deadline: float | None = None,
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
        Seconds without a sign of life after which the role gives up on those it waits for.
    deadline : float or None, default=None
        Seconds for all of it, whoever is still at work; None means a day.
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
    end = clock() + (deadline or A_DAY)
    runner = _Runner(role, timeout, end, file, tell, clock)
    # Before anyone can reach this peer, so that a restart knows that it is one.
    runner.restore()
    runner.save()
    mesh = Mesh(role.name, addresses, secret_key, listen)
    try:
        return runner.run(mesh)
    finally:
        mesh.close()


@dataclass
class _Runner:
    """One role at work."""

    role: Peer
    timeout: float
    end: float
    file: Path | None
    tell: Callable[[str], None]
    clock: Callable[[], float]
    saved: tuple[int, int, int, bool] | None = None
    told: set[str] = field(default_factory=set)
    restored: bool = False

    def run(self, mesh: Mesh) -> Traffic:
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
        role, mesh = self.role, self._mesh
        seen: object = None
        deadline = 0.0
        while not until():
            mesh.look()
            # Who is there and takes its time is slow; who is in another study, or does not show
            # what it claims to have heard, is as good as away.
            slow = mesh.present - role.strangers - role.hearsay.doubted
            absent = set(role.waiting_for) - slow
            progress = (role.attempt, role.iteration, role.waiting_for, len(role.gone))
            now = self.clock()
            if progress != seen or not (absent or ending):
                seen, deadline = progress, now + self.timeout
            elif now >= deadline:
                if ending:
                    return
                seen = None
                self._send(role.give_up(absent))
            if now >= self.end:
                raise PeerError(
                    f"the run has taken longer than its deadline, and still waits for "
                    f"{', '.join(role.waiting_for) or 'nobody'} in iteration {role.iteration}. "
                    f"Start it again to go on, or agree on a later deadline.",
                    role.waiting_for,
                )
            self._hear(mesh.receive(min(LOOK_EVERY, max(0.0, deadline - now))))
            for line in (*mesh.log, *role.log):
                self._tell_once(line)

    def _hear(self, message: Message | None) -> None:
        if message is None:
            return
        try:
            self._send(self.role.receive(message))
        except MessageError as error:
            self._mesh.traffic.refused.append(str(error))

    def _tell_once(self, line: str) -> None:
        if line not in self.told:
            self.told.add(line)
            self.tell(line)

    def _send(self, messages: list[Message]) -> None:
        # What is about to be said must survive a crash, or a restart would contradict it.
        self.save()
        for message in messages:
            self._mesh.send(message)

    def save(self) -> None:
        role = self.role
        if self.file is None or role.progress == self.saved:
            return
        with write_whole(self.file, 0o600) as stream:
            stream.write(write_checkpoint(role))
        if self.saved is None or self.saved[:2] != role.progress[:2]:
            self.tell(f"iteration {role.iteration}")
        self.saved = role.progress

    def restore(self) -> None:
        if self.file is None or not self.file.exists():
            return
        self.restored = restore_peer(self.role, self.file.read_bytes())
        if self.restored:
            self.tell(f"taking up the checkpoint of iteration {self.role.iteration}")
        else:
            self.tell("the checkpoint is of another version: starting anew")

"""Three peers that can be killed at any moment, one of which may be a liar."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from consilience.consensus.checkpoint import restore_peer, write_checkpoint
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import PeerError
from consilience.messages import Message

__all__ = ["LIAR", "NAMES", "Company", "names_liar"]

NAMES = ("bank", "clinic", "insurer")
LIAR = "insurer"
MAX_STEPS = 20_000


class Company:
    """Three peers, what is on its way between them, and what each has on its disk.

    Parameters
    ----------
    rng : Generator
        Decides which message arrives next, and what is lost when a process ends.
    n_rows, n_groups : int
        Every peer holds all rows, unless `held` is changed.
    liar : type of Peer
        What the insurer is.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        n_rows: int = 60,
        n_groups: int = 4,
        liar: type[Peer] = Peer,
    ) -> None:
        self.rng, self.n_groups, self.liar = rng, n_groups, liar
        self.X = rng.normal(size=(n_rows, 6)) + 3 * rng.integers(3, size=(n_rows, 1))
        self.pseudonyms = rng.integers(256, size=(n_rows, 16), dtype=np.uint8)
        self.held = {name: np.arange(n_rows) for name in NAMES}
        self.roles: dict[str, Peer] = {}
        self.disk: dict[str, bytes] = {}
        self.saved: dict[str, Any] = {}
        self.lanes: dict[tuple[str, str], deque[Message]] = {
            (a, b): deque() for a in NAMES for b in NAMES if a != b
        }

    def make(self, name: str, **changes: Any) -> Peer:
        """Make a peer as its process would, before it looks at its checkpoint."""
        place, kind = NAMES.index(name), self.liar if name == LIAR else Peer
        order = np.random.default_rng(place).permutation(self.held[name])
        return kind(
            name,
            NAMES,
            self.X[order][:, 2 * place : 2 * place + 2],
            ConsensusTerms(seed=1, max_iter=3),
            changes.get("step", LocalStep(KMeans(self.n_groups))),
            pseudonyms=self.pseudonyms[order],
            study="s",
            secret=name.encode(),
        )

    def start(self, name: str, role: Peer | None = None) -> None:
        """Start a peer, from its checkpoint if it has one."""
        role = self.make(name) if role is None else role
        again = name in self.disk and restore_peer(role, self.disk[name])
        self.roles[name] = role
        self.save(name)
        self.send(name, [*role.begin(), *(role.rejoin() if again else [])])

    def send(self, name: str, messages: Iterable[Message], until: float = 1.0) -> None:
        """Save, then put messages on their way; a process that is killed sends a part of them."""
        self.save(name)
        messages = list(messages)
        for message in messages[: int(until * len(messages)) if until < 1 else None]:
            self.lanes[(name, message.recipient)].append(message)

    def save(self, name: str) -> None:
        """Write a checkpoint where a process would."""
        role = self.roles[name]
        if self.saved.get(name) != role.progress:
            self.disk[name], self.saved[name] = write_checkpoint(role), role.progress

    def kill(self, name: str) -> None:
        """End a process: what it had received and not read is lost, and what it had not sent."""
        self.roles.pop(name, None)
        self.saved.pop(name, None)
        for (sender, recipient), lane in self.lanes.items():
            cut = int(self.rng.integers(len(lane) + 1))
            if recipient == name:
                for _ in range(cut):
                    lane.popleft()
            elif sender == name:
                while len(lane) > cut:
                    lane.pop()

    def step(self, until: float = 1.0) -> str | None:
        """Let one message arrive, of any lane whose end is there; return who received it."""
        open_lanes = [key for key, lane in self.lanes.items() if lane and key[1] in self.roles]
        if not open_lanes:
            return None
        key = open_lanes[int(self.rng.integers(len(open_lanes)))]
        name, role = key[1], self.roles[key[1]]
        was_done = role.done
        try:
            said = role.receive(self.lanes[key].popleft())
        except PeerError:
            if type(role) is Peer:
                raise
            # A liar that has found out who lies says nothing.
            return name
        if role.done and not was_done:
            said += role.farewell()
        self.send(name, said, until)
        return name

    def run(self) -> None:
        """Deliver until nothing is on its way."""
        for _ in range(MAX_STEPS):
            if self.step() is None:
                return
        raise RuntimeError("messages without end")

    def labels(self) -> list[bytes]:
        """Return each peer's labels in the order of the table, as bytes; -1 for rows it has not."""
        found = []
        for place, name in enumerate(NAMES):
            order = np.random.default_rng(place).permutation(self.held[name])
            role = self.roles[name]
            labels = np.full(len(self.X), -1, dtype=np.int64)
            if not role.done:
                return []
            labels[order] = role.labels
            found.append(labels.tobytes())
        return found

    def start_and_run(self) -> None:
        """Start all, and deliver until nothing is on its way."""
        for name in NAMES:
            self.start(name)
        self.run()


def names_liar(act: Callable[[], None]) -> bool:
    """Tell whether the liar is named, and nobody else."""
    try:
        act()
    except PeerError as error:
        return error.peers == (LIAR,)
    return False

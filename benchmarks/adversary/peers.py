"""Peers that die at any moment, and peers that lie.

*Schedules*: a run of three peers in which processes are killed at random moments, with what was on
their way, and started again from the bytes of their checkpoints. It fails if the peers do not end
in the labels of a run that nobody disturbed, to the byte. *Liars*: what a peer can do to the
others' result without being named is a failure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.cluster import KMeans

from benchmarks.adversary.tried import Tried, share_of
from consilience.consensus.checkpoint import restore_peer, write_checkpoint
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.deliberation import Deliberation
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.protocol.shared_state import SharedState
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import ConsilienceError, PeerError, StudyError
from consilience.messages import Failure, LocalLabels, Message, Ranking, Rejoin, Roster
from consilience.transports.wire import encode

__all__ = ["Company", "attempt"]

NAMES = ("bank", "clinic", "insurer")
LIAR = "insurer"
N_TABLES, MAX_STEPS = 10, 20_000


class Company:
    """Three peers, what is on its way between them, and what each has on its disk.

    Parameters
    ----------
    rng : Generator
        Decides which message arrives next, and what is lost when a process ends.
    n_rows, n_groups : int
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
        self.roles: dict[str, Peer] = {}
        self.disk: dict[str, bytes] = {}
        self.saved: dict[str, Any] = {}
        self.lanes: dict[tuple[str, str], deque[Message]] = {
            (a, b): deque() for a in NAMES for b in NAMES if a != b
        }

    def make(self, name: str, **changes: Any) -> Peer:
        """Make a peer as its process would, before it looks at its checkpoint."""
        place, kind = NAMES.index(name), self.liar if name == LIAR else Peer
        order = np.random.default_rng(place).permutation(len(self.X))
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
        said = role.receive(self.lanes[key].popleft())
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
        """Return each peer's labels in the order of the pseudonyms, as bytes."""
        found = []
        for place, name in enumerate(NAMES):
            order = np.random.default_rng(place).permutation(len(self.X))
            role = self.roles[name]
            labels = np.empty(len(self.X), dtype=np.int64)
            if not role.done:
                return []
            labels[order] = role.labels
            found.append(labels.tobytes())
        return found


@cache
def undisturbed(table: int) -> list[bytes]:
    """Return what the peers agree on when nothing happens."""
    company = Company(np.random.default_rng(table))
    _start_and_run(company)
    return company.labels()


def disturbed(seed: int) -> bool:
    """Kill any subset at any step, again and again, then start all; tell whether all ended well."""
    rng = np.random.default_rng(seed)
    company = Company(np.random.default_rng(seed % N_TABLES))
    company.rng = rng
    for name in NAMES:
        company.start(name)
    for _ in range(int(rng.integers(1, 5))):
        # Between two kills some of those who are down are started, and messages arrive.
        for _ in range(int(rng.integers(1, 60))):
            if rng.random() < 0.05:
                down = [name for name in NAMES if name not in company.roles]
                if down:
                    company.start(str(rng.choice(down)))
            company.step()
        subset = [name for name in NAMES if rng.random() < 0.6]
        received = company.step(until=float(rng.random()))
        for name in {*subset, *([received] if received else [])}:
            company.kill(name)
    for name in NAMES if rng.random() < 0.5 else ():
        company.kill(name)
    for name in rng.permutation([name for name in NAMES if name not in company.roles]):
        company.start(str(name))
    company.run()
    return company.labels() == undisturbed(seed % N_TABLES) != []


class TwoRosters(Peer):
    """Holds other rows towards the bank than towards the clinic, equally many."""

    def begin(self) -> list[Message]:
        """Change some pseudonyms of one of the two rosters."""
        return [self._twist(message) for message in super().begin()]

    def _twist(self, message: Message) -> Message:
        if not isinstance(message, Roster) or message.recipient != "bank":
            return message
        rows, rng = message.pseudonyms.copy(), np.random.default_rng(len(message.pseudonyms))
        changed = rng.choice(len(rows), int(rng.integers(1, len(rows) // 2)), replace=False)
        rows[changed] = rng.integers(256, size=(len(changed), 16))
        return replace(message, pseudonyms=rows[np.lexsort(rows.T[::-1])])


class Pairs(Peer):
    """Groups rows in pairs at random, and later tells all apart."""

    def _deliberate(self, state: SharedState) -> Deliberation:
        own = super()._deliberate(state)
        n = len(own.labels)
        if state.iteration == 0:
            pair = np.random.default_rng(n).permutation(n) // 2
            own.labels = np.unique(pair, return_inverse=True)[1]
            own.labels = np.argsort(np.argsort(np.unique(pair, return_index=True)[1]))[pair]
        else:
            own.labels = np.arange(n)
        return own


class Withholder(Peer):
    """Commits, hears what the others reveal, and reveals nothing; then it commits to a copy."""

    kind: type[Message] = LocalLabels
    when = 1
    copies = False

    def begin(self) -> list[Message]:
        """Forget what it promised and said itself, if it is to copy."""
        if self.copies:
            own = self.commitments._promised
            for key in [key for key in own if key[3] == self.name]:
                del own[key]
            self._outbox.forget()
        return self._withhold(super().begin())

    def receive(self, message: Message) -> list[Message]:
        """Keep back what it should reveal."""
        return self._withhold(super().receive(message))

    def _withhold(self, messages: list[Message]) -> list[Message]:
        def kept_back(message: Message) -> bool:
            now = getattr(message, "iteration", 0) == self.when
            return now and isinstance(message, self.kind) and not self.copies

        return [message for message in messages if not kept_back(message)]

    def _deliberate(self, state: SharedState) -> Deliberation:
        own = super()._deliberate(state)
        if self.copies and own.iteration == self.when:
            if self.kind is LocalLabels:
                # Another partition of the same rows, as a copy of somebody's would be.
                own.labels = np.minimum(own.labels, 1) if own.labels.max() > 1 else 0 * own.labels
            else:
                honest = own.rank

                def rank() -> Any:
                    order = honest()
                    own.ranking = order[np.lexsort((-np.arange(len(order)), own.consensus[order]))]
                    return own.ranking

                own.rank = rank  # type: ignore[method-assign]
        return own


def names_liar(act: Callable[[], None]) -> bool:
    """Tell whether the liar is named, and nobody else."""
    try:
        act()
    except PeerError as error:
        return error.peers == (LIAR,)
    return False


def two_rosters(seed: int) -> bool:
    """Let a peer tell two rosters."""
    company = Company(np.random.default_rng(seed), liar=TwoRosters)
    return names_liar(lambda: _start_and_run(company))


def pairs(seed: int) -> bool:
    """Let a peer send pairs, on tables of 60 to 600 rows and 2 to 8 groups at the others."""
    rng = np.random.default_rng(seed)
    n_rows, n_groups = int(rng.integers(60, 600)), int(rng.integers(2, 9))
    company = Company(rng, n_rows, n_groups, liar=Pairs)
    return names_liar(lambda: _start_and_run(company))


def withheld(seed: int) -> bool:
    """Let a peer withhold labels or ranks until all are started again, and then copy."""
    rng = np.random.default_rng(seed)
    kind, when = (LocalLabels, Ranking)[int(rng.integers(2))], int(rng.integers(1, 3))
    company = _hold_back(rng, kind, when)
    if company.roles["bank"].done:
        # There was no second iteration in which to withhold anything.
        company = _hold_back(rng, kind, 1)
    for name in NAMES:
        company.kill(name)

    def again() -> None:
        for name in NAMES:
            role = company.make(name)
            if isinstance(role, Withholder):
                role.copies = True
            company.start(name, role)
        company.run()

    return names_liar(again)


def _hold_back(rng: np.random.Generator, kind: type[Message], when: int) -> Company:
    company = Company(rng, liar=type("Made", (Withholder,), {"kind": kind, "when": when}))
    _start_and_run(company)
    return company


def _start_and_run(company: Company) -> None:
    for name in NAMES:
        company.start(name)
    company.run()


def changed_setting(seed: int) -> bool:
    """Take up a checkpoint, at any step, with another number of groups: it must be refused."""
    company = Company(np.random.default_rng(seed))
    for name in NAMES:
        company.start(name)
    for _ in range(int(company.rng.integers(0, 80))):
        company.step()
    other = company.make("bank", step=LocalStep(KMeans(company.n_groups + 1)))
    try:
        restore_peer(other, company.disk["bank"])
    except StudyError as error:
        return "other settings" in str(error)
    return False


def flood(seed: int) -> bool:
    """Ask 1,500 times for what was missed: the answers must stay within a megabyte."""
    company = Company(np.random.default_rng(seed), n_rows=600)
    _start_and_run(company)
    bank, asked = company.roles["bank"], 0
    again = Rejoin(study="s", sender=LIAR, recipient="bank", attempt=0, iteration=1)
    for _ in range(1_500):
        answers = bank.receive(again)
        asked += sum(len(encode(message)) for message in answers)
    return asked < 2**20 and len(bank.log) < 10


def commands_to_terminals(seed: int) -> bool:
    """Send reasons full of escape codes: no line that is shown may hold one."""
    company = Company(np.random.default_rng(seed))
    for name in NAMES:
        company.start(name)
    bank = company.roles["bank"]
    for _ in range(300):
        reason = "".join(map(chr, company.rng.integers(0, 160, size=40))) + "\x1b[2J"
        bank.receive(Failure(study="s", sender=LIAR, recipient="bank", reason=reason))
    return all(line.isprintable() for line in bank.log) and len(bank.log) <= 201


def wrong_study(seed: int) -> bool:
    """Let a peer come with another study: the first message must tell who."""
    company = Company(np.random.default_rng(seed))
    for name in NAMES:
        company.start(name)
    lane = company.lanes[(LIAR, "bank")]
    try:
        company.roles["bank"].receive(replace(lane[0], study="t"))
    except ConsilienceError:
        bank = company.roles["bank"]
        return bank.strangers == {LIAR} and any("another study" in line for line in bank.log)
    return False


CAMPAIGN: tuple[tuple[str, int, Callable[[int], bool]], ...] = (
    (
        "any of three peers killed at any step, all started again: the labels differ",
        1_000,
        disturbed,
    ),
    ("two rosters told, and the liar not named", 100, two_rosters),
    (
        "labels or ranks withheld, then copied after a restart, and the liar not named",
        100,
        withheld,
    ),
    ("labels in pairs, then all distinct, and the liar not named", 100, pairs),
    ("a checkpoint taken up with another setting", 100, changed_setting),
    ("1,500 requests to repeat answered with more than a megabyte", 3, flood),
    ("a command to the terminal shown from a reason others gave", 20, commands_to_terminals),
    ("a message of another study without a word about it", 20, wrong_study),
)


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Run a share of every kind of attempt."""
    # Small tables, many of them: checking each array anew takes most of the time.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for what, tries, holds in CAMPAIGN:
            n = share_of(tries, share)
            failures = sum(not holds(100_000 * seed + k) for k in range(n))
            yield Tried(what, n, failures)

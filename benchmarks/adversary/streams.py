"""A stream under attack: forged and stale answers, windows out of order, noise looked at twice."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adversary.small_studies import private_folder, small_study, write_table
from benchmarks.adversary.tried import Tried, share_of
from benchmarks.problems import Array
from consilience.continual.analyst import Analyst
from consilience.continual.by_files import send
from consilience.continual.party import Party
from consilience.exceptions import BudgetError, MessageError
from consilience.messages import ClusterUpdate, Message, NodeUpdate
from consilience.privacy.accountant import Accountant
from consilience.sources.source import Source
from consilience.study.participant import Participant
from consilience.study.study import Study

__all__ = ["FORGERIES", "attempt"]

PARTY, EPSILON, BUDGET = "north/lab", 1.0, 3.0
N_ANSWERS, N_SCHEDULES, N_ACCOUNTS, N_AT_ONCE, N_ROUNDS, N_STEPS = 2_000, 300, 60, 8, 20, 8
Forgery = Callable[[ClusterUpdate, np.random.Generator], Mapping[str, Any]]

FORGERIES: dict[str, Forgery] = {
    "another party signs": lambda answer, rng: {"sender": "b"},
    "to another party": lambda answer, rng: {"recipient": "b"},
    "of another study": lambda answer, rng: {"study": "another"},
    "of an earlier round": lambda answer, rng: {"window": int(rng.integers(answer.window))},
    "about a node never made": lambda answer, rng: {
        "ids": np.append(answer.ids[1:], 10**6 + rng.integers(9))
    },
    "about a node twice": lambda answer, rng: {"ids": np.append(answer.ids[1:], answer.ids[-1])},
    "with a name below 0": lambda answer, rng: {
        "labels": np.append(answer.labels[1:], -1 - rng.integers(9))
    },
    "with more names than clusters": lambda answer, rng: {
        "labels": np.arange(len(answer.labels)),
        "n_clusters": 1,
    },
    "with 2^40 clusters": lambda answer, rng: {"n_clusters": 2**40},
    "with nodes of another width": lambda answer, rng: {
        "nodes": rng.normal(size=(4, 5)),
        "node_labels": np.zeros(4, dtype=np.int64),
        "bandwidth": 1.0,
    },
}
"""What a stranger, or an analyst gone wrong, may change in an answer."""


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Try all of it.

    Parameters
    ----------
    share : float
        Of 2,000 answers, 300 schedules, 60 accounts and 20 rounds of eight at once.
    seed : int
    """
    rng = np.random.default_rng(seed)
    n = share_of(N_ANSWERS, share)
    yield Tried("a forged or stale answer is taken, or a right one refused", n, _forge(n, rng))
    n = share_of(N_SCHEDULES, share)
    failures = sum(_shuffle_windows(rng) for _ in range(n))
    yield Tried("windows sent twice, late or too early change what the analyst knows", n, failures)
    n = share_of(N_ACCOUNTS, share)
    failures = sum(_look_again(rng) for _ in range(n))
    what = "noise declined, sent elsewhere, state lost, terms or rows changed: a look for nothing"
    yield Tried(what, n * N_STEPS, failures)
    n = share_of(N_ROUNDS, share)
    failures = sum(_at_once(same) for k in range(n) for same in (True, False))
    what = "eight at once, of one window or of eight: more noise than was paid for"
    yield Tried(what, 2 * N_AT_ONCE * n, failures)


def _forge(n: int, rng: np.random.Generator) -> int:
    failures = 0
    party = Party("a", 2, max_nodes=24)
    for window in range(4):
        party.begin(rng.normal(size=(80, 2)) + 30 * window)
    ids = party.network.ids[: party.network.n_nodes].copy()
    right = ClusterUpdate(
        study="",
        sender="analyst",
        recipient="a",
        window=3,
        ids=ids,
        labels=ids % 3,
        n_clusters=3,
    )
    party.receive(right)
    names = list(FORGERIES)
    for k in range(n):
        forged = replace(right, **FORGERIES[names[k % len(names)]](right, rng))
        failures += not _refused(lambda forged=forged: party.receive(forged))  # type: ignore[misc]
        failures += party.clusters is not right
    return failures + _refused(lambda: party.receive(right))


def _shuffle_windows(rng: np.random.Generator) -> int:
    """Send windows with accidents; in the end the analyst knows what it would without them."""
    party, calm, troubled = Party("a", 2), Analyst(["a"], 2), Analyst(["a"], 2)
    sent: list[Message] = []
    for window in range(4):
        sent += party.begin(rng.normal(size=(30, 2)) + window)
    for update in sent:
        calm.receive(update)
        calm.solve()
    failures = done = 0
    while done < len(sent):
        k = int(rng.integers(len(sent)))
        update = sent[k]
        assert isinstance(update, NodeUpdate)
        if k == done - 1 and rng.random() < 0.5 and len(update.nodes):
            changed = replace(update, nodes=update.nodes + 1.0)
            failures += not _refused(lambda m=changed: troubled.receive(m))  # type: ignore[misc]
        refused = _refused(lambda m=update: troubled.receive(m))  # type: ignore[misc]
        failures += refused != (k > done)
        if troubled.waiting:
            troubled.solve()
            done += 1
    same = np.array_equal(calm.network.positions, troubled.network.positions)
    return failures + (not same)


def _refused(receive: Callable[[], object]) -> bool:
    try:
        receive()
    except MessageError:
        return True
    return False


class _Looks:
    """A study on disk, and everything its party was ever shown."""

    def __init__(self, folder: Path) -> None:
        self.path = small_study(folder, "stream", EPSILON, BUDGET)
        self.seen: dict[bytes, float] = {}

    @property
    def spent(self) -> float:
        return Accountant(private_folder(self.path, PARTY)).spent

    def look(self, table: Path, epsilon: float = EPSILON) -> Array | None:
        """Return the nodes that a party is shown, or None if its budget refuses."""
        text = re.sub("epsilon = .*", f"epsilon = {epsilon}", self.path.read_text())
        me = Participant(Study.from_text(text), PARTY, private_folder(self.path, PARTY))
        try:
            leaving = send(me, Source(table, "id"), window=0)
        except BudgetError:
            return None
        message = leaving.letters[0].message
        assert isinstance(message, NodeUpdate)
        self.seen[message.nodes.tobytes()] = epsilon
        return message.nodes

    def wrong(self) -> bool:
        """Whether more was seen than paid for, or paid than agreed."""
        return not sum(self.seen.values()) <= self.spent + 1e-9 <= BUDGET + 2e-9


def _look_again(rng: np.random.Generator) -> int:
    """Try in random order whatever might show other noise for nothing."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        looks = _Looks(Path(folder) / "study")
        for _ in range(N_STEPS):
            table = Path(folder) / f"week-{rng.integers(2)}.csv"
            if not table.exists():
                write_table(table, "stream", int(table.stem[-1]))
            state = private_folder(looks.path, PARTY).path / "stream.state"
            if rng.random() < 0.3:
                state.unlink(missing_ok=True)
            looks.look(table, float(rng.choice([0.5, 1.0, 1.5])))
            failures += looks.wrong()
    return failures


def _at_once(same: bool) -> int:
    """Look eight times at once at one window, or at eight; return whether something was wrong."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(N_AT_ONCE) as pool:
        looks = _Looks(Path(folder) / "study")
        tables = [Path(folder) / f"week-{0 if same else k}.csv" for k in range(N_AT_ONCE)]
        for k, table in enumerate(tables):
            write_table(table, "stream", 0 if same else k)
        shown = [nodes for nodes in pool.map(looks.look, tables) if nodes is not None]
        granted = N_AT_ONCE if same else int(BUDGET / EPSILON)
        alike = len(looks.seen) == (1 if same else granted)
        return int(looks.wrong() or len(shown) != granted or not alike)

"""Peers that die at any moment, and peers that lie.

*Schedules*: a run of three peers in which processes are killed at random moments, with what was on
their way, and started again from the bytes of their checkpoints. It fails if the peers do not end
in the labels of a run that nobody disturbed, to the byte. *Liars*: what a peer can do to the
others' result without being named is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from sklearn import config_context
from sklearn.cluster import KMeans

from benchmarks.adversary.adapted_words import pairs, withheld
from benchmarks.adversary.company import LIAR, NAMES, Company
from benchmarks.adversary.tried import Tried, share_of
from benchmarks.adversary.two_stories import (
    claimed_difference,
    huge_roster,
    other_rows,
    two_rosters,
    two_words,
)
from consilience.consensus.checkpoint import restore_peer
from consilience.consensus.local_step import LocalStep
from consilience.exceptions import ConsilienceError, StudyError
from consilience.messages import Failure, Rejoin
from consilience.transports.wire import encode

__all__ = ["attempt", "disturbed", "undisturbed"]

N_TABLES = 10


@cache
def undisturbed(table: int) -> list[bytes]:
    """Return what the peers agree on when nothing happens."""
    company = at_table(table)
    company.start_and_run()
    return company.labels()


def at_table(table: int) -> Company:
    """Put three peers together; at every other table each lacks some of the rows."""
    rng = np.random.default_rng(table)
    company = Company(rng)
    if table % 2:
        company.held = {name: np.sort(rng.permutation(60)[:57]) for name in NAMES}
    return company


def disturbed(seed: int) -> bool:
    """Kill any subset at any step, again and again, then start all; tell whether all ended well."""
    rng = np.random.default_rng(seed)
    company = at_table(seed % N_TABLES)
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
    company.start_and_run()
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
    ("two label vectors or rankings told, and the liar not named", 100, two_words),
    (
        "a claim to have heard something else, with a list or without, and the liar not named",
        200,
        claimed_difference,
    ),
    ("other rows told than those of the digest, and the liar not named", 100, other_rows),
    ("200,000 rows told that nobody holds: unnamed, or in 12 times their memory", 3, huge_roster),
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


def attempt(share: float, seed: int, only: str = "") -> Iterator[Tried]:
    """Run a share of every kind of attempt, or of those whose names have some words."""
    # Small tables, many of them: checking each array anew takes most of the time.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for what, tries, holds in (kind for kind in CAMPAIGN if only in kind[0]):
            n = share_of(tries, share)
            failures = sum(not holds(100_000 * seed + k) for k in range(n))
            yield Tried(what, n, failures)

"""Nobody can overspend: commands that draw noise, killed at random and run eight at once.

A study grants three draws. Whatever is killed, three tables get their noise in the end, no fewer
(a charge was lost) and no more (a draw was free), and a draw never changes once it is kept.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.adversary.processes import Ended, Running, load, run, start, wait
from benchmarks.adversary.small_studies import (
    contribute_command,
    private_folder,
    small_study,
    write_table,
)
from benchmarks.adversary.tried import Tried, share_of

__all__ = ["attempt"]

PARTY = "north/lab"
NOISES = ("rows", "counts", "summaries")
N_KILLS, KILLS_PER_STUDY, N_AT_ONCE, N_ROUNDS = 200, 20, 8, 3
EPSILON, BUDGET, N_GRANTED = 1.0, 3.0, 3
N_TABLES = 6


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Kill commands that draw noise, and run eight of them at once.

    Parameters
    ----------
    share : float
        Of 200 kills and three rounds of eight for each kind of noise.
    seed : int
    """
    rng = np.random.default_rng(seed)
    for noise in NOISES:
        _load(noise)
        n_kills = share_of(N_KILLS, share)
        failures = sum(
            _kill(noise, min(KILLS_PER_STUDY, n_kills - k), rng)
            for k in range(0, n_kills, KILLS_PER_STUDY)
        )
        yield Tried(
            f"noise on {noise}: killed at a random moment, then more, less or other noise than "
            f"was paid for",
            n_kills,
            failures,
        )
        n_rounds = share_of(N_ROUNDS, share)
        failures = sum(_at_once(noise) for _ in range(n_rounds))
        yield Tried(
            f"noise on {noise}: eight at once, of eight tables or of one, then the same",
            2 * N_AT_ONCE * n_rounds,
            failures,
        )


def _load(noise: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = small_study(Path(folder) / "study", noise)
        load(contribute_command(path, PARTY, Path(folder) / "out"))


class _Account:
    """A study on disk, and what is known of its draws."""

    def __init__(self, folder: Path, noise: str) -> None:
        self.path, self._noise = small_study(folder, noise, EPSILON, BUDGET), noise
        self._seen: dict[str, bytes] = {}
        for version in range(max(N_TABLES, N_AT_ONCE)):
            write_table(self._table(version), noise, version)

    def _table(self, version: int) -> Path:
        return self.path.parent / f"table-{version}.csv"

    def start(self, version: int, place: str = "") -> Running:
        out = self.path.parent / f"out-{version}{place}"
        return start(contribute_command(self.path, PARTY, out, self._table(version)))

    def problems(self) -> list[str]:
        """Say what is wrong with ledger and draws, and remember the draws."""
        folder, found = private_folder(self.path, PARTY), []
        charges = [e for e in folder.ledger.entries() if e["what"] == "charge"]
        if sum(e["epsilon"] for e in charges) > BUDGET:
            found.append("more was spent than agreed")
        if len({e["draw"] for e in charges}) < len(charges):
            found.append("a draw was paid for twice")
        kept = {p.name: p.read_bytes() for p in folder.path.glob("draw-*")}
        if any(kept.get(name) != data for name, data in self._seen.items()):
            found.append("a draw was lost or drawn again")
        if len(kept) > len(charges):
            found.append("a draw was free")
        self._seen = kept
        return found


def _kill(noise: str, n_kills: int, rng: np.random.Generator) -> int:
    """Kill so many runs of one study, then run all of its tables; return what was wrong."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        account = _Account(Path(folder) / "study", noise)
        begun = time.monotonic()
        run(contribute_command(account.path, "south/lab", Path(folder) / "other"))
        usual = time.monotonic() - begun
        for _ in range(n_kills):
            running = account.start(int(rng.integers(N_TABLES)))
            ended = wait(running, kill_after=float(rng.uniform(0, 1.2 * usual)))
            wrong = [*account.problems(), *_unexpected(ended)]
            failures += _tell(noise, bool(wrong), wrong)
        ends = [wait(account.start(version)) for version in range(N_TABLES)]
        wrong = [*account.problems(), *(w for e in ends for w in _unexpected(e))]
        if [e.code for e in ends].count(0) != N_GRANTED:
            wrong.append(f"{[e.code for e in ends]} of {N_GRANTED} granted draws")
        failures += _tell(noise, bool(wrong), wrong)
    return failures


def _at_once(noise: str) -> int:
    """Run eight tables at once, and one table eight times at once; return what was wrong."""
    failures = 0
    for same in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            account = _Account(Path(folder) / "study", noise)
            running = [account.start(0 if same else k, f"-{k}") for k in range(N_AT_ONCE)]
            ends = [wait(one) for one in running]
            wrong = [*account.problems(), *(w for e in ends for w in _unexpected(e))]
            granted = [e.code for e in ends].count(0)
            if granted != (N_AT_ONCE if same else N_GRANTED):
                wrong.append(f"{granted} of eight at once got their noise")
            failures += _tell(noise, bool(wrong), wrong)
    return failures


def _unexpected(ended: Ended) -> list[str]:
    """Say what a run must not end with: anything but success, a kill, or a spent budget."""
    spent = ended.code == 2 and "costs epsilon" in ended.said
    return [] if ended.code in (0, -9) or spent else [f"ended with {ended.code}: {ended.said}"]


def _tell(noise: str, failed: bool, why: object) -> int:
    if failed:
        print(f"noise on {noise}: {why}")
    return int(failed)

"""Whole studies over a letter box whose server and houses are killed again and again.

Every role runs ``consilience join`` in a process of its own; whoever is killed is started again
with the same command. In the end every party has the labels it would have had by files.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from benchmarks.adversary.processes import Running, load, start
from benchmarks.adversary.small_studies import contribute_command, private_folder, small_study
from benchmarks.adversary.tried import Tried, share_of
from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import Folder
from consilience.carriers.letter_box import client
from consilience.carriers.letter_box.box import Box
from consilience.carriers.letter_box.listening import listen, make_server
from consilience.carriers.letter_box.server import make_app
from consilience.carriers.parcel import EVERYONE
from consilience.study.study import ANALYST, Study

__all__ = ["attempt"]

N_TRIES = 100
MAX_KILLS, KILL_WITHIN = 4, 2.0
PATIENCE, DAY = 120.0, 86_400
HOST, SERVER, PARTIES = "127.0.0.1", "the letter box", ("north/lab", "south/lab")


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Kill up to four times, at random moments of a study, its server or one of its houses.

    The clock of every house is off by up to a day.

    Parameters
    ----------
    share : float
        Of 100 studies.
    seed : int
    """
    rng, n_tries, failures = random.Random(seed), share_of(N_TRIES, share), 0
    client.FIRST_PAUSE = 0.02
    with tempfile.TemporaryDirectory() as folder:
        path = small_study(Path(folder) / "study", "no noise")
        expected = _by_files(path, Path(folder) / "by files")
        for k in range(n_tries):
            clocks = {role: rng.uniform(-DAY, DAY) for role in (ANALYST, *PARTIES)}
            scene = _Scene(path, Path(folder) / str(k), clocks)
            try:
                failures += bool(scene.play(rng, expected))
            finally:
                scene.close()
    what = (
        "server, analyst or parties killed up to 4 times, their clocks off by up to a day; a party "
        "without its labels, or with others"
    )
    yield Tried(what, n_tries, failures)


def _by_files(path: Path, folder: Path) -> dict[str, bytes]:
    """Return the labels of each party as they come out by hand; everything is loaded by then."""
    found = {}
    for party in PARTIES:
        load(contribute_command(path, party, folder))
    sent = sorted(map(str, folder.glob("*.contribution")))
    load(["analyse", str(path), *sent, "--out", str(folder)])
    for party in PARTIES:
        answer, labels = folder / f"{party.replace('/', '.')}.answer", folder / "labels.csv"
        own = ["--as", party, *_table(path, party), "--out", str(labels)]
        load(["label", str(path), str(answer), *own])
        found[party] = labels.read_bytes()
    return found


def _table(path: Path, party: str) -> list[str]:
    return ["--data", str(path.parent / f"{party.partition('/')[0]}.csv"), "--id", "id"]


class _Scene:
    """The houses of a study, each with a folder of its own, and their letter box."""

    def __init__(self, path: Path, folder: Path, clocks: Mapping[str, float]) -> None:
        self.path, self.folder, self.clocks = path, folder, clocks
        self.running: dict[str, Running] = {}
        (folder / "letters").mkdir(parents=True)
        for role in (ANALYST, *PARTIES):
            secrets = private_folder(path, role).path
            # The ledger of the run by files stays there: this house has sent nothing yet.
            own = self.home(role) / "private" / secrets.name
            own.mkdir(parents=True, mode=0o700)
            for name in ("identity.toml", "column.key", "row.key"):
                if (secrets / name).exists():
                    shutil.copy2(secrets / name, own / name)
        shutil.copy(path, self.home(ANALYST) / path.name)
        # As `consilience serve` does: no role writes to everyone.
        Carrier(Folder(folder / "letters")).put(path, sender=ANALYST, recipient=EVERYONE)
        with listen(HOST, 0) as probe:
            self.port = int(probe.getsockname()[1])

    def home(self, role: str) -> Path:
        """Return the folder of a house."""
        return self.folder / role.replace("/", ".")

    def play(self, rng: random.Random, expected: dict[str, bytes]) -> list[str]:
        """Run the study, kill, and say what is wrong in the end."""
        everybody = (SERVER, ANALYST, *PARTIES)
        for who in everybody:
            self.begin(who)
        for _ in range(rng.randint(1, MAX_KILLS)):
            time.sleep(rng.uniform(0, KILL_WITHIN))
            who = rng.choice(everybody)
            self.kill(who)
            self.begin(who)
        codes = {who: self.end(who) for who in everybody if who != SERVER}
        found = [f"{who} ended with {code}" for who, code in codes.items() if code]
        for party, labels in expected.items():
            file = self.home(party) / "labels.csv"
            if not file.exists() or file.read_bytes() != labels:
                found.append(f"{party} has other labels")
        return found

    def begin(self, who: str) -> None:
        """Start a role, or the server, as it was started before."""
        if who == SERVER:
            pid = os.fork()
            if not pid:
                self._serve()
            self.running[who] = Running(pid, Path(os.devnull))
            return
        table = [] if who == ANALYST else [*_table(self.path, who), "--yes"]
        address = f"http://{HOST}:{self.port}"
        command = ["join", address, "--as", who, *table, "--out", str(self.home(who))]
        self.running[who] = start(command, self.clocks[who])

    def kill(self, who: str) -> None:
        """Kill a process, wherever it is; it may have ended by itself."""
        running = self.running.pop(who)
        with suppress(ProcessLookupError):
            os.kill(running.pid, signal.SIGKILL)
        os.waitpid(running.pid, 0)
        if who != SERVER:
            running.words.unlink()

    def end(self, who: str) -> int:
        """Wait for a role and return its exit code; one that does not end is killed."""
        pid, until = self.running[who].pid, time.monotonic() + PATIENCE
        while not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if time.monotonic() > until:
                return -1
            time.sleep(0.02)
        _, status = os.waitpid(pid, 0)
        self.running.pop(who).words.unlink()
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """Kill what still runs, and remove the houses."""
        for who in list(self.running):
            self.kill(who)
        shutil.rmtree(self.folder)

    def _serve(self) -> None:
        with suppress(BaseException):
            app = make_app(Study.load(self.path).heirs.now, Box(self.folder / "letters"))
            with listen(HOST, self.port) as bound:
                make_server(app, None).run(sockets=[bound])
        os._exit(0)

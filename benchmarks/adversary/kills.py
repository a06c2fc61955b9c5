"""Commands killed at random moments: run again, each ends as if nothing had happened."""

from __future__ import annotations

import dataclasses
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adversary.processes import load, run
from benchmarks.adversary.small_studies import contribute_command, private_folder, small_study
from benchmarks.adversary.tried import Tried, share_of
from consilience.exceptions import ConsilienceError
from consilience.messages import Message
from consilience.sources import parts
from consilience.study.participant import Participant
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import open_bundle, read_bundle

__all__ = ["attempt"]

PARTY, OTHER = "north/lab", "south/lab"
N_KILLS = 60
Command = Sequence[str]


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Kill each command at random moments, run it again, and see that the outcome is whole.

    Parameters
    ----------
    share : float
        Of 60 kills of each command.
    seed : int
    """
    rng = np.random.default_rng(seed)
    campaigns = {
        "keygen": (_Keygen, "a role without its public key"),
        "init": (_Init, "another study, or keys that do not match"),
        "contribute": (_Contribute, "a bundle the ledger, or the reduction, does not know"),
        "analyse": (_Analyse, "answers of two runs, or other labels"),
        "label": (_Label, "other labels"),
        "contribute in parts": (_ContributeInParts, "a bundle not known, or rows left behind"),
        "label in parts": (_LabelInParts, "other labels, or rows left behind"),
    }
    for verb, (scene, failure) in campaigns.items():
        n_kills, failures = share_of(N_KILLS, share), 0
        with tempfile.TemporaryDirectory() as folder, _large_from(scene.large_bytes):
            place = scene(Path(folder))
            usual = place.prepare()
            for _ in range(n_kills):
                ended = run(place.command(), kill_after=float(rng.uniform(0, 1.2 * usual)))
                wrong: list[object] = [] if ended.code in (0, -9) else [ended]
                try:
                    wrong += place.meanwhile()
                    again = run(place.command())
                    wrong += [again] if again.code else place.problems()
                except ConsilienceError as error:
                    wrong.append(error)
                if wrong:
                    print(f"{verb}: {wrong}")
                failures += bool(wrong)
                place.clear()
        yield Tried(f"{verb} killed at a random moment and run again: {failure}", n_kills, failures)


class _Scene:
    """A command in a folder; what should be there after it, and what may be there meanwhile."""

    large_bytes = parts.LARGE_BYTES
    """From which size on its tables are read in parts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self) -> Command:
        raise NotImplementedError

    def prepare(self) -> float:
        """Run the command once; return how long it takes."""
        load(self.command())
        begun = time.monotonic()
        ended = run(self.command())
        assert ended.code == 0, ended.said
        usual = time.monotonic() - begun
        self.remember()
        self.clear()
        return usual

    def remember(self) -> None:
        """Note what an undisturbed run makes."""

    def clear(self) -> None:
        """Make room for another try."""

    def meanwhile(self) -> list[str]:
        """Say what must not be, even right after a kill."""
        return []

    def problems(self) -> list[str]:
        raise NotImplementedError


class _Keygen(_Scene):
    def prepare(self) -> float:
        self.path = small_study(self.folder / "study", "no noise")
        text = self.path.read_text(encoding="utf-8")
        self.bare = text[: text.index("\n[keys.")]
        self.clear()
        return super().prepare()

    def clear(self) -> None:
        self.path.write_text(self.bare, encoding="utf-8")
        (private_folder(self.path, PARTY).path / "identity.toml").unlink(missing_ok=True)

    def command(self) -> Command:
        return ["keygen", "--name", PARTY, "--study", str(self.path)]

    def meanwhile(self) -> list[str]:
        keys = Study.load(self.path).keys
        return [] if not keys or self._matches() else ["a public key without its secret"]

    def _matches(self) -> bool:
        identity = private_folder(self.path, PARTY).read_identity(PARTY)
        return Study.load(self.path).keys == {PARTY: identity.public}

    def problems(self) -> list[str]:
        return [] if self._matches() else ["the study lacks the key"]


class _Init(_Scene):
    def prepare(self) -> float:
        small_study(self.folder / "tables", "no noise")
        return super().prepare()

    def command(self) -> Command:
        table, out = self.folder / "tables" / "north.csv", self.folder / "out"
        tables = f"lab={table},life={table}"
        grid = ["--rows", "north,south", "--columns", "lab,life", "--from", tables]
        return ["init", *grid, "--id", "id", "--out", str(out), "--with-keys"]

    def remember(self) -> None:
        self.text = (self.folder / "out" / "study.toml").read_bytes()

    def clear(self) -> None:
        for path in sorted((self.folder / "out").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()

    def problems(self) -> list[str]:
        path = self.folder / "out" / "study.toml"
        if path.read_bytes() != self.text:
            return ["another study"]
        shared: dict[tuple[str, str], set[bytes]] = {}
        for party in Study.load(path).grid.parties:
            row, column = party.split("/")
            for kind, circle in {"row": row, "column": column}.items():
                key = private_folder(path, party).read_key(kind)
                shared.setdefault((kind, circle), set()).add(key)
        keys = [key for found in shared.values() for key in found]
        return [] if len(keys) == len(set(keys)) == 4 else ["keys that do not match"]


class _Contribute(_Scene):
    def prepare(self) -> float:
        self.path = small_study(self.folder / "study", "no noise")
        return super().prepare()

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def command(self) -> Command:
        return contribute_command(self.path, PARTY, self.out)

    def meanwhile(self) -> list[str]:
        # The reduction of a file that exists is never lost, whatever was killed after it.
        return self.problems() if (self.out / "north.lab.contribution").exists() else []

    def problems(self) -> list[str]:
        path, study = self.out / "north.lab.contribution", Study.load(self.path)
        read_bundle(path, study=study, identity=_me(self.path, ANALYST).identity)
        folder = private_folder(self.path, PARTY)
        digest = open_bundle(path, folder.read_identity(PARTY))[0].digest
        folder.read_state("reduction", study.digest, digest)
        known = digest in folder.ledger.contributions(study.digest)
        return [] if known else ["the ledger does not know the bundle"]


class _Analyse(_Contribute):
    def prepare(self) -> float:
        self.path = small_study(self.folder / "study", "no noise")
        for party in (PARTY, OTHER):
            sent = run(contribute_command(self.path, party, self.folder / "sent"))
            assert sent.code == 0, sent.said
        return _Scene.prepare(self)

    def command(self) -> Command:
        sent = sorted(map(str, (self.folder / "sent").glob("*.contribution")))
        return ["analyse", str(self.path), *sent, "--out", str(self.out)]

    def remember(self) -> None:
        self.found = self._answers()

    def _answers(self) -> dict[str, Any]:
        return {party: _content(self._read(party)) for party in (PARTY, OTHER)}

    def _read(self, party: str) -> Message:
        path = self.out / f"{party.replace('/', '.')}.answer"
        me = _me(self.path, party)
        return read_bundle(path, study=me.study, identity=me.identity)[0]

    def meanwhile(self) -> list[str]:
        self._answers()  # each is whole, whatever was killed
        times = {int(path.stat().st_mtime_ns) > self.since for path in self.out.glob("*.answer")}
        mixed = len(times) > 1 and not (self.out / ".replacing").exists()
        return ["answers of two runs"] if mixed else []

    def clear(self) -> None:
        self.since = max(path.stat().st_mtime_ns for path in self.out.glob("*.answer"))

    def problems(self) -> list[str]:
        left = [name for name in os.listdir(self.out) if name.startswith(".")]
        wrong = [f"left behind: {left}"] if left else []
        return wrong if self._answers() == self.found else [*wrong, "other labels"]


class _Label(_Analyse):
    def prepare(self) -> float:
        super().prepare()
        return _Scene.prepare(self)

    @property
    def labels(self) -> Path:
        return self.folder / "labels.csv"

    def command(self) -> Command:
        if not hasattr(self, "since"):
            return super().command()
        table = self.path.parent / "north.csv"
        own = ["--as", PARTY, "--data", str(table), "--id", "id", "--out", str(self.labels)]
        return ["label", str(self.path), str(self.out / "north.lab.answer"), *own]

    def remember(self) -> None:
        if self.labels.exists():
            self.bytes = self.labels.read_bytes()

    def clear(self) -> None:
        super().clear()
        self.labels.unlink(missing_ok=True)

    def meanwhile(self) -> list[str]:
        return self.problems() if self.labels.exists() else []

    def problems(self) -> list[str]:
        return [] if self.labels.read_bytes() == self.bytes else ["other labels"]


class _ContributeInParts(_Contribute):
    large_bytes = 0

    def meanwhile(self) -> list[str]:
        return [*_left_behind(self.path), *super().meanwhile()]


class _LabelInParts(_Label):
    large_bytes = 0

    def meanwhile(self) -> list[str]:
        return [*_left_behind(self.path), *super().meanwhile()]


def _left_behind(path: Path) -> list[str]:
    """Name files in the party's private folder that may hold rows: those nobody gave a name."""
    names = os.listdir(private_folder(path, PARTY).path)
    return [f"left behind: {name}" for name in names if name.startswith("tmp")]


@contextmanager
def _large_from(n_bytes: int) -> Iterator[None]:
    """Let tables from a size on be read in parts, in processes forked meanwhile."""
    before, parts.LARGE_BYTES = parts.LARGE_BYTES, n_bytes
    try:
        yield
    finally:
        parts.LARGE_BYTES = before


def _me(path: Path, role: str) -> Participant:
    return Participant(Study.load(path), role, private_folder(path, role))


def _content(message: Message) -> dict[str, Any]:
    """Return what a message says, to be compared."""
    said: dict[str, Any] = {f.name: getattr(message, f.name) for f in dataclasses.fields(message)}
    return {n: v.tobytes() if isinstance(v, np.ndarray) else v for n, v in said.items()}

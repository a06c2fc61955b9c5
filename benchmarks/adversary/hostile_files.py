"""Files built to cost their reader as much as they can, and what it costs to read them."""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyrage

from benchmarks.adversary.small_studies import private_folder, small_study
from consilience.exceptions import ConsilienceError
from consilience.messages import Contribution
from consilience.study.identity import Identity
from consilience.study.ledger import Ledger
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import CONTEXT, manifest_of, read_bundle, write_bundle
from consilience.transports.unsealing import MAGIC
from consilience.transports.wire import decode

__all__ = ["HOSTILE_FILES", "Cost", "read_hostile"]

SENDER = "north/lab"
HALF = 450_000
"""Half of the size of a manifest or study that is still read, in bytes."""


class Cost(NamedTuple):
    """What it took to read a file: bytes on disk, bytes of memory, seconds of the processor."""

    size: int
    memory: int
    seconds: float
    refused_or_read: bool


class _Scene(NamedTuple):
    """Who reads and who sent, and the file between them."""

    study: Study
    analyst: Identity
    party: Identity
    file: Path

    def read(self) -> object:
        return read_bundle(self.file, study=self.study, identity=self.analyst)

    def seal(self, head: bytes, *, signed: bool) -> None:
        signature = self.party.sign(CONTEXT + head) if signed else bytes(64)
        plain = MAGIC + len(head).to_bytes(8, "little") + head + signature
        self.file.write_bytes(pyrage.encrypt(plain, [self.analyst.public.recipient]))

    def manifest(self, **changes: object) -> bytes:
        fields = {
            "format": 1,
            "kind": "Contribution",
            "study": "0" * 64,
            "terms": {},
            "sender": SENDER,
            "recipient": ANALYST,
            "purpose": "",
            "fields": {},
            "members": [],
        }
        return json.dumps({**fields, **changes}).encode()


def _long_seal(scene: _Scene, size: int) -> Callable[[], object]:
    stanza = b"-> X25519 " + b"A" * 43 + b"\n" + b"A" * 43 + b"\n"
    scene.file.write_bytes(b"age-encryption.org/v1\n" + stanza * (800 * size))
    return scene.read


def _wordy(size: int) -> dict[str, object]:
    terms: dict[str, object] = {f"k{k}": k for k in range(20_000 * size)}
    for level in range(16):
        terms = {f"{level}" + "x" * 15_000 * size: terms}
    return terms


def _wordy_outsider(scene: _Scene, size: int) -> Callable[[], object]:
    scene.seal(scene.manifest(terms=_wordy(size)), signed=False)
    return scene.read


def _wordy_insider(scene: _Scene, size: int) -> Callable[[], object]:
    scene.seal(scene.manifest(terms=_wordy(size)), signed=True)
    return scene.read


def _many_parts(scene: _Scene, size: int) -> Callable[[], object]:
    terms: dict[str, list[list[int]]] = {"a": [[] for _ in range(110_000 * size)]}
    scene.seal(scene.manifest(terms=terms), signed=True)
    return scene.read


def _many_numbers(scene: _Scene, size: int) -> Callable[[], object]:
    scene.seal(scene.manifest(fields={"a": [0.5] * (90_000 * size)}), signed=True)
    return scene.read


def _honest(scene: _Scene, size: int) -> Callable[[], object]:
    rows = np.random.default_rng(0).normal(size=(300_000 * size, 6))
    message = Contribution(
        study=scene.study.digest,
        sender=SENDER,
        recipient=ANALYST,
        representation=rows,
        anchor=rows[:10],
        anchor_digest="d",
        pseudonyms=np.zeros((len(rows), 16), dtype=np.uint8),
    )
    manifest = manifest_of(message, scene.study, "large")
    write_bundle(scene.file, message, manifest, study=scene.study, identity=scene.party)
    return scene.read


def _study_text(text: str) -> Callable[[_Scene, int], Callable[[], object]]:
    def make(scene: _Scene, size: int) -> Callable[[], object]:
        scene.file.write_text(text * (HALF * size // len(text)), encoding="utf-8")
        return lambda: Study.load(scene.file)

    return make


def _ledger(scene: _Scene, size: int) -> Callable[[], object]:
    line = json.dumps({"when": "2026", "what": "charge", "a": [0] * 300_000 * size})
    scene.file.write_text(line + "\n", encoding="utf-8")
    scene.file.chmod(0o600)
    return Ledger(scene.file).entries


def _many_arrays(scene: _Scene, size: int) -> Callable[[], object]:
    about = {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}
    head = json.dumps({f"a{k}": about for k in range(7_000 * size)}).encode()
    scene.file.write_bytes(len(head).to_bytes(8, "little") + head)
    return lambda: decode(scene.file.read_bytes())


HOSTILE_FILES = {
    "a seal of 80 and 160 KB": _long_seal,
    "terms whose names add up to gigabytes, from an outsider": _wordy_outsider,
    "terms whose names add up to gigabytes, from an insider": _wordy_insider,
    "a manifest of very many parts": _many_parts,
    "a manifest of very many numbers": _many_numbers,
    "an honest contribution of 19 and 38 MB": _honest,
    "a study with a key of very many parts": _study_text("a."),
    "a study of very many tables": _study_text("[[d.e]]\nx = 1\n"),
    "a study of very many brackets": _study_text("a=[["),
    "a ledger of one long line": _ledger,
    "a message of very many arrays": _many_arrays,
}
"""By name: what writes a file of one or two times a size, and returns what reads it."""


def read_hostile(name: str, size: int) -> Cost:
    """Read a hostile file in a process of its own, and say what that took."""
    with tempfile.TemporaryDirectory() as folder:
        path = small_study(Path(folder) / "study", "no noise")
        analyst, party = (private_folder(path, r).read_identity(r) for r in (ANALYST, SENDER))
        scene = _Scene(Study.load(path), analyst, party, Path(folder) / "hostile")
        read = HOSTILE_FILES[name](scene, size)
        told, tell = os.pipe()
        child = os.fork()
        if not child:
            os.close(told)
            os.write(tell, _measure(read).encode())
            os._exit(0)
        os.close(tell)
        with os.fdopen(told) as answer:
            said = answer.read()
        os.waitpid(child, 0)
        memory, seconds, sound = json.loads(said or "[0, 0, false]")
        return Cost(scene.file.stat().st_size, memory, seconds, sound)


def _measure(read: Callable[[], object]) -> str:
    """Return memory beyond what was there, time, and whether the end was one of ours."""
    before, begun, sound = _peak(), time.process_time(), True
    try:
        kept = read()
        del kept
    except ConsilienceError:
        pass
    except BaseException:
        sound = False
    return json.dumps([_peak() - before, time.process_time() - begun, sound])


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

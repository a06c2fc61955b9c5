"""Clients of a letter box that are not as one expects: on another day, or two who are one role.

The scene is that of :mod:`benchmarks.adversary.carriers`.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.adversary.carriers import DAY, HOST, N_TRIES, Scene
from benchmarks.adversary.processes import set_clock
from benchmarks.adversary.tried import Tried, share_of
from consilience.carriers.carrier import Carrier
from consilience.carriers.letter_box import client
from consilience.carriers.letter_box.listening import make_certificate
from consilience.study.study import ANALYST

__all__ = ["attempt"]


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Send a letter of 12 MB by a client whose clock is off, and two letters by two who are one.

    Parameters
    ----------
    share : float
        Of 100 tries of each kind.
    seed : int
    """
    rng, n_tries = random.Random(seed), share_of(N_TRIES, share)
    client.FIRST_PAUSE = 0.05
    scenes: dict[str, Callable[[Scene], list[str]]] = {
        "a client's clock is off by up to a day, over TLS; a letter lost or damaged": _be_off,
        "two with one identity send different letters of one name, one of them killed at times; "
        "a letter lost, doubled or damaged, or readers who differ in which is the later": _send_two,
    }
    with tempfile.TemporaryDirectory() as folder:
        for number, (what, play) in enumerate(scenes.items()):
            failures = 0
            for k in range(n_tries):
                scene = Scene(Path(folder), rng, f"{number}-{k}", play is _be_off)
                try:
                    failures += bool(play(scene))
                finally:
                    scene.close()
            yield Tried(what, n_tries, failures)


def _be_off(scene: Scene) -> list[str]:
    """Let a client believe in another day than the server.

    OpenSSL asks the machine for the time: it is the certificate that is made on another day.
    """
    off, elsewhere = scene.rng.uniform(-DAY, DAY), scene.folder / "other day"

    def make() -> None:
        set_clock(-off)
        make_certificate(elsewhere, HOST)

    def send() -> None:
        set_clock(off)
        scene.send()

    scene.kill(scene.server)
    codes = [scene.end(scene.start(make))]
    scene.tls = make_certificate(elsewhere, HOST)
    scene.server = scene.start(scene.serve)
    codes.append(scene.end(scene.start(send)))
    return [f"exit codes {codes}"] if any(codes) else scene.problems()


def _send_two(scene: Scene) -> list[str]:
    """Let two processes with one identity send different letters under one name."""
    other = scene.folder / "another letter"
    other.write_bytes(scene.content[::-1])
    acts = [scene.send, lambda: scene.send(other)]
    both = [scene.start(act) for act in acts]
    if scene.rng.random() < 0.3:
        scene.pause()
        scene.kill(both.pop())
        both.append(scene.start(acts[1]))
    codes = [scene.end(one) for one in both]
    codes += [scene.end(scene.start(act)) for act in acts]  # each looks again, and changes nothing
    seen = []
    for _ in range(2):
        with closing(scene.open(ANALYST)) as shelf:
            carrier, contents = Carrier(shelf), []
            for parcel in carrier.list(ANALYST):
                carrier.get(parcel, scene.arrived)
                contents.append(scene.arrived.read_bytes())
            seen.append(contents)
    found = [f"exit codes {codes}"] if any(codes) else []
    if seen[0] != seen[1] or sorted(seen[0]) != sorted([scene.content, other.read_bytes()]):
        found.append("letters are lost, doubled or in another order")
    return found

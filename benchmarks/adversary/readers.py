"""Everything that is read from others or from disk, fed with a million damaged and hostile bytes.

A decoder may accept what it is given or refuse it with an error of the package; anything else is a
failure. Hostile files, built to cost as much as they can, may take three times their size and 64 MB
in memory, and time in proportion to their length.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.adversary.decoders import Decoder, all_decoders
from benchmarks.adversary.hostile_files import HOSTILE_FILES, Cost, read_hostile
from benchmarks.adversary.mutations import mutate
from benchmarks.adversary.tried import Tried, share_of
from consilience.exceptions import ConsilienceError

__all__ = ["attempt", "costs_too_much"]

ATTEMPTS = 3
MEMORY_FACTOR, MEMORY_FIXED = 3, 64 * 2**20
TIME_FACTOR, TIME_FIXED = 3.0, 0.5
"""Of a file twice as long, which may take twice the time; and what a busy machine may add."""


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Mutate what every decoder reads, and read hostile files.

    Parameters
    ----------
    share : float
        Of a million mutations over all decoders.
    seed : int
    """
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for decoder in all_decoders(Path(folder)):
            tries = share_of(decoder.tries, share)
            failures = sum(_fails(decoder, chance) for _ in range(tries))
            what = f"{decoder.name}: mutated, and neither read nor refused in our words"
            yield Tried(what, tries, failures)
    for name in HOSTILE_FILES:
        failed = costs_too_much(name)
        what = f"{name}: more memory than 3 x the file and 64 MB, or more than linear time"
        yield Tried(what, 2, int(failed))


def _fails(decoder: Decoder, chance: random.Random) -> bool:
    """Tell whether a decoder meets a mutation with anything but a value or our own error."""
    data = decoder.rebuild(mutate(chance.choice(decoder.seeds), chance))
    try:
        decoder.decode(data)
    except ConsilienceError:
        return False
    except Exception as error:
        print(f"{decoder.name}: {error!r:.200} from {data!r:.300}", file=sys.stderr)
        return True
    return False


def costs_too_much(name: str) -> bool:
    """Tell whether a file that is twice as long costs more than twice as much, or memory.

    It is measured again if so: a machine that does something else for a moment is no fault.
    """
    return all(
        _exceeds(name, *(read_hostile(name, size) for size in (1, 2))) for _ in range(ATTEMPTS)
    )


def _exceeds(name: str, once: Cost, twice: Cost) -> bool:
    failed = twice.seconds > TIME_FACTOR * once.seconds + TIME_FIXED
    for cost in (once, twice):
        failed = failed or not cost.refused_or_read
        failed = failed or cost.memory > MEMORY_FACTOR * cost.size + MEMORY_FIXED
    if failed:
        print(f"{name}: {once} and {twice}", file=sys.stderr)
    return failed

"""Random numbers that do not depend on time, place or the number of workers."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

__all__ = ["draw_lots", "local_generator"]


def local_generator(seed: int, peer: int, iteration: int, repetition: int) -> np.random.Generator:
    """Make the generator of one repetition of one peer's local step.

    Parameters
    ----------
    seed : int
        Seed of the study, in [0, 2**32).
    peer : int
        Place of the peer among the sorted names of the study.
    iteration, repetition : int
        Counted from 1 and from 0.

    Examples
    --------
    >>> a = local_generator(0, 1, 1, 0).integers(100, size=3)
    >>> b = local_generator(0, 1, 1, 0).integers(100, size=3)
    >>> (a == b).all()
    np.True_
    """
    return np.random.default_rng(np.random.SeedSequence((seed, peer, iteration, repetition)))


def draw_lots(seed: int, iteration: int, n: int) -> npt.NDArray[np.uint64]:
    """Draw one lot per active row, the same at every peer.

    The lots choose the candidates of a ranking when their number is capped. They come from
    SHAKE-256, because all peers must draw the same ones and NumPy promises no stream across
    versions.

    Examples
    --------
    >>> draw_lots(0, 1, 2) == draw_lots(0, 1, 3)[:2]
    array([ True,  True])
    """
    text = f"consilience candidates {seed} {iteration}".encode()
    return np.frombuffer(hashlib.shake_256(text).digest(8 * n), dtype="<u8").astype(np.uint64)

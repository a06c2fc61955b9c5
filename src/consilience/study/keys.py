"""Secrets of a study, and streams of bytes drawn from them.

A *column key* is shared by the parties that hold the same columns and fixes their anchor; a *row
key* is shared by the parties that hold the same rows and fixes their pseudonyms. The analyst holds
neither.
"""

from __future__ import annotations

import hashlib
import secrets

import numpy as np
import numpy.typing as npt

__all__ = ["KEY_BYTES", "derive_key", "draw_uniform", "new_key"]

KEY_BYTES = 32


def new_key() -> bytes:
    """Draw a new secret of 32 bytes from the operating system."""
    return secrets.token_bytes(KEY_BYTES)


def derive_key(key: bytes, purpose: str) -> bytes:
    """Derive an independent secret for one purpose, so that no secret is used twice.

    Examples
    --------
    >>> derive_key(b"k" * 32, "anchor") != derive_key(b"k" * 32, "pseudonym")
    True
    """
    return hashlib.blake2b(purpose.encode(), key=key, digest_size=KEY_BYTES).digest()


def draw_uniform(key: bytes, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    r"""Draw numbers from :math:`(0, 1)` that depend on the key alone.

    The stream is SHAKE-256 of the key, eight bytes a number, of which the upper 52 bits are kept:
    the same numbers on every machine and with every version of NumPy, which does not promise its
    own streams across versions. Without the key they cannot be told from random ones.

    Parameters
    ----------
    key : bytes
        A secret of :data:`KEY_BYTES` bytes.
    shape : tuple of int

    Returns
    -------
    ndarray of shape ``shape``, float64
        Centres of the 2**52 equal parts of the unit interval: never 0 and never 1.

    Examples
    --------
    >>> draw_uniform(bytes(32), (2, 2)).round(4)
    array([[0.3883, 0.3089],
           [0.454 , 0.3836]])
    """
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key of {len(key)} bytes was given, must be {KEY_BYTES} bytes.")
    n = int(np.prod(shape))
    stream = hashlib.shake_256(key).digest(8 * n)
    numbers = (np.frombuffer(stream, dtype="<u8") >> np.uint64(12)).astype(np.float64)
    numbers += 0.5
    numbers /= 2.0**52
    return numbers.reshape(shape)

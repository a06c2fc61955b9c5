"""Ids as points of ristretto255, and points times secret numbers.

The group has prime order, so that no point but the neutral one has a small order, and every point
has one way to be written. The neutral point is never an id, and is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from types import ModuleType

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError, MissingExtraError
from consilience.messages import POINT_BYTES

__all__ = ["Points", "multiply", "points_of", "quotient", "random_scalar"]

Points = npt.NDArray[np.uint8]


def _rbcl() -> ModuleType:
    try:
        import rbcl
    except ImportError:
        raise MissingExtraError("matching ids without a shared key", "rbcl", "psi") from None
    module: ModuleType = rbcl
    return module


def random_scalar() -> bytes:
    """Draw a secret number, never 0, from the operating system."""
    scalar: bytes = _rbcl().crypto_core_ristretto255_scalar_random()
    return scalar


def quotient(numerator: bytes, denominator: bytes) -> bytes:
    """Divide two secret numbers, modulo the order of the group."""
    rbcl = _rbcl()
    inverse = rbcl.crypto_core_ristretto255_scalar_invert(denominator)
    result: bytes = rbcl.crypto_core_ristretto255_scalar_mul(numerator, inverse)
    return result


def points_of(ids: Iterable[str], context: bytes) -> Points:
    """Hash ids to points, which nobody knows to be a multiple of another.

    Parameters
    ----------
    ids : iterable of str
        Normalised ids.
    context : bytes
        Of fixed length; points of two contexts have nothing in common.

    Returns
    -------
    ndarray of shape (n_ids, 32), uint8

    Examples
    --------
    >>> points_of(["p-07"], bytes(16)).shape
    (1, 32)
    """
    to_point = _rbcl().crypto_core_ristretto255_from_hash
    begun = hashlib.sha512(b"consilience psi point " + context)
    points = bytearray()
    for text in ids:
        hashed = begun.copy()
        hashed.update(text.encode())
        points += to_point(hashed.digest())
    return _rows(points)


def multiply(points: Points, scalar: bytes) -> Points:
    """Multiply every point by a secret number, in their order.

    Raises
    ------
    MessageError
        If one is no point of the group, or the neutral one.

    Examples
    --------
    >>> a, b, points = random_scalar(), random_scalar(), points_of(["p-07"], bytes(16))
    >>> bool((multiply(multiply(points, a), b) == multiply(multiply(points, b), a)).all())
    True
    """
    times = _rbcl().crypto_scalarmult_ristretto255
    data, products = np.ascontiguousarray(points).tobytes(), bytearray()
    try:
        for start in range(0, len(data), POINT_BYTES):
            products += times(scalar, data[start : start + POINT_BYTES])
    except RuntimeError:
        number = len(products) // POINT_BYTES + 1
        raise MessageError(
            f"point {number} of {len(points)} is no point of the group, or the neutral one: "
            f"whoever sent it did not blind an id."
        ) from None
    return _rows(products)


def _rows(data: bytearray) -> Points:
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, POINT_BYTES)

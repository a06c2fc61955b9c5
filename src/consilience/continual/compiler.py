"""The compiler, and an exponential it can run several at once.

The only file that imports numba (extra ``fast``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.exceptions import MissingExtraError

try:
    import numba
    from numba import types
    from numba.extending import intrinsic
except ImportError as error:
    raise MissingExtraError("the compiled path", "numba", "fast") from error

__all__ = ["compiled", "exp"]

compiled = numba.njit(cache=True)
"""Compile a function on its first call and keep the code beside its source."""

_LOG2_E = 1.4426950408889634
_LN2_HIGH = float.fromhex("0x1.62e42fefa3800p-1")
_LN2_LOW = float.fromhex("0x1.ef35793c76730p-45")
_ROUNDER = 1.5 * 2.0**52
_C = tuple(1.0 / float(np.prod(np.arange(1.0, n + 1))) for n in range(14))
_C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12, _C13 = _C[2:]


@intrinsic
def _as_int(typing: Any, value: Any) -> Any:
    """Read the bits of a float as an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


@intrinsic
def _as_float(typing: Any, value: Any) -> Any:
    """Read the bits of an integer as a float."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@numba.njit(cache=True, fastmath={"contract"})
def exp(x):
    """Return exp of x <= 0 within two units in the last place, in steps that vectorise.

    x = k ln 2 + r with integer k and small r; a polynomial in r, then k added to the exponent
    bits. The library's exponential is a call that stops the loop from running several at once.
    """
    x = max(x, -700.0)
    shifted = x * _LOG2_E + _ROUNDER
    k = shifted - _ROUNDER
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    # Estrin's order: pairs first, so that the processor need not wait for each step.
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + r) + r2 * (_C2 + _C3 * r) + r4 * ((_C4 + _C5 * r) + r2 * (_C6 + _C7 * r))
    high = (_C8 + _C9 * r) + r2 * (_C10 + _C11 * r) + r4 * (_C12 + _C13 * r)
    p = low + r4 * r4 * high
    return _as_float(_as_int(p) + (_as_int(shifted) << 52))

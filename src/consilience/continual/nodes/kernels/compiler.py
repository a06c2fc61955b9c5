"""The compiler, and a power of two that it can compute several at once.

The only file that imports numba (extra ``fast``).
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from consilience.exceptions import MissingExtraError

try:
    import numba
    from numba import types
    from numba.extending import intrinsic
except ImportError as error:
    raise MissingExtraError("the compiled path", "numba", "fast") from error

__all__ = ["compiled", "fused", "half_power", "reordered", "rough_half_power"]

_FOLDER = Path(__file__).parents[1]
_STAMP = tuple((p.stat().st_mtime, p.stat().st_size) for p in sorted(_FOLDER.rglob("*.py")))


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call and keep the code beside its source.

    Numba takes kept code for fresh while the function's own file stays as it is. A kernel holds
    parts of the kernels it calls, so here it is fresh only while no file of this folder changes.
    """
    return _compile(function, fastmath=False)


def fused(function: Callable[..., Any]) -> Any:
    """Compile, and let a product and a sum become one step, rounded once: faster by a fifth.

    For what is compared with a margin only; elsewhere every step rounds as numpy's does.
    """
    return _compile(function, fastmath={"contract"})


def reordered(function: Callable[..., Any]) -> Any:
    """Compile, and let a sum run in any order, so that several of its terms are added at once.

    For sums that are compared with a margin only; their terms belong into a function of their own.
    """
    return _compile(function, fastmath={"contract", "reassoc"})


def _compile(function: Callable[..., Any], **options: Any) -> Any:
    kernel: Any = numba.njit(cache=True, **options)(function)
    kernel._cache._cache_file._source_stamp = _STAMP
    return kernel


_T = tuple(float(np.log(2.0)) ** n / factorial(n) for n in range(13))
_T1, _T2, _T3, _T4, _T5, _T6, _T7, _T8, _T9, _T10, _T11, _T12 = _T[1:]
_ROUNDER = 1.5 * 2.0**52
_CUBIC = Chebyshev.interpolate(np.exp2, 3, domain=[-0.5, 0.5]).convert(kind=Polynomial)
_S0, _S1, _S2, _S3 = _CUBIC.coef.astype(np.float32)
_SINGLE_ROUNDER = np.float32(1.5 * 2.0**23)
_SMALLEST = np.float32(100.0)


def _reads_as(source: Any, target: Any) -> Any:
    """Return a function that reads the bits of one kind of number as another."""

    @intrinsic
    def reads(typing: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(target))

        return target(source), generate

    return reads


_bits = _reads_as(types.float64, types.int64)
_number = _reads_as(types.int64, types.float64)
_single_bits = _reads_as(types.float32, types.int32)
_single_number = _reads_as(types.int32, types.float32)


@fused
def half_power(u):
    """Return 2^-u of u >= 0 within two units in the last place, in steps that vectorise.

    -u = k + r with integer k and small r; Taylor's polynomial of 2^r, then k added to the
    exponent bits. The library's exponential is a call that stops the loop from running several
    at once.
    """
    u = min(u, 1000.0)
    shifted = _ROUNDER - u
    r = (_ROUNDER - shifted) - u
    # Even and odd powers apart: the processor need not wait for each step.
    r2 = r * r
    even = (((((_T12 * r2 + _T10) * r2 + _T8) * r2 + _T6) * r2 + _T4) * r2 + _T2) * r2 + 1.0
    odd = ((((_T11 * r2 + _T9) * r2 + _T7) * r2 + _T5) * r2 + _T3) * r2 + _T1
    p = even + odd * r
    return _number(_bits(p) + (_bits(shifted) << 52))


@fused
def rough_half_power(u):
    """Return 2^-u of u >= 0 in single precision, with an error below 1.01e-4 of its value."""
    u = min(u, _SMALLEST)
    shifted = _SINGLE_ROUNDER - u
    r = (_SINGLE_ROUNDER - shifted) - u
    p = ((_S3 * r + _S2) * r + _S1) * r + _S0
    return _single_number(_single_bits(p) + (_single_bits(shifted) << np.int32(23)))

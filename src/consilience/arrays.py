"""Facts and arrays as bytes, for everything that is kept or sent.

The format is safetensors: the length of a header (8 bytes, little endian), the header (JSON: kind,
shape and place of each array), then the numbers. Facts, whatever JSON can hold, stand in the header
as one text. Nothing is pickled, and what is read is refused before it can cost much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from math import isfinite, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.exceptions import ArraysError
from consilience.mapped import in_blocks

__all__ = ["Arrays", "from_bytes", "in_pieces", "read_json", "to_bytes"]

Arrays = dict[str, npt.NDArray[Any]]
Facts = Mapping[str, Any]

MAX_HEADER = 2**20
MAX_DEPTH = 32
BYTES_PER_BRACKET = 4
"""So many bytes a bracket must be left in a text of the greatest length."""

METADATA, TITLE = "__metadata__", "consilience"
# In the order in which arrays are written: no number lies across the border of its size.
CODES = {
    **{"U64": "<u8", "I64": "<i8", "F64": "<f8", "F32": "<f4", "U32": "<u4", "I32": "<i4"},
    **{"U16": "<u2", "I16": "<i2", "I8": "i1", "U8": "u1", "BOOL": "?"},
}
DTYPES = {code: np.dtype(text) for code, text in CODES.items()}
RANKS = {dtype: (rank, code) for rank, (code, dtype) in enumerate(DTYPES.items())}
NO_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"|[^][{}"]++', re.DOTALL)
PAIR = re.compile(r"\[\]|\{\}")


def in_pieces(arrays: Arrays, facts: Facts | None = None) -> Iterator[bytes | memoryview]:
    """Write facts and arrays piece by piece: the header, then the numbers where they lie.

    Parameters
    ----------
    arrays : dict of str to ndarray
        Of whole numbers, floats or truth values; one that is not in C order is copied in its turn.
    facts : mapping of str to whatever JSON can hold, optional
        Finite numbers only.
    """
    header: dict[str, Any] = {}
    if facts is not None:
        header[METADATA] = {TITLE: json.dumps(facts, allow_nan=False)}
    ranks = {name: RANKS[array.dtype.newbyteorder("<")] for name, array in arrays.items()}
    order, end = sorted(arrays, key=lambda name: (ranks[name], name)), 0
    for name in order:
        start, end = end, end + arrays[name].nbytes
        shape = list(arrays[name].shape)
        header[name] = {"dtype": ranks[name][1], "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for name in order:
        numbers = np.asarray(arrays[name], dtype=DTYPES[ranks[name][1]], order="C")
        for block in in_blocks(numbers.reshape(-1).view(np.uint8)):
            yield block.data


def to_bytes(arrays: Arrays, facts: Facts | None = None) -> bytes:
    """Write facts and arrays as bytes, see :func:`in_pieces`.

    Examples
    --------
    >>> facts, arrays = from_bytes(to_bytes({"x": np.arange(3)}, {"kind": "example"}))
    >>> facts, arrays["x"].tolist()
    ({'kind': 'example'}, [0, 1, 2])
    """
    return b"".join(in_pieces(arrays, facts))


def from_bytes(
    data: bytes | memoryview, max_header: int = MAX_HEADER, *, copy: bool = True
) -> tuple[dict[str, Any], Arrays]:
    """Read facts and arrays; the arrays are copies, or lie where the bytes do.

    Without facts under our name, what texts the header holds are returned in their place.

    Raises
    ------
    ArraysError
        If the bytes are cut off, have something left over, or are anything else than
        :func:`to_bytes` would write.
    """
    view = memoryview(data)
    length = int.from_bytes(view[:8], "little")
    if not 2 <= length <= min(max_header, len(view) - 8):
        raise ArraysError("the bytes are cut off, or no facts and arrays.")
    header, body = read_json(view[8 : 8 + length], max_header), view[8 + length :]
    try:
        facts = header.pop(METADATA, {})
        if TITLE in facts:
            facts = read_json(facts[TITLE].encode(), max_header)
        arrays, end = {}, 0
        for name, about in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
            start, end = end, about["data_offsets"][1]
            arrays[name] = _array(about, start, body, copy)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise ArraysError("the header of the bytes names no arrays that are there.") from error
    if end != len(body) or not isinstance(facts, dict):
        raise ArraysError("the bytes hold something else beside facts and arrays.")
    return facts, arrays


def read_json(data: bytes | memoryview, max_bytes: int = MAX_HEADER) -> dict[str, Any]:
    """Read a JSON object that somebody else may have written.

    One that is too long, too deep or of too many parts is refused before it is parsed, and so are
    NaN and infinite numbers, which are no JSON.

    Raises
    ------
    ArraysError

    Examples
    --------
    >>> read_json(b'{"a": [1, 2.5, "x"]}')
    {'a': [1, 2.5, 'x']}
    """
    try:
        if len(data) > max_bytes:
            raise ValueError
        text = str(data, "utf-8")
        brackets = NO_BRACKET.sub("", text)
        if len(brackets) > max_bytes // BYTES_PER_BRACKET:
            raise ValueError
        for _ in range(MAX_DEPTH):
            brackets = PAIR.sub("", brackets)
        if brackets:
            raise ValueError
        value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except ValueError as error:
        raise ArraysError("the text is no JSON, or longer or deeper than any of ours.") from error
    if not isinstance(value, dict):
        raise ArraysError("the text is no JSON object.")
    return value


def _finite(text: str) -> float:
    if not isfinite(float(text)):
        raise ValueError
    return float(text)


def _array(about: dict[str, Any], start: int, body: memoryview, copy: bool) -> npt.NDArray[Any]:
    """Find one array; what does not fit the header is a ValueError."""
    dtype, shape, offsets = DTYPES[about["dtype"]], about["shape"], about["data_offsets"]
    numbers = [*shape, *offsets]
    if len(numbers) > MAX_DEPTH or not all(type(n) is int and 0 <= n < 2**63 for n in numbers):
        raise ValueError
    if offsets != [start, start + prod(shape) * dtype.itemsize]:
        raise ValueError
    part = body[slice(*offsets)]
    # A copy may be written to, lies as its kind needs it, and lets go of all the rest.
    return np.frombuffer(bytearray(part) if copy else part, dtype).reshape(shape)

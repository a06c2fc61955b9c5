"""What the fields of a message may hold, declared once: in the annotation of each field.

==========================================  ======================================================
``str``                                     a text
``float``                                   a finite number
``Annotated[int, AtLeast(0)]``              a whole number from there on; true and false are none
``Annotated[Floats, Shape("n_rows", 16)]``  an array of this dtype and shape; floats are finite
``Annotated[Coordinates, Shape(...)]``        the same of floats, or of whole numbers of steps
``... | None``                              that, or nothing
==========================================  ======================================================

A size with a name is the same wherever it stands in a message; a whole number of that name sets it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from functools import cache
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError
from consilience.mapped import in_blocks

__all__ = [
    "AtLeast",
    "Bytes",
    "Coordinates",
    "Floats",
    "Labels",
    "Rule",
    "Shape",
    "Wholes",
    "check_fields",
    "rules_of",
]

Floats = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int64 | np.int32 | np.int16 | np.int8]
Coordinates = npt.NDArray[np.float64 | np.int8 | np.int16 | np.int32]


@dataclass(frozen=True)
class AtLeast:
    """The lowest value of a whole number."""

    lowest: int


class Shape:
    """The sizes of an array, by name or as a number."""

    def __init__(self, *sizes: str | int) -> None:
        self.sizes = sizes


class Rule(NamedTuple):
    """What one field may hold: a text, a number, or an array of numbers of one of these types."""

    content: tuple[type, ...]
    note: AtLeast | Shape | None
    optional: bool


@cache
def rules_of(kind: type) -> dict[str, Rule]:
    """Read the rules of a message off its annotations.

    Examples
    --------
    >>> from consilience.messages import Roster
    >>> rules_of(Roster)["pseudonyms"].note.sizes
    ('n_rows', 16)
    """
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: _rule(hints[field.name]) for field in fields(kind)}


def check_fields(message: object) -> None:
    """Check every field of a message against its declaration.

    Raises
    ------
    MessageError
        With the name of the field, the rule and what was found, but no value of an array.
    """
    kind: type = type(message)
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    sizes: dict[str, int] = {}
    for name, (content, note, optional) in rules_of(kind).items():
        value, what = getattr(message, name), f"{name} of {article} {kind.__name__}"
        if value is None and optional:
            continue
        if isinstance(note, Shape):
            _check_array(what, value, content, note.sizes, sizes)
        elif isinstance(note, AtLeast):
            if type(value) is not int or not note.lowest <= value < 2**63:
                raise MessageError(f"{what} must be a whole number >= {note.lowest}.")
            sizes[name] = value
        elif content == (str,) and not isinstance(value, str):
            raise MessageError(f"{what} must be a text.")
        elif content == (float,) and not _is_number(value):
            raise MessageError(f"{what} must be a finite number.")


def _rule(hint: Any) -> Rule:
    optional = NoneType in get_args(hint)
    if optional:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    content, note = get_args(hint) if get_origin(hint) is Annotated else (hint, None)
    if isinstance(note, Shape):
        # ndarray[shape, dtype[numbers]]; from NumPy 2.5 on it is called NDArray[numbers].
        *_, numbers = get_args(content)
        if get_origin(numbers) is np.dtype:
            (numbers,) = get_args(numbers)
        return Rule(get_args(numbers) or (numbers,), note, optional)
    if content not in ((str, float) if note is None else (int,)):
        raise TypeError(f"no field of a message can be declared as {hint}.")
    return Rule((content,), note, optional)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _check_array(
    what: str,
    value: Any,
    dtypes: tuple[type, ...],
    shape: tuple[str | int, ...],
    sizes: dict[str, int],
) -> None:
    """Check an array, and note the sizes that no field before it has."""
    if not _is_array(value, dtypes, len(shape)):
        wanted = " or ".join(f"{np.dtype(d)} with {len(shape)} dimensions" for d in dtypes)
        found = type(value).__name__
        if isinstance(value, np.ndarray):
            found = f"{value.dtype} with {value.ndim} dimensions"
        raise MessageError(f"{what} must be an array of {wanted}, not {found}.")
    pairs = zip(shape, value.shape, strict=True)
    agreed = tuple(sizes.setdefault(s, n) if isinstance(s, str) else s for s, n in pairs)
    if value.shape != agreed:
        raise MessageError(
            f"{what} has shape {value.shape}, must be {agreed}: {' x '.join(map(str, shape))}, "
            f"as in the other fields."
        )
    if value.dtype == np.float64 and not all(map(_is_finite, in_blocks(value))):
        raise MessageError(f"{what} has NaN or infinite values.")


def _is_array(value: object, dtypes: tuple[type, ...], n_dimensions: int) -> bool:
    if not isinstance(value, np.ndarray) or value.ndim != n_dimensions:
        return False
    return value.dtype.isnative and value.dtype.type in dtypes


def _is_finite(block: Floats) -> bool:
    # A sum is finite only if every term is; it needs no mask as large as the block.
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isfinite(block.sum()) or np.isfinite(block).all())

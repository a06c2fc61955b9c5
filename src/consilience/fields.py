"""What the fields of a message may hold, declared once: in the annotation of each field.

==========================================  ======================================================
``str``                                     a text
``float``                                   a finite number
``Annotated[int, AtLeast(0)]``              a whole number from there on; true and false are none
``Annotated[Floats, Shape("n_rows", 16)]``  an array of this dtype and shape; floats are finite
``... | None``                              that, or nothing
==========================================  ======================================================

A size with a name is the same wherever it stands in a message; a whole number of that name sets it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from functools import cache
from types import NoneType
from typing import Any, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError

__all__ = ["AtLeast", "Bytes", "Floats", "Rule", "Shape", "Wholes", "check_fields", "rules_of"]

Floats = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class AtLeast:
    """The lowest value of a whole number."""

    lowest: int


class Shape:
    """The sizes of an array, by name or as a number."""

    def __init__(self, *sizes: str | int) -> None:
        self.sizes = sizes


@dataclass(frozen=True)
class Rule:
    """What one field may hold.

    Parameters
    ----------
    content : type
        ``str``, ``int``, ``float``, or the type of the numbers of an array.
    note : AtLeast or Shape or None
    optional : bool
    """

    content: type
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
    sizes: dict[str, tuple[int, str]] = {}
    for name, rule in rules_of(kind).items():
        value, what = getattr(message, name), f"{name} of {article} {kind.__name__}"
        if value is None and rule.optional:
            continue
        if isinstance(rule.note, Shape):
            _check_array(what, value, rule.content, len(rule.note.sizes))
            _check_shape(what, value.shape, rule.note.sizes, name, sizes)
        elif rule.content is str and not isinstance(value, str):
            raise MessageError(f"{what} must be a text.")
        elif rule.content is float and not _is_number(value):
            raise MessageError(f"{what} must be a finite number.")
        elif isinstance(rule.note, AtLeast):
            if type(value) is not int or not rule.note.lowest <= value < 2**63:
                raise MessageError(f"{what} must be a whole number >= {rule.note.lowest}.")
            sizes[name] = value, name


def _rule(hint: Any) -> Rule:
    optional = NoneType in get_args(hint)
    if optional:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    (note,) = getattr(hint, "__metadata__", (None,))
    content = hint if note is None else get_args(hint)[0]
    if isinstance(note, Shape):
        (content,) = get_args(get_args(content)[1])
    return Rule(content, note, optional)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _check_array(what: str, value: object, dtype: type, ndim: int) -> None:
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != ndim:
        found = (
            f"{value.dtype} of {value.ndim} dimensions"
            if isinstance(value, np.ndarray)
            else type(value).__name__
        )
        raise MessageError(
            f"{what} must be an array of {np.dtype(dtype)} with {ndim} dimensions, not {found}."
        )
    # A sum is finite only if every term is; it needs no mask as large as the array.
    with np.errstate(invalid="ignore", over="ignore"):
        total = value.sum() if dtype is np.float64 else 0
    if not np.isfinite(total) and not np.isfinite(value).all():
        raise MessageError(f"{what} has NaN or infinite values.")


def _check_shape(
    what: str,
    found: tuple[int, ...],
    shape: tuple[str | int, ...],
    name: str,
    sizes: dict[str, tuple[int, str]],
) -> None:
    """Compare a shape with the sizes known so far, and note those that are new."""
    known = {size: sizes[size] for size in shape if isinstance(size, str) and size in sizes}
    stated = [known[size][0] if size in known else size for size in shape]
    if any(isinstance(s, int) and s != n for s, n in zip(stated, found, strict=True)):
        wanted = ", ".join(map(str, stated)) + ("," if len(stated) == 1 else "")
        why = " and ".join(f"{size} is {n} by {source}" for size, (n, source) in known.items())
        raise MessageError(
            f"{what} has shape {found}, must be ({wanted})" + (f": {why}." if why else ".")
        )
    for size, n in zip(shape, found, strict=True):
        if isinstance(size, str):
            sizes.setdefault(size, (n, name))

"""Targets as matrices: one column per class (section 4.1 of [Imakura2023]_), or values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.collaboration.learning.terms import LearningTerms
from consilience.collaboration.paging import BLOCK_ROWS
from consilience.exceptions import StudyError

__all__ = [
    "check_target",
    "classes_of",
    "count_classes",
    "decode_classes",
    "encode_classes",
    "encoded_blocks",
    "harden",
    "settle_counts",
]

Array = npt.NDArray[np.float64]


def encode_classes(y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Array:
    """Return the binary matrix of the classes of rows.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        A missing class gives a row of zeros.
    classes : ndarray of shape (n_classes,)
        All classes of the study, sorted: a public term, so that no party's matrix shows which
        classes it happens to hold by its shape.

    Examples
    --------
    >>> encode_classes(np.array(["no", "yes"]), np.array(["no", "perhaps", "yes"]))
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    known = ~np.asarray(pd.isna(y))
    codes = np.minimum(np.searchsorted(classes, y[known]), len(classes) - 1)
    n_unknown = int((classes[codes] != y[known]).sum())
    if n_unknown:
        raise ValueError(
            f"{n_unknown} rows have a class that is not among the {len(classes)} classes of the "
            f"study. Correct the labels, or add the class to the study."
        )
    Y = np.zeros((len(y), len(classes)))
    Y[np.flatnonzero(known), codes] = 1.0
    return Y


def encoded_blocks(
    y: npt.NDArray[Any] | pd.Categorical, classes: npt.NDArray[Any]
) -> Iterator[Array]:
    """Yield the binary matrix of :func:`encode_classes` block by block."""
    for start in range(0, len(y), BLOCK_ROWS):
        yield encode_classes(np.asarray(y[start : start + BLOCK_ROWS]), classes)


def count_classes(
    y: npt.NDArray[Any] | pd.Categorical, classes: npt.NDArray[Any], name: str
) -> npt.NDArray[np.int64]:
    """Return how many rows there are of each class; a missing class is not counted.

    Examples
    --------
    >>> count_classes(np.array(["no", "no", None], dtype=object), np.array(["no", "yes"]), "a")
    array([2, 0])
    """
    counts = np.zeros(len(classes), dtype=np.int64)
    for block in encoded_blocks(y, classes):
        counts += block.sum(axis=0).astype(np.int64)
    if not counts.any():
        raise ValueError(
            f"{name} has no row of any of the {len(classes)} classes of the study: its label mix "
            f"is not known, and it belongs to no group. Leave it out, or check the column of the "
            f"classes."
        )
    return counts


def classes_of(terms: LearningTerms) -> npt.NDArray[np.object_]:
    """Return the classes of a study in the order in which they are columns."""
    return np.sort(np.array(terms.classes, dtype=object))


def check_target(name: str, target: pd.Categorical | None, terms: LearningTerms) -> pd.Categorical:
    """Return the classes of the table of a party that must have them.

    Raises
    ------
    StudyError
        If there is no such column.
    """
    if target is None:
        raise StudyError(
            f"the table of {name!r} has no column {terms.target!r}, which holds the classes "
            f"(learning.target)."
        )
    return target


def settle_counts(noisy: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Make counts of noisy counts: none is negative, and all alike where nothing is left of them.

    A function of the noisy counts alone, it costs no privacy.

    Examples
    --------
    >>> settle_counts(np.array([4, -1, 2])), settle_counts(np.array([-3, 0, -1]))
    (array([4, 0, 2]), array([1, 1, 1]))
    """
    counts = np.maximum(noisy, 0)
    return counts if counts.any() else np.ones_like(counts)


def decode_classes(values: Array, classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the class with the largest value in each row.

    Examples
    --------
    >>> decode_classes(np.array([[0.2, 0.7]]), np.array(["no", "yes"]))
    array(['yes'], dtype='<U3')
    """
    return np.asarray(classes[values.argmax(axis=1)])


def harden(values: Array) -> Array:
    """Keep the class and hide the scores.

    Examples
    --------
    >>> harden(np.array([[0.2, 0.7]]))
    array([[0., 1.]])
    """
    return np.asarray(np.eye(values.shape[1])[values.argmax(axis=1)])

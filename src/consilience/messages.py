"""Everything that may leave an institution: one closed list of messages.

Each message is a frozen dataclass of plain numbers, short texts and arrays, and checks itself when
it is made, at the sender as at the receiver. Adding a class here is adding something that can leak:
say in its docstring who may learn what.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError

__all__ = ["MESSAGES", "Answer", "Contribution", "Failure", "Message", "Query", "Role"]

PSEUDONYM_BYTES = 16


@dataclass(frozen=True, kw_only=True, eq=False)
class Message:
    """The header every message carries.

    Parameters
    ----------
    study : str
        Digest of the terms both sides agreed to; empty where there is no study file.
    sender, recipient : str
        Names of the roles, such as ``"hospital-a/clinical"`` and ``"analyst"``.
    """

    study: str
    sender: str
    recipient: str

    def __post_init__(self) -> None:
        for field in ("study", "sender", "recipient"):
            if not isinstance(getattr(self, field), str):
                raise MessageError(f"{field} of a {type(self).__name__} must be a text.")
        self.check()

    def check(self) -> None:
        """Check the payload; overridden by each message."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Contribution(Message):
    """A party's representation of its rows and of the anchor (Alg. 3, line 5, [Kawamata2025]_).

    The analyst learns the number of rows, the number of dimensions kept and the coordinates of the
    rows in a basis it does not know. See the threat model for what that is worth.

    Parameters
    ----------
    representation : ndarray of shape (n_rows, n_components), float64
    anchor : ndarray of shape (n_anchor, n_components), float64
    anchor_digest : str
        Digest of the anchor before reduction, so that the analyst can tell two parties of a
        column that they hold different anchors. It says nothing about the anchor itself.
    pseudonyms : ndarray of shape (n_rows, 16), uint8, or None
        Keyed pseudonyms of the rows; None when the rows of a row institution are already in one
        agreed order.
    """

    representation: npt.NDArray[np.float64]
    anchor: npt.NDArray[np.float64]
    anchor_digest: str
    pseudonyms: npt.NDArray[np.uint8] | None = None

    def check(self) -> None:
        """Check shapes, dtypes and finiteness."""
        _check_matrix(self, "representation")
        _check_matrix(self, "anchor")
        if not self.representation.size or not self.anchor.size:
            raise MessageError("a Contribution has at least one row, anchor row and dimension.")
        if self.representation.shape[1] != self.anchor.shape[1]:
            raise MessageError(
                f"a Contribution has {self.representation.shape[1]} columns of rows but "
                f"{self.anchor.shape[1]} columns of anchor; both come from one reduction."
            )
        if not isinstance(self.anchor_digest, str):
            raise MessageError("anchor_digest of a Contribution must be a text.")
        _check_pseudonyms(self, len(self.representation))


@dataclass(frozen=True, kw_only=True, eq=False)
class Query(Message):
    """A party's representation of rows that were not in the study, to be labelled.

    The analyst learns of these rows what it learns of contributed ones.
    """

    representation: npt.NDArray[np.float64]
    pseudonyms: npt.NDArray[np.uint8] | None = None

    def check(self) -> None:
        """Check shapes, dtypes and finiteness."""
        _check_matrix(self, "representation")
        _check_pseudonyms(self, len(self.representation))


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer(Message):
    """Labels for the rows a party sent, in the order in which it sent them.

    A party learns the cluster of each of its own rows, and how many clusters there are. If the
    study says so it also learns the shared coordinates of its rows, to which the other parties of
    the row contributed (``representation``, ``centers``), or the map into them (``linear``,
    ``offset``, ``centers``).

    Parameters
    ----------
    labels : ndarray of shape (n_rows,), int64
        -1 where the study's rule left a row out.
    n_clusters : int
    pseudonyms : ndarray of shape (n_rows, 16), uint8, or None
        As the party sent them.
    representation : ndarray of shape (n_rows, n_dimensions), float64, or None
    centers : ndarray of shape (n_clusters, n_dimensions), float64, or None
    linear : ndarray of shape (n_components, n_dimensions), float64, or None
    offset : ndarray of shape (n_dimensions,), float64, or None
    """

    labels: npt.NDArray[np.int64]
    n_clusters: int
    pseudonyms: npt.NDArray[np.uint8] | None = None
    representation: npt.NDArray[np.float64] | None = None
    centers: npt.NDArray[np.float64] | None = None
    linear: npt.NDArray[np.float64] | None = None
    offset: npt.NDArray[np.float64] | None = None

    def check(self) -> None:
        """Check shapes, dtypes, finiteness and the range of the labels."""
        _check_array(self, "labels", np.int64, 1)
        if type(self.n_clusters) is not int or self.n_clusters < 0:
            raise MessageError("n_clusters of an Answer must be a whole number >= 0.")
        if self.labels.size and not -1 <= self.labels.min() <= self.labels.max() < max(
            self.n_clusters, 0
        ):
            raise MessageError(
                f"labels of an Answer must lie in [-1, {self.n_clusters}): one of its "
                f"{self.n_clusters} clusters, or -1."
            )
        _check_pseudonyms(self, len(self.labels))
        for field in ("representation", "centers", "linear"):
            if getattr(self, field) is not None:
                _check_matrix(self, field)
        if self.representation is not None and len(self.representation) != len(self.labels):
            raise MessageError("an Answer has one label per row of its representation.")
        if self.offset is not None:
            _check_array(self, "offset", np.float64, 1)
            if not np.isfinite(self.offset).all():
                raise MessageError("offset of an Answer has NaN or infinite values.")
        if self.centers is not None and len(self.centers) != self.n_clusters:
            raise MessageError("an Answer has one row of centers per cluster.")
        shared = (self.representation, self.centers, self.linear, self.offset)
        if len({array.shape[-1] for array in shared if array is not None}) > 1:
            raise MessageError("the arrays of an Answer have different numbers of dimensions.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Failure(Message):
    """A refusal: the rule that was broken, without any value of the data."""

    reason: str

    def check(self) -> None:
        """Check that the reason is a text."""
        if not isinstance(self.reason, str):
            raise MessageError("reason of a Failure must be a text.")


MESSAGES: tuple[type[Message], ...] = (Contribution, Query, Answer, Failure)
"""The closed list: no other class is ever written to a bundle or sent over a network."""


class Role(Protocol):
    """A party, an analyst or a peer: takes messages, returns messages, opens nothing."""

    @property
    def name(self) -> str:
        """The name other roles send to."""

    def receive(self, message: Message) -> list[Message]:
        """Take one message and return the messages to send in turn."""


def _check_array(message: Message, field: str, dtype: Any, ndim: int) -> None:
    value, kind = getattr(message, field), type(message).__name__
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != ndim:
        found = (
            f"{value.dtype} of {value.ndim} dimensions"
            if isinstance(value, np.ndarray)
            else type(value).__name__
        )
        raise MessageError(
            f"{field} of a {kind} must be an array of {np.dtype(dtype)} with {ndim} "
            f"dimensions, not {found}."
        )


def _check_matrix(message: Message, field: str) -> None:
    _check_array(message, field, np.float64, 2)
    # A sum is finite only if every term is; it needs no mask as large as the matrix.
    value = getattr(message, field)
    with np.errstate(invalid="ignore", over="ignore"):
        total = value.sum()
    if not np.isfinite(total) and not np.isfinite(value).all():
        raise MessageError(f"{field} of a {type(message).__name__} has NaN or infinite values.")


def _check_pseudonyms(message: Contribution | Query | Answer, n_rows: int) -> None:
    if message.pseudonyms is None:
        return
    _check_array(message, "pseudonyms", np.uint8, 2)
    if message.pseudonyms.shape != (n_rows, PSEUDONYM_BYTES):
        raise MessageError(
            f"pseudonyms of a {type(message).__name__} have shape {message.pseudonyms.shape}, "
            f"must be ({n_rows}, {PSEUDONYM_BYTES}): one per row."
        )

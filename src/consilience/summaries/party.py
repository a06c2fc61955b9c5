"""A party of a study of summaries: it sends centres of its rows, and labels them at home."""

from __future__ import annotations

from math import ceil

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError
from consilience.messages import Message, Summary
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.privacy.private_centers import private_centers
from consilience.summaries.micro_groups import micro_groups
from consilience.summaries.units import Units

__all__ = ["MAX_BYTES", "Party"]

Array = npt.NDArray[np.float64]

MAX_BYTES = 100_000
"""A summary is no larger, however many rows there are."""


class Party:
    """Summarises its rows, privately, and gives them the nearest of the centres that come back.

    Parameters
    ----------
    name : str
    units : Units
    noise : ConcentratedNoise, optional
        What the noise may cost; None sends means without noise, of at least `min_rows` rows.
    min_rows : int, optional
        The fewest rows behind a centre. With noise, None promises nothing about that.
    rows_per_person : int
        The most rows of one person, which count as one record.
    study, analyst : str

    Attributes
    ----------
    answer : Summary or None
        The clusters.

    Notes
    -----
    *Sends* a summary: centres, and how many rows each stands for. *Keeps* its rows, and the labels
    it gives them. *Learns* the centres and sizes of the clusters.

    Examples
    --------
    >>> units = Units(np.zeros(1), np.full(1, 10.0), np.full(1, 10.0))
    >>> party = Party("a", units, min_rows=3)
    >>> sent, = party.begin(np.array([[1.0], [1.5], [2.0], [8.0], [8.5], [9.0]]))
    >>> sent.centers.ravel(), sent.weights
    (array([1.5, 8.5]), array([3., 3.]))
    """

    def __init__(
        self,
        name: str,
        units: Units,
        *,
        noise: ConcentratedNoise | None = None,
        min_rows: int | None = None,
        rows_per_person: int = 1,
        study: str = "",
        analyst: str = "analyst",
    ) -> None:
        if noise is None and min_rows is None:
            raise ValueError(
                "noise and min_rows are both None: a summary needs noise, or a fewest number of "
                "rows behind every centre. Set one of them."
            )
        self.name = name
        self._units, self._noise = units, noise
        self._size = None if min_rows is None else min_rows * rows_per_person
        self._rows_per_person = rows_per_person
        self._study, self._analyst = study, analyst
        self.answer: Summary | None = None

    def begin(self, X: Array) -> list[Message]:
        """Summarise rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            As the schema encodes them.
        """
        Z = self._units.scale(X)
        n_most = MAX_BYTES // (8 * (Z.shape[1] + 2))
        errors = None
        if self._noise is None:
            centers, weights = self._means(Z, n_most)
        else:
            found = private_centers(
                Z,
                self._units.radius,
                self._noise,
                rows_per_person=self._rows_per_person,
                min_rows=self._size or 0,
                n_most=n_most,
            )
            centers, weights, errors = found.centers, found.weights, found.errors
        return [
            Summary(
                study=self._study,
                sender=self.name,
                recipient=self._analyst,
                centers=np.ascontiguousarray(self._units.unscale(centers)),
                weights=weights,
                errors=errors,
            )
        ]

    def receive(self, message: Message) -> list[Message]:
        """Take the clusters; say nothing in turn."""
        if message.study != self._study:
            raise MessageError(
                f"{self.name} received an answer to study {message.study[:12]!r}, but takes part "
                f"in {self._study[:12]!r}."
            )
        if not isinstance(message, Summary):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        if message.centers.shape[1] != len(self._units.lower):
            raise MessageError(
                f"the answer has centres of {message.centers.shape[1]} columns, the study has "
                f"{len(self._units.lower)}."
            )
        self.answer = message
        return []

    def label(self, X: Array) -> npt.NDArray[np.int64]:
        """Return the cluster of each row: the nearest centre, in the units of the study."""
        if self.answer is None:
            raise MessageError(f"{self.name} has no answer yet: there are no centres to compare.")
        return self._units.nearest(X, self.answer.centers)

    def _means(self, Z: Array, n_most: int) -> tuple[Array, Array]:
        """Return the means of groups of close rows, and how many rows each has."""
        assert self._size is not None
        if len(Z) < self._size:
            raise ValueError(
                f"{self.name} has {len(Z)} rows (n_samples={len(Z)}), must have >= {self._size}, "
                f"the fewest behind one centre: sending fewer would tell too much of them."
            )
        groups = micro_groups(Z, max(self._size, ceil(len(Z) / n_most)))
        weights = np.bincount(groups).astype(np.float64)
        sums = [np.bincount(groups, weights=column) for column in Z.T]
        return np.column_stack(sums) / weights[:, None], weights

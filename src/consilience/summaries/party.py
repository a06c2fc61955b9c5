"""A party of a study of summaries: it sends centres of its rows, and labels them at home."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError
from consilience.mapped import Keep, in_blocks, in_memory
from consilience.messages import Message, Summary
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.privacy.private_centers import Centers, private_centers
from consilience.summaries.micro_groups import micro_groups
from consilience.summaries.placing import place_rows
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

    def begin(
        self,
        X: Array,
        classes: npt.NDArray[np.int64] | None = None,
        n_classes: int = 0,
        keep: Keep = in_memory,
    ) -> list[Message]:
        """Summarise rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            As the schema encodes them.
        classes : ndarray of shape (n_rows,), optional
            The class of each row, from 0, or -1 where it has none: every class is then summarised
            by itself. A row has one class, so that this costs no more.
        n_classes : int
            How many classes the study has; those without a row are summarised alike.
        keep : callable
            Where the rows of a class are put meanwhile; memory by default.
        """
        n_most = MAX_BYTES // (8 * (X.shape[1] + 3))
        if classes is None:
            found = self._summarise(X, self._noise, n_most)
            if not self._stands(found):
                self._refuse_few(len(X))
            return [self._message(found)]
        tried = {}
        for code in range(n_classes):
            rows = _take(X, classes == code, keep)
            if self._noise is not None or len(rows) >= (self._size or 0):
                most = max(n_most // n_classes, 2)
                tried[code] = self._summarise(rows, self._fresh_noise(code), most)
        kept = {code: part for code, part in tried.items() if self._stands(part)}
        if not kept:
            self._refuse_few(int((classes >= 0).sum()), " of one class")
        seen = {code: part for code, part in kept.items() if _is_seen(part)}
        heaviest = max(kept, key=lambda code: kept[code].weights.sum())
        parts = seen or {heaviest: kept[heaviest]}
        together = Centers(
            np.concatenate([part.centers for part in parts.values()]),
            np.concatenate([part.weights for part in parts.values()]),
            np.concatenate([part.errors for part in parts.values()]),
        )
        known = np.repeat(list(parts), [len(part.centers) for part in parts.values()])
        return [self._message(together, known.astype(np.int64))]

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
        """Return the place of the cluster of each row: the nearest, in the units of the study.

        Of a mixture it is the likeliest.
        """
        if self.answer is None:
            raise MessageError(f"{self.name} has no answer yet: there are no centres to compare.")
        return place_rows(self._units, X, self.answer)

    def _fresh_noise(self, code: int) -> ConcentratedNoise | None:
        """Return the same allowance again, for rows of which no other draw sees anything."""
        if self._noise is None:
            return None
        seed = self._noise.insecure_seed
        again = None if seed is None else seed + 7_919 * (code + 1)
        return ConcentratedNoise(self._noise.epsilon, self._noise.delta, again)

    def _message(self, found: Centers, classes: npt.NDArray[np.int64] | None = None) -> Summary:
        return Summary(
            study=self._study,
            sender=self.name,
            recipient=self._analyst,
            centers=np.ascontiguousarray(self._units.unscale(found.centers)),
            weights=found.weights,
            errors=None if self._noise is None else found.errors,
            classes=classes,
        )

    def _summarise(self, X: Array, noise: ConcentratedNoise | None, n_most: int) -> Centers:
        if noise is None:
            return self._means(self._units.scale(X), n_most)
        return private_centers(
            X,
            self._units.radius,
            noise,
            scale=self._units.scale,
            rows_per_person=self._rows_per_person,
            min_rows=self._size or 0,
            n_most=n_most,
        )

    def _stands(self, found: Centers) -> bool:
        """Whether a single centre stands for as many rows as promised.

        Where there are several, each was held against the promise when it was made.
        """
        if self._noise is None or self._size is None or len(found.centers) > 1:
            return True
        return bool(found.weights[0] >= self._size + 4 * found.errors[0])

    def _refuse_few(self, n_rows: int, kind: str = "") -> NoReturn:
        raise ValueError(
            f"{self.name} has {n_rows} rows (n_samples={n_rows}), must have >= {self._size}{kind}, "
            f"the fewest behind one centre, and with noise some more: sending fewer would tell too "
            f"much of them."
        )

    def _means(self, Z: Array, n_most: int) -> Centers:
        """Return the means of groups of close rows, and how many rows each has."""
        assert self._size is not None
        if len(Z) < self._size:
            self._refuse_few(len(Z))
        groups = micro_groups(Z, max(self._size, ceil(len(Z) / n_most)))
        weights = np.bincount(groups).astype(np.float64)
        sums = [np.bincount(groups, weights=column) for column in Z.T]
        centers = np.column_stack(sums) / weights[:, None]
        return Centers(centers, weights, np.zeros(len(weights)))


def _take(X: Array, chosen: npt.NDArray[np.bool_], keep: Keep) -> Array:
    """Return some rows, put together block by block; no copy if it is all or none of them."""
    n = int(chosen.sum())
    if n in (0, len(X)):
        return X[:n]

    def blocks() -> Iterator[Array]:
        start = 0
        for block in in_blocks(X):
            inside = chosen[start : start + len(block)]
            start += len(block)
            if inside.any():
                yield block[inside]

    return keep(n, blocks())


def _is_seen(found: Centers) -> bool:
    """Whether a class has more rows than noise alone would make of none."""
    return len(found.centers) > 1 or bool(found.weights[0] >= 2 * found.errors[0])

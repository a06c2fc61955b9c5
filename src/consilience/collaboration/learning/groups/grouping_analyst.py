"""The analyst that groups institutions by their label counts and sees nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.collaboration.learning.grouping import (
    check_newcomers,
    choose_threshold,
    group_parties,
    label_distributions,
    merge_tree,
    place_newcomers,
)
from consilience.exceptions import MessageError
from consilience.messages import Grouping, LabelCounts, Message

__all__ = ["GroupingAnalyst"]

Array = npt.NDArray[np.float64]


class GroupingAnalyst:
    """Groups row institutions by counts of their labels (Alg. 1, lines 5 to 7, [Sugawara2026]_).

    Parameters
    ----------
    rows : sequence of str
        The row institutions.
    holder : str
        The column group whose parties hold the classes and send the counts.
    absent : sequence of str
        Places of the grid that nobody holds.
    n_classes : int
    threshold : float or "gap"
        t of the paper, or the middle of the largest gap between merges.
    newcomers : sequence of str
        Row institutions that do not shape the groups, and join the nearest one.
    study : str
        Digest of the agreed terms.
    name : str

    Attributes
    ----------
    groups : dict of str to int
    threshold : float
    counts, distributions : ndarray of shape (n_received, n_classes)
    tree : ndarray of shape (n_settled - 1, 4)

    Notes
    -----
    *Sends* to each party the groups, the threshold and the tree of merges. *Keeps* the counts.
    *Learns* the label mix of each institution, as exactly as its noise allows, and of no row
    anything: rows and their classes never come here.

    Examples
    --------
    >>> analyst = GroupingAnalyst("abc", holder="all", n_classes=2, threshold=0.2)
    >>> for row, counts in {"a": [9, 1], "b": [0, 8], "c": [8, 2]}.items():
    ...     told = analyst.receive(LabelCounts(study="", sender=f"{row}/all", recipient="analyst",
    ...                                        counts=np.array(counts)))
    >>> told[0].groups
    array([0, 1, 0])
    """

    threshold: float
    counts: Array
    distributions: Array
    tree: Array

    def __init__(
        self,
        rows: Sequence[str],
        *,
        holder: str,
        n_classes: int,
        threshold: Any,
        absent: Sequence[str] = (),
        newcomers: Sequence[str] = (),
        study: str = "",
        name: str = "analyst",
    ) -> None:
        self.name = name
        self._rows, self._n_classes, self._rule, self._study = (
            list(rows),
            n_classes,
            threshold,
            study,
        )
        self._newcomers = check_newcomers(newcomers, self._rows)
        places = {f"{row}/{holder}": row for row in rows}
        self._row_of = {place: row for place, row in places.items() if place not in absent}
        self._counts: dict[str, npt.NDArray[np.int64]] = {}
        self.groups: dict[str, int] = {}

    @property
    def missing(self) -> list[str]:
        """The parties that have not sent their counts yet."""
        return [party for party in self._row_of if party not in self._counts]

    def receive(self, message: Message) -> list[Message]:
        """Take the counts of a party; answer all once the last one has arrived."""
        if message.study != self._study:
            raise MessageError(
                f"{message.sender} sent a {type(message).__name__} for study "
                f"{message.study[:12]!r}, but this one is {self._study[:12]!r}."
            )
        if not isinstance(message, LabelCounts):
            raise MessageError(
                f"{self.name} groups by label counts and cannot use a {type(message).__name__}; "
                f"nothing more than counts should have left {message.sender}."
            )
        if message.sender not in self._row_of:
            raise MessageError(
                f"{message.sender!r} holds no classes in this study; those who do are "
                f"{list(self._row_of)}."
            )
        if len(message.counts) != self._n_classes:
            raise MessageError(
                f"{message.sender} sent counts of {len(message.counts)} classes, but the study has "
                f"{self._n_classes}."
            )
        self._counts[message.sender] = message.counts
        return [] if self.missing else self.solve()

    def solve(self) -> list[Message]:
        """Group those that have sent their counts, and tell each of them."""
        senders = [party for party in self._row_of if party in self._counts]
        rows = [self._row_of[party] for party in senders]
        new = np.array([row in self._newcomers for row in rows], dtype=bool)
        if not len(new) or new.all():
            raise MessageError("no counts have arrived but of newcomers: there are no groups.")
        self.counts = np.stack([self._counts[party] for party in senders]).astype(np.float64)
        self.distributions = label_distributions(self.counts)
        self.tree = merge_tree(self.distributions[~new])
        self.threshold = choose_threshold(self._rule, self.tree)
        codes = place_newcomers(self.distributions, new, group_parties(self.tree, self.threshold))
        self.groups = dict(zip(rows, codes.tolist(), strict=True))
        told = np.array([self.groups.get(row, -1) for row in self._rows], dtype=np.int64)
        return [
            Grouping(
                study=self._study,
                sender=self.name,
                recipient=party,
                groups=told,
                threshold=self.threshold,
                tree=self.tree,
            )
            for party in senders
        ]

"""The analyst of a data collaboration: it aligns, clusters and answers, and holds no anchor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.collaboration.clustering import cluster
from consilience.collaboration.gathering import Gathering, Sender
from consilience.collaboration.join import Join
from consilience.collaboration.partition import Partition
from consilience.messages import Answer, Contribution, Message

__all__ = ["Analyst"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]

OF_ROWS = ("representation", "memberships")
"""Parts of an answer that belong to single rows."""


class Analyst(Gathering):
    """Receives the contributions of a grid of parties and answers each with labels.

    Parameters
    ----------
    rows, columns : sequence of str
        The grid: party ``"row/column"`` holds these columns of these rows.
    method, n_clusters, n_neighbors, trim, seed
        The clustering, see :func:`~consilience.collaboration.clustering.cluster`.
    answer : {"labels", "representation", "model", "memberships", "tree"}
        What parties receive beside labels: nothing; the shared coordinates of their rows and the
        centres; the map g_i and the centres, by which a party that holds all columns of its
        rows can label new rows itself; how far their rows belong to each cluster; or how clusters
        join into larger ones.
    **gathering
        The rest of :class:`~consilience.collaboration.gathering.Gathering`.

    Attributes
    ----------
    partition : Partition
    rows, alignments, joins
        As of a gathering.

    Notes
    -----
    *Sends* to each party the labels of its rows. *Keeps* the collaboration representation and the
    maps g_i. *Learns* every party's number of rows, their coordinates in an unknown basis, and the
    clusters.

    Examples
    --------
    >>> from consilience.collaboration.party import Party
    >>> rng = np.random.default_rng(0)
    >>> A, X = rng.normal(size=(30, 3)), np.repeat([[0.0, 0, 0], [9, 9, 0]], 4, axis=0)
    >>> analyst = Analyst(["a", "b"], ["all"], n_clusters=2, seed=0)
    >>> for row in "ab":
    ...     answers = analyst.receive(*Party(f"{row}/all", A, rng=rng).begin(X))
    >>> [answer.recipient for answer in answers], len(set(answers[0].labels.tolist()))
    (['a/all', 'b/all'], 2)
    """

    partition: Partition

    def __init__(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        *,
        method: Any = "kmeans",
        n_clusters: int | str | tuple[int, int] = 8,
        n_neighbors: int = 10,
        trim: float | None = None,
        answer: Literal["labels", "representation", "model", "memberships", "tree"] = "labels",
        seed: int = 0,
        **gathering: Any,
    ) -> None:
        super().__init__(rows, columns, **gathering)
        self.method, self._n_clusters = method, n_clusters
        self._n_neighbors, self._seed, self._answer = n_neighbors, seed, answer
        self._trim = trim

    def _look(self, received: Mapping[str, Sequence[Contribution]]) -> None:
        """Clusters need nothing beside the rows."""

    def _learn(self) -> None:
        rows, clustered = self.rows, self.rows
        if self._target == "population" and not self._all_seen_whole:
            whole = self._seen_whole()
            # What is expected of a row in place of what was not seen lies nearer to the middle than
            # the row: where most rows were seen whole, they alone shape the clusters.
            if len(rows) / 2 <= whole.sum():
                shape = (int(whole.sum()), rows.shape[1])
                clustered = self.engine.rows(
                    "rows seen whole", shape, lambda: rows.each(_those, beside=whole)
                )
        partition = cluster(
            clustered,
            self.method,
            self._n_clusters,
            n_neighbors=self._n_neighbors,
            trim=self._trim,
            seed=self._seed,
        )
        if clustered is not rows:
            partition = partition.over(rows, whole, clustered)
        self.partition = partition

    def _answer_rows(self, row: str, senders: Sequence[Sender], inside: slice) -> list[Message]:
        found = self.partition
        more = self._common()
        if self._answer == "representation":
            shown = found.shown(self.rows)
            more |= {"representation": shown.part(inside), "centers": shown.centers}
        elif self._answer == "model":
            alignment = self.alignments[row]
            more |= {"linear": alignment.linear, "offset": alignment.offset}
            more["centers"] = found.centers
        elif self._answer == "memberships" and found.memberships is not None:
            more["memberships"] = found.memberships[inside]
        return self._answers(senders, self.joins[row], found.labels[inside], more)

    def _answer_query(self, senders: Sequence[Sender], join: Join, X: Array) -> list[Message]:
        more = self._common()
        if self._answer == "memberships":
            more["memberships"] = self.partition.clusterer.predict_proba(X)
        return self._answers(senders, join, self.partition.predict(X, self.rows), more)

    def _common(self) -> dict[str, Any]:
        """Return what is the same for all rows."""
        return {"tree": self.partition.tree} if self._answer == "tree" else {}

    def _answers(
        self, senders: Sequence[Sender], join: Join, labels: Labels, more: Mapping[str, Any]
    ) -> list[Message]:
        """Answer the parties of one row institution, each in the order of what it sent."""
        answers: list[Message] = []
        for column, (sender, pseudonyms) in enumerate(senders):
            own: dict[str, Any] = {
                name: join.spread(values, column) if name in OF_ROWS else values
                for name, values in more.items()
            }
            answer = Answer(
                study=self._study,
                sender=self.name,
                recipient=sender,
                labels=self._labels(join, labels, column),
                n_clusters=self.partition.n_clusters,
                pseudonyms=pseudonyms,
                **own,
            )
            answers.append(answer)
        return answers

    def _labels(self, join: Join, labels: Labels, column: int) -> Labels:
        """Return the labels of the rows a column sent, in its order."""
        full = self.engine.labels(join.sizes[column], self.partition.n_clusters)
        return join.spread(labels, column, full)


def _those(block: Array, inside: npt.NDArray[np.bool_]) -> Array:
    return block[inside]

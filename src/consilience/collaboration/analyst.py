"""The analyst of a data collaboration: it aligns, clusters and answers, and holds no anchor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.collaboration.clustering import Partition, cluster
from consilience.collaboration.gathering import Gathering, Sender
from consilience.collaboration.join import Join
from consilience.holdings import Place
from consilience.messages import Answer, Contribution, Message

__all__ = ["Analyst"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


class Analyst(Gathering):
    """Receives the contributions of a grid of parties and answers each with labels.

    Parameters
    ----------
    rows, columns : sequence of str
        The grid: party ``"row/column"`` holds these columns of these rows.
    method, n_clusters, n_neighbors, trim, seed
        The clustering, see :func:`~consilience.collaboration.clustering.cluster`.
    answer : {"labels", "representation", "model"}
        What parties receive beside labels: nothing; the shared coordinates of their rows and the
        centres; or the map g_i and the centres, by which a party that holds all columns of its
        rows can label new rows itself.
    **gathering
        The rest of :class:`~consilience.collaboration.gathering.Gathering`.

    Attributes
    ----------
    partition : Partition
    representation, alignments, joins
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
        answer: Literal["labels", "representation", "model"] = "labels",
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
        X = self.representation
        whole = self._seen_whole()
        # What is expected of a row in place of what was not seen lies nearer to the middle than the
        # row: where most rows were seen whole, they alone shape the clusters.
        apart = self._target == "population" and len(X) / 2 <= whole.sum() < len(X)
        partition = cluster(
            X[whole] if apart else X,
            self.method,
            self._n_clusters,
            n_neighbors=self._n_neighbors,
            trim=self._trim,
            seed=self._seed,
        )
        if apart:
            labels = np.empty(len(X), dtype=np.int64)
            labels[whole] = partition.labels
            labels[~whole] = partition.predict(X[~whole], X[whole])
            partition = replace(partition, labels=labels)
        self.partition = partition

    def _answer_rows(self, row: str, senders: Sequence[Sender], inside: slice) -> list[Message]:
        return self._answers(senders, self.joins[row], self.partition.labels[inside], inside)

    def _answer_query(self, senders: Sequence[Sender], join: Join, X: Array) -> list[Message]:
        return self._answers(senders, join, self.partition.predict(X, self.representation))

    def _answers(
        self, senders: Sequence[Sender], join: Join, labels: Labels, inside: slice | None = None
    ) -> list[Message]:
        """Answer the parties of one row institution, each in the order of what it sent."""
        answers: list[Message] = []
        for column, (sender, pseudonyms) in enumerate(senders):
            more: dict[str, Any] = {}
            if self._answer == "representation" and inside is not None:
                more["representation"] = join.spread(self.representation[inside], column)
                more["centers"] = self.partition.centers
            elif self._answer == "model" and inside is not None:
                alignment = self.alignments[Place.of(sender).row]
                more["centers"] = self.partition.centers
                more["linear"], more["offset"] = alignment.linear, alignment.offset
            answer = Answer(
                study=self._study,
                sender=self.name,
                recipient=sender,
                labels=join.spread(labels, column),
                n_clusters=self.partition.n_clusters,
                pseudonyms=pseudonyms,
                **more,
            )
            answers.append(answer)
        return answers

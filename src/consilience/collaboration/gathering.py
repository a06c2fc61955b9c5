"""What every analyst of a data collaboration does first: gather, join and align."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from consilience.collaboration.alignment import Alignment, Target, align
from consilience.collaboration.fill import Filling
from consilience.collaboration.join import Join, join_columns
from consilience.collaboration.paging import BLOCK_ROWS
from consilience.collaboration.plausible import Limits, foreign_anchors, why_implausible
from consilience.collaboration.population import Population, estimate_population
from consilience.collaboration.sights import look
from consilience.engines.engine import Engine, Rows
from consilience.engines.in_memory import InMemory
from consilience.exceptions import MessageError
from consilience.holdings import Place
from consilience.messages import Contribution, Message, Query

__all__ = ["Gathering", "Sender"]

Array = npt.NDArray[np.float64]
Sent = TypeVar("Sent", Contribution, Query)
Sender = tuple[str, npt.NDArray[np.uint8] | None]
"""Who sent rows, and their pseudonyms, which go back with the answer."""


class Gathering(ABC):
    """Receives the contributions of a grid and builds the collaboration representation.

    An analyst is a gathering that does something with the representation: it says
    in :meth:`_look` what else it needs of the contributions, and fills :meth:`_learn`,
    :meth:`_answer_rows` and :meth:`_answer_query`.

    Parameters
    ----------
    rows, columns : sequence of str
        The grid: party ``"row/column"`` holds these columns of these rows.
    absent : sequence of str
        Places of the grid that nobody holds.
    n_components : mapping of str to int, optional
        The dimensions a party of each column group sends; any where nothing is said.
    target, affine
        The alignment, see :func:`~consilience.collaboration.alignment.align`; ``"population"`` is
        that of :mod:`~consilience.collaboration.population`.
    min_singular_value : float, optional
        Of the dimensions of the common space; not with ``"population"``, which keeps all.
    unmatched : {"drop", "keep", "refuse"}
        What happens to rows that some column of their row institution did not send.
    limits : mapping of str to Limits, optional
        Per column group, what public terms leave to a contribution, see
        :mod:`~consilience.collaboration.plausible`.
    implausible : {"refuse", "leave out"}
        What happens to a contribution beyond them.
    study : str
        Digest of the agreed terms.
    name : str
    engine : Engine, optional
        Where the rows lie and how a step over them runs; in memory by default.

    Attributes
    ----------
    rows : Rows
        The collaboration representation (Eq. 11), row institution after row institution.
    alignments : dict of str to Alignment
        The map g_i of each row institution.
    joins : dict of str to Join
        For each row institution, which rows its columns share.
    left_out : dict of str to str
        Parties whose contribution was left out, and why.
    """

    rows: Rows

    def __init__(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        *,
        absent: Sequence[str] = (),
        n_components: Mapping[str, int] | None = None,
        target: Target = "scaled",
        affine: bool = True,
        min_singular_value: float | None = None,
        unmatched: Literal["drop", "keep", "refuse"] = "drop",
        limits: Mapping[str, Limits] | None = None,
        implausible: Literal["refuse", "leave out"] = "refuse",
        study: str = "",
        name: str = "analyst",
        engine: Engine | None = None,
    ) -> None:
        if target == "population" and not affine:
            raise ValueError(
                "target == 'population' needs affine maps, but affine is False: the population has "
                "a mean. Set affine to True, or target to 'scaled' or 'orthonormal'."
            )
        self.name, self.engine = name, engine or InMemory()
        self._rows, self._columns = list(rows), list(columns)
        if target == "population" and min_singular_value is not None:
            raise ValueError(
                f"min_singular_value == {min_singular_value:g} goes with target 'scaled' or "
                f"'orthonormal': the population keeps every dimension. Leave it out."
            )
        self._target, self._affine = target, affine
        self._min_singular_value = min_singular_value
        self._unmatched, self._study = unmatched, study
        self._n_components = dict(n_components or {})
        self._limits, self._implausible = dict(limits or {}), implausible
        places = [f"{row}/{column}" for row in self._rows for column in self._columns]
        self._parties = dict.fromkeys(place for place in places if place not in absent)
        self._contributions: dict[str, Contribution] = {}
        self._queries: dict[str, Query] = {}
        self._anchor_digests: dict[str, str] = {}
        self._population: Population | None = None
        self.alignments: dict[str, Alignment] = {}
        self.joins: dict[str, Join] = {}
        self.left_out: dict[str, str] = {}

    @property
    def representation(self) -> Array:
        """The collaboration representation as one array."""
        return self.rows.whole()

    @property
    def missing(self) -> list[str]:
        """The parties that have not contributed yet."""
        seen = {*self._contributions, *self.left_out}
        return [party for party in self._parties if party not in seen]

    def receive(self, message: Message) -> list[Message]:
        """Take a contribution or a query; answer once the last one of its kind has arrived."""
        if message.study != self._study:
            raise MessageError(
                f"{message.sender} sent a {type(message).__name__} for study "
                f"{message.study[:12]!r}, but this one is {self._study[:12]!r}."
            )
        if message.sender not in self._parties:
            raise MessageError(
                f"{message.sender!r} is not a party of this study; the parties are "
                f"{list(self._parties)}."
            )
        if isinstance(message, Contribution):
            self._check_anchor(message)
            limits = self._limits.get(Place.of(message.sender).column)
            reason = why_implausible(message, limits or Limits(message.anchor.shape[1]))
            if reason:
                self._leave_out(message.sender, reason)
            else:
                self._contributions[message.sender] = message
            del message
            n_seen = len(self._contributions) + len(self.left_out)
            return self.solve() if n_seen == len(self._parties) else []
        if isinstance(message, Query):
            return self._receive_query(message)
        raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")

    def solve(self) -> list[Message]:
        """Align, learn and answer (Alg. 3, lines 7 to 13) with what has arrived.

        The contributions are used up: the collaboration representation takes their place.
        """
        self._compare_anchors()
        received = self._received()
        self.joins = {
            row: join_columns(messages, self._unmatched, self.engine)
            for row, messages in received.items()
        }
        self.alignments = dict(zip(received, self._find_maps(received), strict=True))
        senders = {row: [(c.sender, c.pseudonyms) for c in m] for row, m in received.items()}
        self._look(received)
        self._contributions = {}
        n_rows = sum(join.n_rows for join in self.joins.values())
        shape = (n_rows, next(iter(self.alignments.values())).linear.shape[1])
        self.rows = self.engine.rows("rows", shape, lambda: self._align_rows(received))
        self._learn()
        answers: list[Message] = []
        start = 0
        for row, join in self.joins.items():
            inside = slice(start, start + join.n_rows)
            answers += self._answer_rows(row, senders[row], inside)
            start = inside.stop
        return answers

    @property
    def _all_seen_whole(self) -> bool:
        """Whether a party of every column group sent every row."""
        joins = self.joins.values()
        alike = len({len(join.sizes) for join in joins}) == 1
        return alike and all(join.n_complete == join.n_rows for join in joins)

    def _seen_whole(self) -> npt.NDArray[np.bool_]:
        """Return which rows of the representation were sent by a party of every column group."""
        n_columns = max(len(join.sizes) for join in self.joins.values())
        return np.concatenate(
            [join.complete & (len(join.sizes) == n_columns) for join in self.joins.values()]
        )

    @abstractmethod
    def _look(self, received: Mapping[str, Sequence[Contribution]]) -> None:
        """Take from the contributions what the rows alone do not say, before they are released."""

    @abstractmethod
    def _learn(self) -> None:
        """Use the collaboration representation."""

    @abstractmethod
    def _answer_rows(self, row: str, senders: Sequence[Sender], inside: slice) -> list[Message]:
        """Answer the parties of one row institution, whose joined rows are ``inside``."""

    @abstractmethod
    def _answer_query(self, senders: Sequence[Sender], join: Join, X: Array) -> list[Message]:
        """Answer the parties that asked about the rows ``X`` of the collaboration space."""

    def _find_maps(self, received: Mapping[str, Sequence[Contribution]]) -> list[Alignment]:
        """Find the map g_i of each row institution, for rows that all its parties sent."""
        if not sum(join.n_rows for join in self.joins.values()):
            raise MessageError(
                "no row is shared by all columns of its row institution: there is nothing to "
                "learn from. Check that the parties of a row use the same row key, and write ids "
                "alike: consilience check shows their shape, and none of them."
            )
        anchors = [np.hstack([c.anchor_rows for c in messages]) for messages in received.values()]
        noise = [_noise(messages) for messages in received.values()]
        if self._target != "population":
            return align(
                anchors,
                target=self._target,
                affine=self._affine,
                noise=noise,
                min_singular_value=self._min_singular_value,
            )
        sights = [
            sight
            for i, (row, messages) in enumerate(received.items())
            for sight in look(i, _stacked(self.joins[row], messages))
        ]
        self._population = estimate_population(anchors, sights, _shares(received), noise)
        return [self._population.alignment(i) for i in range(len(anchors))]

    def _align_rows(self, received: dict[str, list[Contribution]]) -> Iterator[Array]:
        """Map each row institution's joined rows, some at a time, releasing what was read."""
        n_done, n_rows = 0, sum(join.n_rows for join in self.joins.values())
        for i, row in enumerate(list(received)):
            join, messages = self.joins[row], received.pop(row)
            whole = join.n_complete == join.n_rows
            fill = None
            if not whole and self._population is None:
                fill = _filling(row, join, messages)
            for part in _stacked(join, messages):
                if whole or self._population is None:
                    yield self.alignments[row].apply(part if fill is None else fill.apply(part))
                else:
                    yield self._population.place(i, part)
                n_done += len(part)
                self.engine.tell("aligning rows", n_done, n_rows)

    def _received(self) -> dict[str, list[Contribution]]:
        """Return the contributions of each row institution that sent any."""
        received = {row: self._of_row(row, self._contributions) for row in self._rows}
        received = {row: messages for row, messages in received.items() if messages}
        if not received:
            raise MessageError("no contribution has arrived: there is nothing to solve.")
        return received

    def _leave_out(self, sender: str, reason: str) -> None:
        """Refuse what cannot come from the study, or go on without it, as the study says."""
        if self._implausible == "refuse":
            raise MessageError(
                f"{sender} sent what no rows within the public bounds give: {reason}. Ask {sender} "
                f"to check its study file, keys and table and to contribute again; or go on "
                f"without it, if the study allows (grid.missing_party = 'go on')."
            )
        self.left_out[sender] = reason

    def _compare_anchors(self) -> None:
        """See that the parties of a column group show the same anchor."""
        for column, limits in self._limits.items():
            sent = {
                name: (message.anchor_rows, _noise([message]))
                for name, message in self._contributions.items()
                if Place.of(name).column == column
            }
            foreign = foreign_anchors(sent, limits.n_features) if sent else []
            if len(foreign) > 1:
                raise MessageError(
                    f"what {foreign} sent of the anchor is not of one anchor, and it does not show "
                    f"whose is another. Ask all of them to compare their column keys and bounds."
                )
            for name in foreign:
                self._leave_out(name, "its anchor is not the one the others sent")
                del self._contributions[name]

    def _receive_query(self, query: Query) -> list[Message]:
        row = Place.of(query.sender).row
        if row not in self.alignments:
            raise MessageError(f"{query.sender} asked for labels before the study was solved.")
        self._queries[query.sender] = query
        waiting = self._of_row(row, self._queries)
        if len(waiting) < len(self.joins[row].sizes):
            return []
        for message in waiting:
            del self._queries[message.sender]
        join, X = self._represent(row, waiting)
        return self._answer_query([(q.sender, q.pseudonyms) for q in waiting], join, X)

    def represent(self, queries: Sequence[Query]) -> Array:
        """Return the shared coordinates of rows that the parties of one row institution ask about.

        Parameters
        ----------
        queries : sequence of Query
            One per column group, in their order.
        """
        return self._represent(Place.of(queries[0].sender).row, queries)[1]

    def _represent(self, row: str, queries: Sequence[Query]) -> tuple[Join, Array]:
        alignment = self.alignments[row]
        width = sum(query.representation.shape[1] for query in queries)
        if width != len(alignment.linear):
            raise MessageError(
                f"{[query.sender for query in queries]} asked about rows of {width} dimensions, "
                f"but contributed {len(alignment.linear)}: a question goes through the reduction "
                f"of the contribution."
            )
        join = join_columns(queries)
        return join, alignment.apply(join.stack(queries))

    def _of_row(self, row: str, messages: Mapping[str, Sent]) -> list[Sent]:
        names = [f"{row}/{column}" for column in self._columns]
        return [messages[name] for name in names if name in messages]

    def _check_anchor(self, message: Contribution) -> None:
        column = Place.of(message.sender).column
        n_anchor, width = message.anchor.shape
        agreed = self._n_components.get(column, width)
        if width != agreed:
            raise MessageError(
                f"{message.sender} sent {width} dimensions, but the study says {agreed} for column "
                f"{column!r}."
            )
        # All that were taken before are alike, so that one of them tells.
        other = next(iter(self._contributions.values()), message)
        if len(other.anchor) != n_anchor:
            raise MessageError(
                f"{message.sender} sent {n_anchor} anchor rows and {other.sender} "
                f"{len(other.anchor)}: all parties draw the same number."
            )
        expected = self._anchor_digests.setdefault(column, message.anchor_digest)
        if message.anchor_digest != expected:
            others = [
                c.sender
                for c in self._contributions.values()
                if Place.of(c.sender).column == column
            ]
            raise MessageError(
                f"{message.sender} used another anchor than {others}: the parties of column "
                f"{column!r} must share one column key and the same bounds."
            )


def _noise(messages: Sequence[Contribution]) -> Array:
    """Return the standard deviation of what rounding added to each anchor column."""
    steps = [np.zeros(c.anchor.shape[1]) if c.steps is None else c.steps for c in messages]
    return np.asarray(np.concatenate(steps) / np.sqrt(12.0))


def _shares(received: Mapping[str, Sequence[Contribution]]) -> list[Array]:
    """Return, for each anchor column, the share of row institutions that hold its column group."""
    columns = {
        row: np.repeat(
            [Place.of(c.sender).column for c in messages], [c.anchor.shape[1] for c in messages]
        )
        for row, messages in received.items()
    }
    held = Counter(column for names in columns.values() for column in set(names))
    return [np.array([held[n] for n in names]) / len(received) for names in columns.values()]


def _stacked(join: Join, messages: Sequence[Contribution]) -> Iterator[Array]:
    """Yield the joined rows, some at a time; NaN where a column did not send a row."""
    for start in range(0, join.n_rows, BLOCK_ROWS):
        yield join.stack(messages, slice(start, start + BLOCK_ROWS))


def _filling(row: str, join: Join, messages: Sequence[Contribution]) -> Filling:
    """Learn from the complete rows of an institution what the others lack."""
    if not join.n_complete:
        raise MessageError(
            f"no row of {row!r} is at all of its parties, so the rest of a row cannot be "
            f"estimated. Check that they use the same row key and ids, or agree on "
            f"target = 'population', which learns from the other institutions."
        )
    return Filling(_stacked(join, messages))

"""The analyst of DC-CFL: it groups institutions by their labels and learns one model a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.grouping import (
    check_newcomers,
    choose_threshold,
    group_parties,
    label_distributions,
    members_of,
    merge_tree,
    place_newcomers,
)
from consilience.collaboration.learning.held_out import HeldOut
from consilience.exceptions import MessageError
from consilience.holdings import Place
from consilience.messages import Contribution, LabelledContribution, Message, Prediction, Query

__all__ = ["CANDIDATES", "ClusteredAnalyst"]

Array = npt.NDArray[np.float64]
Group = tuple[str, ...]

CANDIDATES = tuple(k / 10 for k in range(11))
"""Thresholds that ``"auto"`` tries: those of the paper, .1 to .9, and both ends, where every label
mix is for itself and where all are together."""

HELD_OUT = 0.2
"""Share of a row institution's labelled rows by which a threshold is judged."""


class ClusteredAnalyst(LearningAnalyst):
    """Groups the row institutions and lets a :class:`LearningAnalyst` serve each group (Alg. 1).

    Parameters
    ----------
    rows, columns : sequence of str
        The grid.
    threshold : float, "auto" or "gap"
        t of the paper. ``auto`` tries 0, .1 to 1 and keeps the best on rows held out from what was
        received, ``gap`` cuts in the largest gap between merges and needs no held-out rows.
    newcomers : sequence of str
        Row institutions that do not shape the groups: each joins the one with the nearest mean
        label mix, however far that is.
    **learning
        The rest of :class:`~consilience.collaboration.learning.analyst.LearningAnalyst`, for each
        group.

    Attributes
    ----------
    threshold : float
        The one used.
    scores : dict of float to float
        With ``auto``: mean accuracy over the institutions of each threshold tried.
    counts, distributions : ndarray of shape (n_rows, n_classes)
        Labels, and their shares, of each row institution.
    tree : ndarray of shape (n_rows - 1, 4)
        Of all but newcomers.
    groups : dict of str to int
        Row institution to group. Where somebody else found the groups, set them before the first
        contribution arrives: the labels are then not looked at for that.
    n_fits : int
        Models that were fitted in all.

    Notes
    -----
    *Sends* to each party the predictions for its rows, or its group's model and its map. *Keeps*
    what a learning analyst keeps, once per group. *Learns* what a learning analyst learns; the
    label mixes follow from the labels.
    """

    threshold: float
    counts: Array
    distributions: Array
    tree: Array

    def __init__(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        *,
        threshold: float | Literal["auto", "gap"] = "auto",
        newcomers: Sequence[str] = (),
        seed: int = 0,
        **learning: Any,
    ) -> None:
        super().__init__(rows, columns, seed=seed, **learning)
        self._rule, self._settings = threshold, {**learning, "seed": seed}
        self._newcomers = check_newcomers(newcomers, self._rows)
        self.scores: dict[float, float] = {}
        self.groups: dict[str, int] = {}
        self.n_fits = 0
        self._of_group: dict[str, LearningAnalyst] = {}

    def solve(self) -> list[Message]:
        """Group, then align, learn and answer group by group (Alg. 1, lines 5 to 13)."""
        received = self._received()
        if not self.groups:
            self._group(received)
        partition = members_of({row: self.groups[row] for row in received})
        self._contributions, self.n_labelled = {}, 0
        answers: list[Message] = []
        for group in partition:
            analyst, told = self._learn_group({row: received.pop(row) for row in group})
            self._of_group.update(dict.fromkeys(group, analyst))
            self.joins |= analyst.joins
            self.n_labelled += analyst.n_labelled
            answers += told
        return answers

    def hold_out(self, n_folds: int = 5) -> dict[str, HeldOut]:
        """Predict each labelled row by a model of its group that has not seen it."""
        analysts = dict.fromkeys(self._of_group.values())
        held = {row: h for analyst in analysts for row, h in analyst.hold_out(n_folds).items()}
        return {row: held[row] for row in self._rows if row in held}

    def _group(self, received: dict[str, list[Contribution]]) -> None:
        """Find the groups by the labels that were received (Alg. 1, lines 5 to 7)."""
        mixes = [_label_counts(row, sent) for row, sent in received.items()]
        widths = sorted({len(mix) for mix in mixes})
        if len(widths) > 1:
            raise MessageError(
                f"the parties sent targets of {widths} columns; all must use the classes of the "
                f"study."
            )
        counts = np.stack(mixes)
        self.counts, self.distributions = counts, label_distributions(counts)
        new = np.array([row in self._newcomers for row in received])
        settled = [row for row in received if row not in self._newcomers]
        if not settled:
            raise MessageError("only newcomers have contributed: there are no groups to join.")
        self.tree = merge_tree(self.distributions[~new])
        self.threshold = self._choose({row: received[row] for row in settled})
        codes = place_newcomers(self.distributions, new, group_parties(self.tree, self.threshold))
        self.groups = dict(zip(received, codes.tolist(), strict=True))

    def _choose(self, received: dict[str, list[Contribution]]) -> float:
        if self._rule != "auto":
            return choose_threshold(self._rule, self.tree)
        hidden = {
            row: _hide(sent, k, self._settings["seed"])
            for k, (row, sent) in enumerate(received.items())
        }
        accuracy: dict[Group, dict[str, float]] = {}
        for t in CANDIDATES:
            codes = group_parties(self.tree, t).tolist()
            partition = members_of(dict(zip(received, codes, strict=True)))
            for group in partition:
                # Thresholds share most of their groups: each is learnt once.
                if group not in accuracy:
                    accuracy[group] = self._judge({row: hidden[row] for row in group})
            scores = [accuracy[group][row] for group in partition for row in group]
            self.scores[t] = float(np.nanmean(scores))
        return max(self.scores, key=lambda t: (self.scores[t], -t))

    def _judge(self, hidden: dict[str, tuple[list[Contribution], Array]]) -> dict[str, float]:
        """Learn from the rows shown and return the accuracy of each institution on the others."""
        shown = {row: sent for row, (sent, _) in hidden.items()}
        _, answers = self._learn_group(shown, answer="labels", anchor=False)
        result = {}
        for row, (sent, truth) in hidden.items():
            asked = truth.any(axis=1)
            labelled = next(c for c in sent if isinstance(c, LabelledContribution))
            values = _of_sender(answers, labelled.sender)
            right = values[asked].argmax(axis=1) == truth[asked].argmax(axis=1)
            result[row] = float(right.mean()) if asked.any() else float("nan")
        return result

    def _learn_group(
        self, received: dict[str, list[Contribution]], **other: Any
    ) -> tuple[LearningAnalyst, list[Message]]:
        sent = {c.sender for messages in received.values() for c in messages}
        places = [f"{row}/{column}" for row in received for column in self._columns]
        absent = [p for p in places if p not in sent]
        settings = {**self._settings, "absent": absent, **other}
        analyst = LearningAnalyst(list(received), self._columns, **settings)
        answers: list[Message] = []
        for row in list(received):
            for contribution in received.pop(row):
                answers = analyst.receive(contribution)
        self.n_fits += 1
        return analyst, answers

    def _receive_query(self, query: Query) -> list[Message]:
        row = Place.of(query.sender).row
        if row not in self._of_group:
            raise MessageError(f"{query.sender} asked for labels before the study was solved.")
        return self._of_group[row].receive(query)


def _label_counts(row: str, sent: Sequence[Contribution]) -> Array:
    for contribution in sent:
        if isinstance(contribution, LabelledContribution) and contribution.targets.any():
            return np.asarray(contribution.targets.sum(axis=0))
    raise MessageError(
        f"{row!r} sent no labels, so its label mix is not known and it belongs to no group. Let "
        f"one of its parties send them, or leave it out."
    )


def _hide(sent: Sequence[Contribution], number: int, seed: int) -> tuple[list[Contribution], Array]:
    """Take away the labels of a share of the rows; return what is left and what was hidden."""
    rng = np.random.default_rng([seed, number])
    shown = list(sent)
    k = next(k for k, c in enumerate(sent) if isinstance(c, LabelledContribution))
    labelled = shown[k]
    assert isinstance(labelled, LabelledContribution)
    known = rng.permutation(np.flatnonzero(labelled.targets.any(axis=1)))
    # Who has few labelled rows has a say too, as long as one is left to learn from.
    asked = known[: max(int(HELD_OUT * len(known)), int(len(known) > 1))]
    truth = np.zeros_like(labelled.targets)
    truth[asked] = labelled.targets[asked]
    shown[k] = replace(labelled, targets=labelled.targets - truth)
    return shown, truth


def _of_sender(answers: Sequence[Message], sender: str) -> Array:
    answer = next(a for a in answers if a.recipient == sender)
    assert isinstance(answer, Prediction)
    return answer.values

"""The analyst that learns a model from labelled contributions and answers with predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.collaboration.gathering import Gathering, Sender
from consilience.collaboration.join import Join
from consilience.collaboration.learning.held_out import (
    HeldOut,
    learn_sharpness,
    predict_held_out,
)
from consilience.collaboration.learning.label_mix import count_mixes, log_ratios
from consilience.collaboration.learning.learners import check_portable
from consilience.collaboration.learning.model import Model, Task, fit_model
from consilience.collaboration.learning.portable import freeze
from consilience.collaboration.learning.targets import harden
from consilience.exceptions import MessageError
from consilience.holdings import Place
from consilience.messages import Contribution, LabelledContribution, Message, Prediction

__all__ = ["LearningAnalyst"]

Array = npt.NDArray[np.float64]


class LearningAnalyst(Gathering):
    """Aligns labelled contributions, learns one model and predicts (Alg. 1, lines 5 to 11).

    Parameters
    ----------
    rows, columns : sequence of str
        The grid: party ``"row/column"`` holds these columns of these rows.
    estimator : estimator, optional
        The model h; None is ridge regression on the binary matrix of the classes.
    task : {"classification", "regression"}
    answer : {"labels", "scores", "model"}
        Whether parties learn the predicted class alone, the model's scores, or the predicted class
        and the model with the map g_i to it, by which a party that holds all columns of its rows
        can predict new rows itself. The estimator must then be one that can be carried.
    anchor : bool
        Whether parties also receive predictions for the anchor, to imitate the model in their
        own features.
    prior : {"pooled", "own"}
        Which mix of classes a row institution expects in its rows: that of all labelled rows, or
        that of its own, by :mod:`~consilience.collaboration.learning.label_mix`.
    seed : int
        For an estimator without a ``random_state`` of its own.
    **gathering
        The rest of :class:`~consilience.collaboration.gathering.Gathering`.

    Attributes
    ----------
    model : Model
    n_labelled : int
        Rows it was learnt from.
    representation, alignments, joins
        As of a gathering.

    Notes
    -----
    *Sends* to each party the predictions for its rows and, if asked, for the anchor, or the model
    and the party's map. *Keeps* the collaboration representation, the targets, the maps g_i and the
    model. *Learns* every party's number of rows, their coordinates in an unknown basis, and the
    targets of those sent with labels. It never holds the anchor itself.

    Examples
    --------
    >>> from consilience.collaboration.learning.party import LearningParty
    >>> rng, classes = np.random.default_rng(0), np.array([0, 1])
    >>> A, X = rng.normal(size=(30, 2)), np.repeat([[0.0, 0], [9, 9]], 4, axis=0)
    >>> analyst = LearningAnalyst(["a"], ["all"])
    >>> party = LearningParty("a/all", A, classes=classes, rng=rng)
    >>> answer, = analyst.receive(*party.begin(X, y=np.repeat([0, 1], 4)))
    >>> answer.values.argmax(axis=1)
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    model: Model
    n_labelled: int

    def __init__(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        *,
        estimator: Any = None,
        task: Task = "classification",
        answer: Literal["labels", "scores", "model"] = "labels",
        anchor: bool = False,
        prior: Literal["pooled", "own"] = "pooled",
        seed: int = 0,
        **gathering: Any,
    ) -> None:
        super().__init__(rows, columns, **gathering)
        if answer == "model":
            check_portable(estimator)
        self._estimator, self._task, self._seed = estimator, task, seed
        self._answer, self._anchor, self._prior = answer, anchor, prior
        self._models: dict[str, Model] = {}
        self._targets: dict[str, Array | None] = {}
        self._anchors: dict[str, Array] = {}
        self._frozen: dict[str, npt.NDArray[np.uint8]] = {}

    def _look(self, received: Mapping[str, Sequence[Contribution]]) -> None:
        self._targets = {row: self._targets_of(row, sent) for row, sent in received.items()}
        widths = {Y.shape[1] for Y in self._targets.values() if Y is not None}
        if not widths:
            raise MessageError(
                "no contribution carries targets: there is nothing to learn. At least one party "
                "must contribute labels, which its study must allow."
            )
        if len(widths) > 1:
            raise MessageError(
                f"the parties sent targets of {sorted(widths)} columns; all must use the classes "
                f"of the study."
            )
        if self._anchor:
            self._anchors = {
                row: self.alignments[row].apply(np.hstack([c.anchor_rows for c in sent]))
                for row, sent in received.items()
            }

    def _targets_of(self, row: str, sent: Sequence[Contribution]) -> Array | None:
        """Return the targets of the rows all columns share, from the first column that has them."""
        for contribution, position in zip(sent, self.joins[row].positions, strict=True):
            if isinstance(contribution, LabelledContribution):
                targets = contribution.targets
                if position is None:
                    return targets
                # A row this column did not send has no label; NaN keeps it out of the learning.
                return np.where((position >= 0)[:, None], targets[position], np.nan)
        return None

    def _labelled(self) -> tuple[npt.NDArray[np.bool_], Array]:
        """Return which rows of the representation have a target, and the targets of those."""
        n_outputs = next(Y.shape[1] for Y in self._targets.values() if Y is not None)
        Y = np.vstack(
            [
                np.full((join.n_rows, n_outputs), np.nan) if targets is None else targets
                for join, targets in zip(self.joins.values(), self._targets.values(), strict=True)
            ]
        )
        known = ~np.isnan(Y[:, 0])
        if self._task == "classification":
            known &= Y.any(axis=1)
        return known, Y[known]

    def hold_out(self, n_folds: int = 5) -> dict[str, HeldOut]:
        """Predict each labelled row by a model that has not seen it, and return it by institution.

        The alignment and the parties' reductions have seen it: neither uses labels, unless a party
        chose a supervised reduction.
        """
        known, Y = self._labelled()
        holders = self._holders()[known]
        told = predict_held_out(
            self._estimator,
            self.representation[known],
            Y,
            institutions=holders if self._prior == "own" else None,
            sharpness=next(iter(self._models.values())).sharpness,
            n_folds=n_folds,
            seed=self._seed,
        )
        truth = Y.argmax(axis=1)
        return {
            row: HeldOut(truth[holders == i], told[holders == i])
            for i, row in enumerate(self.joins)
        }

    def _holders(self) -> npt.NDArray[np.intp]:
        """Return the number of the row institution of each row of the representation."""
        sizes = [join.n_rows for join in self.joins.values()]
        return np.repeat(np.arange(len(sizes)), sizes)

    def _learn(self) -> None:
        known, Y = self._labelled()
        if not known.any():
            raise MessageError("no joined row has a target: there is nothing to learn from.")
        Z = self.representation if known.all() else self.representation[known]
        self.n_labelled = len(Y)
        self.model = fit_model(self._estimator, Z, Y, self._task, self._seed)
        self._models = dict.fromkeys(self.joins, self.model)
        if self._prior == "own":
            holders = self._holders()[known]
            ratios = log_ratios(count_mixes(Y, holders, len(self.joins)))
            sharpness = learn_sharpness(self._estimator, Z, Y, holders, seed=self._seed)
            self._models = {
                row: replace(self.model, log_ratio=ratio, sharpness=sharpness)
                for row, ratio in zip(self.joins, ratios, strict=True)
            }
        if self._answer == "model":
            self._frozen = {row: freeze(model, Z) for row, model in self._models.items()}

    def _answer_rows(self, row: str, senders: Sequence[Sender], inside: slice) -> list[Message]:
        anchor = self._predict(row, self._anchors[row]) if self._anchor else None
        more: dict[str, Any] = {}
        if row in self._frozen:
            g = self.alignments[row]
            more = {"linear": g.linear, "offset": g.offset, "model": self._frozen[row]}
        Z = self.representation[inside]
        return self._answers(senders, self.joins[row], Z, anchor=anchor, **more)

    def _answer_query(self, senders: Sequence[Sender], join: Join, X: Array) -> list[Message]:
        return self._answers(senders, join, X)

    def _answers(
        self, senders: Sequence[Sender], join: Join, Z: Array, **more: Any
    ) -> list[Message]:
        """Answer the parties of one row institution, each in the order of what it sent."""
        values = self._predict(Place.of(senders[0][0]).row, Z)
        return [
            Prediction(
                study=self._study,
                sender=self.name,
                recipient=name,
                values=join.spread(values, column),
                pseudonyms=pseudonyms,
                **more,
            )
            for column, (name, pseudonyms) in enumerate(senders)
        ]

    def _predict(self, row: str, X: Array) -> Array:
        """Return what rows X of a row institution are told."""
        if not len(X):
            return np.empty((0, len(self.model.constant)))
        values = self._models[row].predict(X)
        hard = self._task == "classification" and self._answer != "scores"
        return harden(values) if hard else values

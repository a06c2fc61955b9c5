"""A party that contributes labels too, and may get a model it can read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.collaboration.learning.imitation import imitate_rows
from consilience.collaboration.learning.surrogate import Scope, Surrogate, fit_surrogate
from consilience.collaboration.learning.targets import encoded_blocks
from consilience.collaboration.party import Party
from consilience.exceptions import MessageError
from consilience.mapped import Keep, in_memory
from consilience.messages import LabelledContribution, Message, Prediction

__all__ = ["LearningParty"]

Array = npt.NDArray[np.float64]


class LearningParty(Party):
    """Party (i, j) of a study that learns: a :class:`Party` with labels.

    Parameters
    ----------
    name, anchor
        As of :class:`~consilience.collaboration.party.Party`.
    classes : ndarray of shape (n_classes,), optional
        All classes of the study, sorted; None for a regression.
    send_labels : bool
        Whether the targets travel to the analyst. One column of a row institution is enough.
    readable : estimator, optional
        The model fitted to predictions for the anchor; None is a tree with 5 splits.
    readable_anchor : ndarray of shape (n_anchor, n_all_features), optional
        The anchor of all columns, where ``anchor_scope = "all"`` gave this party every column key;
        None explains in the party's own columns.
    feature_names : sequence of str, optional
        Names of the columns that are explained.
    seed : int
        For the readable model.
    **reduction
        The rest of :class:`~consilience.collaboration.party.Party`.

    Attributes
    ----------
    prediction : ndarray of shape (n_rows, n_outputs) or None
        What the analyst predicted for the rows sent last.
    anchor_prediction : ndarray of shape (n_anchor, n_outputs) or None
        What the analyst predicted for the anchor.
    surrogate : Surrogate
        The readable model, fitted when it is first asked for.

    Notes
    -----
    *Sends* what a party sends and, with ``send_labels``, the target of each row. *Keeps* its rows,
    the anchor and the reduction. *Learns* the predictions for its rows and for the anchor.

    Examples
    --------
    >>> rng, classes = np.random.default_rng(0), np.array(["no", "yes"])
    >>> party = LearningParty("a/all", rng.normal(size=(20, 3)), classes=classes, rng=rng)
    >>> sent, = party.begin(rng.normal(size=(2, 3)), y=np.array(["yes", "no"]))
    >>> type(sent).__name__, sent.targets.tolist()
    ('LabelledContribution', [[0.0, 1.0], [1.0, 0.0]])
    """

    def __init__(
        self,
        name: str,
        anchor: Array,
        *,
        classes: npt.NDArray[Any] | None = None,
        send_labels: bool = True,
        readable: Any = None,
        readable_anchor: Array | None = None,
        feature_names: Sequence[str] | None = None,
        seed: int = 0,
        **reduction: Any,
    ) -> None:
        super().__init__(name, anchor, **reduction)
        self._classes, self._send_labels = classes, send_labels
        self._readable, self._seed = readable, seed
        self._scope: Scope = "column" if readable_anchor is None else "all"
        self._explained = anchor if readable_anchor is None else readable_anchor
        names = [f"x{k}" for k in range(self._explained.shape[1])]
        names = names if feature_names is None else [str(n) for n in feature_names]
        if len(names) != self._explained.shape[1]:
            raise ValueError(
                f"feature_names has {len(names)} names, must be {self._explained.shape[1]}: one "
                f"for each column that is explained."
            )
        self._names = names
        self.prediction: Array | None = None
        self.anchor_prediction: Array | None = None

    def begin(
        self,
        X: Array,
        pseudonyms: npt.NDArray[np.uint8] | None = None,
        y: npt.NDArray[Any] | pd.Categorical | None = None,
        keep: Keep = in_memory,
    ) -> list[Message]:
        """Contribute, with targets where they are known and may travel (Alg. 1, lines 2 to 4).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        pseudonyms : ndarray of shape (n_rows, 16), uint8, optional
        y : ndarray of shape (n_rows,) or (n_rows, n_outputs), or Categorical, optional
            Classes, or values of a regression.
        keep : callable
            Where coordinates and targets are put; memory by default.
        """
        (contribution,) = super().begin(X, pseudonyms, y, keep)
        if y is None or not self._send_labels:
            return [contribution]
        return [LabelledContribution(**vars(contribution), targets=self._targets(y, keep))]

    def _targets(self, y: npt.NDArray[Any] | pd.Categorical, keep: Keep) -> Array:
        if self._classes is not None:
            return keep(len(y), encoded_blocks(y, self._classes))
        return np.asarray(y, dtype=np.float64).reshape(len(y), -1)

    def receive(self, message: Message) -> list[Message]:
        """Take the predictions for the rows sent last and, where they come, for the anchor."""
        if not isinstance(message, Prediction):
            return super().receive(message)
        self._check_study(message)
        self._check_shape("rows", message.values, self._n_rows)
        self.prediction = message.values
        if message.anchor is not None:
            self._check_shape("anchor rows", message.anchor, len(self._anchor))
            self.anchor_prediction = message.anchor
        return []

    @property
    def told(self) -> npt.NDArray[Any]:
        """What was predicted for the rows it sent last."""
        assert self.prediction is not None, "deliver() ends only when every party was answered"
        return self.prediction

    def _check_shape(self, what: str, values: Array, n_rows: int) -> None:
        if len(values) != n_rows:
            raise MessageError(
                f"{self.name} sent {n_rows} {what} and received {len(values)} predictions; the "
                f"answer belongs to another contribution."
            )
        if self._classes is not None and values.shape[1] != len(self._classes):
            raise MessageError(
                f"{self.name} received predictions of {values.shape[1]} classes, but the study "
                f"has {len(self._classes)}."
            )

    def explain(self, X: Array, values: Array) -> Surrogate:
        """Return a readable model that imitates the analyst's on the party's own rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        values : ndarray of shape (n_rows, n_classes)
            What the analyst predicted for them.

        Returns
        -------
        Surrogate
            That of the anchor where it speaks of columns this party does not hold.
        """
        if self._classes is None or X.shape[1] != len(self._names) or not len(X):
            return self.surrogate
        return imitate_rows(
            self.surrogate, X, values, self._classes, readable=self._readable, seed=self._seed
        )

    @cached_property
    def surrogate(self) -> Surrogate:
        """The readable model of the analyst's (Alg. 1, line 13)."""
        if self.anchor_prediction is None:
            raise MessageError(
                f"{self.name} has no predictions for the anchor: its study asks for no readable "
                f"model, or the answer has not come."
            )
        return fit_surrogate(
            self._explained,
            self.anchor_prediction,
            readable=self._readable,
            feature_names=self._names,
            scope=self._scope,
            classes=self._classes,
            seed=self._seed,
        )

"""A party of a data collaboration: it holds some columns of some rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.collaboration.anchors.keyed import anchor_digest
from consilience.collaboration.axes import SUPERVISED
from consilience.collaboration.reduction import Reduction, Scaling, fit_reduction
from consilience.collaboration.rounding import Rounding, keep_rounded, steps_for, to_steps
from consilience.exceptions import MessageError
from consilience.fields import Coordinates
from consilience.mapped import Keep, in_memory
from consilience.messages import Answer, Contribution, Failure, Message, Query
from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise
from consilience.privacy.release import Account, release

__all__ = ["Party"]

Array = npt.NDArray[np.float64]


class Party:
    """Party (i, j): reduces its rows and the anchor privately, sends both, receives labels.

    Parameters
    ----------
    name : str
        Its place in the grid, ``"row/column"``.
    anchor : ndarray of shape (n_anchor, n_features)
        The anchor of its columns.
    reducer, n_components, scaling, bounds, rotate
        The private reduction, see :func:`~consilience.collaboration.reduction.fit_reduction`.
    rounding : float or "auto", optional
        Share of their spread to which coordinates are rounded before they leave, see
        :mod:`~consilience.collaboration.rounding`; nothing sends them in double precision.
    groups : sequence of sequence of int
        Columns that are the categories of one variable, by which ``"auto"`` tells what a row holds.
    study : str
        Digest of the agreed terms.
    analyst : str
        Whom it sends to.
    noise : LaplaceNoise, optional
        Noise on the rows before anything else sees them; none by default, and no guarantee.
    budget : Budget or Accountant, optional
        Charged with the epsilon of the noise for every message made from rows.
    rng : numpy.random.Generator, optional
        Its own randomness; from the operating system by default.

    Notes
    -----
    *Sends* the reduced rows, the reduced anchor, pseudonyms if it was given any, and the digest of
    the anchor. *Keeps* its rows, the anchor and the reduction. *Learns* the label of each of its
    rows (and, where the study says so, their shared coordinates).

    With `noise`, two tables of the same rows that differ in the values of one of them give rise to
    the same message with probabilities that differ by a factor of at most exp(epsilon): the
    reduction is fitted on the noisy rows and applied to them, and is itself no more than a function
    of them (post-processing). Not covered: that a row is there, its pseudonym, and its target.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> party = Party("a/clinical", rng.normal(size=(20, 3)), rng=rng)
    >>> contribution, = party.begin(rng.normal(size=(5, 3)))
    >>> contribution.representation.shape, contribution.anchor.shape
    ((5, 2), (20, 2))
    """

    def __init__(
        self,
        name: str,
        anchor: Array,
        *,
        reducer: Any = "pca",
        n_components: int | None = None,
        scaling: Scaling = "none",
        bounds: tuple[Array, Array] | None = None,
        rotate: bool = False,
        rounding: Rounding | None = None,
        groups: Sequence[Sequence[int]] = (),
        study: str = "",
        analyst: str = "analyst",
        noise: LaplaceNoise | None = None,
        budget: Account | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        if noise is not None and isinstance(reducer, str) and reducer in SUPERVISED:
            raise ValueError(
                f"reducer == {reducer!r} is fitted on labels too, which noise on the rows does not "
                f"cover. Choose an unsupervised reducer such as 'pca', or send without noise."
            )
        self.name = name
        self._anchor = anchor
        self._reducer, self._n_components = reducer, n_components
        self._scaling, self._bounds, self._rotate = scaling, bounds, rotate
        self._study, self._analyst = study, analyst
        self._noise, self.budget = noise, budget or Budget()
        self._rng = np.random.default_rng() if rng is None else rng
        self._n_rows = 0
        self._rounding, self._groups = rounding, groups
        self.steps: Array | None = None
        self.reduction: Reduction | None = None
        self.answer: Answer | None = None

    def begin(
        self,
        X: Array,
        pseudonyms: npt.NDArray[np.uint8] | None = None,
        y: npt.NDArray[Any] | pd.Categorical | None = None,
        keep: Keep = in_memory,
    ) -> list[Message]:
        """Fit the private reduction, if none was kept, and contribute (Alg. 3, lines 2 to 5).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        pseudonyms : ndarray of shape (n_rows, 16), uint8, optional
        y : ndarray of shape (n_rows,), or Categorical, optional
            Labels, used only by a supervised reducer; they do not leave.
        keep : callable
            Where coordinates are put, which are made block by block; memory by default.
        """

        def build(rows: Array) -> list[Message]:
            # Labels have no noise, so with noise nothing may be fitted on them.
            known = y if self._noise is None else None
            return [self._contribute(rows, pseudonyms, known, keep)]

        return release(X, self._noise, self.budget, build, "contribution")

    def _contribute(
        self,
        X: Array,
        pseudonyms: npt.NDArray[np.uint8] | None,
        y: npt.NDArray[Any] | pd.Categorical | None,
        keep: Keep,
    ) -> Contribution:
        if self.reduction is None:
            self.reduction = fit_reduction(
                X,
                self._reducer,
                self._n_components,
                scaling=self._scaling,
                bounds=self._bounds,
                rotate=self._rotate,
                y=y,
                rng=self._rng,
            )
        self._n_rows = len(X)
        anchor = self.reduction.transform(self._anchor)
        if self._rounding is not None and self.steps is None:
            self.steps = steps_for(X, self.reduction, anchor, self._rounding, self._groups)
        return Contribution(
            study=self._study,
            sender=self.name,
            recipient=self._analyst,
            representation=keep_rounded(X, self.reduction, self.steps, keep),
            anchor=self._rounded(anchor),
            anchor_digest=anchor_digest(self._anchor),
            pseudonyms=pseudonyms,
            steps=self.steps,
        )

    def reuse(self, reduction: Reduction, steps: Array | None) -> None:
        """Use the reduction and the steps of an earlier contribution, and fit no other."""
        self.reduction, self.steps = reduction, steps

    def _rounded(self, Z: Array) -> Coordinates:
        return Z if self.steps is None else to_steps(Z, self.steps)

    def ask(self, X: Array, pseudonyms: npt.NDArray[np.uint8] | None = None) -> list[Message]:
        """Reduce rows that were not in the study and ask for their labels."""
        if self.reduction is None:
            raise MessageError(f"{self.name} has no reduction yet: contribute before asking.")
        self._n_rows = len(X)
        rows = release(X, self._noise, self.budget, self.reduction.transform, "question")
        query = Query(
            study=self._study,
            sender=self.name,
            recipient=self._analyst,
            representation=self._rounded(rows),
            pseudonyms=pseudonyms,
            steps=self.steps,
        )
        return [query]

    def resume(self, n_rows: int) -> None:
        """Go on as the party whose earlier run sent so many rows, and wait for the answer."""
        self._n_rows = n_rows

    def receive(self, message: Message) -> list[Message]:
        """Take the analyst's answer; say nothing in turn."""
        self._check_study(message)
        if isinstance(message, Failure):
            raise MessageError(f"{message.sender} refused: {message.reason}")
        if not isinstance(message, Answer):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        if len(message.labels) != self._n_rows:
            raise MessageError(
                f"{self.name} sent {self._n_rows} rows and received {len(message.labels)} "
                f"labels; the answer belongs to another contribution."
            )
        self.answer = message
        return []

    @property
    def told(self) -> npt.NDArray[Any]:
        """What it was told about the rows it sent last."""
        assert self.answer is not None, "deliver() ends only when every party was answered"
        return self.answer.labels

    def _check_study(self, message: Message) -> None:
        if message.study != self._study:
            raise MessageError(
                f"{self.name} received an answer to study {message.study[:12]!r}, but takes "
                f"part in {self._study[:12]!r}."
            )

"""A party that tells how many rows of each class it has, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.collaboration.learning.targets import count_classes, settle_counts
from consilience.exceptions import MessageError
from consilience.messages import Grouping, LabelCounts, Message
from consilience.privacy.budget import Budget
from consilience.privacy.noise import CountNoise
from consilience.privacy.release import Account, release

__all__ = ["CountingParty"]


class CountingParty:
    """Party of a study of groups: counts the classes of its rows (Eq. 6, [Sugawara2026]_).

    Parameters
    ----------
    name : str
        Its place in the grid, ``"row/column"``.
    classes : ndarray of shape (n_classes,)
        All classes of the study, sorted.
    noise : CountNoise, optional
        Noise on the counts; none by default, and no guarantee.
    budget : Budget or Accountant, optional
        Charged with the epsilon of the noise before it is drawn.
    study, analyst : str
        Digest of the agreed terms, and whom it sends to.

    Attributes
    ----------
    answer : Grouping or None
        Who is grouped with whom.

    Notes
    -----
    *Sends* the number of its rows of each class. *Keeps* its rows and their classes. *Learns* which
    institutions have label mixes alike.

    Examples
    --------
    >>> party = CountingParty("a/all", np.array(["no", "yes"]))
    >>> sent, = party.begin(np.array(["yes", "no", "yes"], dtype=object))
    >>> sent.counts
    array([1, 2])
    """

    def __init__(
        self,
        name: str,
        classes: npt.NDArray[Any],
        *,
        noise: CountNoise | None = None,
        budget: Account | None = None,
        study: str = "",
        analyst: str = "analyst",
    ) -> None:
        self.name = name
        self._classes, self._noise = classes, noise
        self.budget: Account = budget or Budget()
        self._study, self._analyst = study, analyst
        self.answer: Grouping | None = None

    def begin(self, y: npt.NDArray[Any] | pd.Categorical) -> list[Message]:
        """Send how many rows there are of each class; a missing class is not counted.

        Parameters
        ----------
        y : ndarray of shape (n_rows,), or Categorical
        """
        counts = count_classes(y, self._classes, self.name)

        def build(noisy: npt.NDArray[np.int64]) -> list[Message]:
            return [
                LabelCounts(
                    study=self._study,
                    sender=self.name,
                    recipient=self._analyst,
                    counts=settle_counts(noisy),
                )
            ]

        return release(counts, self._noise, self.budget, build, "label counts")

    def receive(self, message: Message) -> list[Message]:
        """Take the groups; say nothing in turn."""
        if message.study != self._study:
            raise MessageError(
                f"{self.name} received an answer to study {message.study[:12]!r}, but takes "
                f"part in {self._study[:12]!r}."
            )
        if not isinstance(message, Grouping):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        self.answer = message
        return []

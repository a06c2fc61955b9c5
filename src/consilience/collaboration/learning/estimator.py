"""What the estimators that learn share: the roles they drive, and what they are told."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from consilience.collaboration.grid_estimator import Columns, GridEstimator
from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.model import Task
from consilience.collaboration.learning.party import LearningParty
from consilience.holdings import Holdings

__all__ = ["LearningEstimator"]


class LearningEstimator(GridEstimator[LearningParty, LearningAnalyst]):
    """Drives learning roles; an estimator says what they learn, and who gets a readable model.

    Attributes
    ----------
    model_ : estimator
        The analyst's fitted model, on the collaboration representation.
    """

    task: ClassVar[Task] = "classification"
    answer: str = "labels"
    prior: str = "pooled"
    anchor_scope: str = ""
    """Nothing means that nobody asks for a readable model."""
    surrogate: Any = None
    estimator: Any
    model_: Any

    def _make_analyst(self, grid: Holdings, **settings: Any) -> LearningAnalyst:
        return LearningAnalyst(grid.row_names, grid.column_names, **self._learning(), **settings)

    def _learning(self) -> dict[str, Any]:
        """Return what an analyst is told to learn."""
        return {
            "estimator": self.estimator,
            "task": self.task,
            "answer": self.answer,
            "anchor": bool(self.anchor_scope),
            "prior": self.prior,
        }

    def _make_party(
        self, name: str, columns: Columns, group: int, *, seed: int, **settings: Any
    ) -> LearningParty:
        n_features, everywhere = self.anchor_.shape[1], self.anchor_scope == "all"
        names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(n_features)])
        return LearningParty(
            name,
            classes=getattr(self, "classes_", None),
            send_labels=group == 0,
            readable=self.surrogate,
            readable_anchor=self.anchor_ if everywhere else None,
            feature_names=names if everywhere else [names[k] for k in columns[group]],
            seed=seed,
            **settings,
        )

    def _learn(self, X: npt.NDArray[np.float64], y: npt.NDArray[Any], parties: Any) -> None:
        """Let the institutions contribute, and the analyst learn."""
        self._federate(X, parties)
        self._federation.contribute(X, y)
        self.model_ = self._federation.analyst.model.estimator

"""What the estimators that learn share: the roles they drive, and how rows are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state, check_scalar

from consilience.collaboration.federation import (
    Federation,
    choose_seed,
    components_per_group,
    draw_grid_anchor,
)
from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.model import Task
from consilience.collaboration.learning.party import LearningParty
from consilience.holdings import Holdings, column_groups, row_groups

__all__ = ["Learner"]

Array = npt.NDArray[np.float64]
LearningFederation = Federation[LearningParty, LearningAnalyst]


class Learner:
    """Builds a federation of learning roles from the parameters of an estimator."""

    estimator: Any
    columns: Sequence[Any] | None
    reducer: Any
    n_components: int | Sequence[int] | None
    scaling: str
    bounds: tuple[Any, Any] | None
    rotate: bool
    anchor: Any
    n_anchor: int | None
    target: str
    affine: bool
    random_state: Any
    n_features_in_: int
    anchor_: Array

    def _make_federation(
        self,
        X: Array,
        parties: Any,
        *,
        task: Task,
        classes: npt.NDArray[Any] | None,
        answer: str = "labels",
        readable: Any = None,
        scope: str | None = None,
    ) -> LearningFederation:
        """Make the roles; ``scope`` None means that nobody asks for a readable model."""
        if self.n_anchor is not None:
            check_scalar(self.n_anchor, "n_anchor", Integral, min_val=1)
        names = getattr(self, "feature_names_in_", None)
        columns = column_groups(self.columns, X.shape[1], names)
        grid = Holdings(*row_groups(parties, len(X)), columns)
        random_state = check_random_state(self.random_state)
        anchor, bounds = draw_grid_anchor(
            X, grid, self.anchor, self.n_anchor, random_state, self.bounds
        )
        self.anchor_ = anchor
        seed = choose_seed(self.random_state)
        analyst = self._make_analyst(
            grid,
            estimator=self.estimator,
            task=task,
            answer=answer,
            anchor=scope is not None,
            target=self.target,
            affine=self.affine,
            seed=seed,
        )
        features = [f"x{k}" for k in range(X.shape[1])] if names is None else list(names)
        n_components = components_per_group(self.n_components, len(columns))
        rngs = np.random.default_rng(random_state.randint(2**31)).spawn(
            len(grid.rows) * len(columns)
        )
        roles = {
            name: self._make_party(
                name,
                anchor[:, columns[j]],
                classes=classes,
                send_labels=j == 0,
                readable=readable,
                readable_anchor=anchor if scope == "all" else None,
                feature_names=features if scope == "all" else [features[k] for k in columns[j]],
                seed=seed,
                reducer=self.reducer,
                n_components=n_components[j],
                scaling=self.scaling,
                bounds=(bounds[0][columns[j]], bounds[1][columns[j]]),
                rotate=self.rotate,
                rng=rng,
            )
            for (name, _, j), rng in zip(grid.cells(), rngs, strict=True)
        }
        return Federation(grid, roles, analyst)

    def _make_party(self, *place: Any, **settings: Any) -> LearningParty:
        return LearningParty(*place, **settings)

    def _make_analyst(self, grid: Holdings, **settings: Any) -> LearningAnalyst:
        return LearningAnalyst(grid.row_names, grid.column_names, **settings)


def read_prediction(party: LearningParty) -> Array:
    """Return what a party was told about the rows it sent last."""
    assert party.prediction is not None, "deliver() ends only when every party was answered"
    return party.prediction

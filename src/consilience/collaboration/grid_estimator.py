"""What the estimators of a data collaboration share: they drive the real roles of a grid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Generic, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.collaboration.federation import (
    AnalystType,
    Federation,
    PartyType,
    choose_seed,
    components_per_group,
    draw_grid_anchor,
    public_ranges,
)
from consilience.collaboration.rounding import DEFAULT_ROUNDING, Rounding
from consilience.holdings import Holdings, column_groups, row_groups

__all__ = ["Columns", "GridEstimator"]

Array = npt.NDArray[np.float64]
Columns = Sequence[npt.NDArray[np.intp]]


@dataclass(eq=False, repr=False, kw_only=True)
class GridEstimator(BaseEstimator, ABC, Generic[PartyType, AnalystType]):  # type: ignore[misc]
    """Builds a federation from the parameters of an estimator, and asks it about rows.

    Attributes
    ----------
    anchor_ : ndarray of shape (n_anchor, n_features)
        The anchor that was drawn; the analyst does not see it.
    parties_ : list
        The institutions that hold rows.
    """

    columns: Sequence[Any] | None = None
    reducer: Any = "pca"
    n_components: int | Sequence[int] | None = None
    scaling: str = "none"
    bounds: tuple[Any, Any] | None = None
    spreads: Any = None
    rotate: bool = False
    rounding: Rounding | None = DEFAULT_ROUNDING
    anchor: Any = "gaussian"
    n_anchor: int | None = None
    target: str = "scaled"
    affine: bool = True
    min_singular_value: float | None = None
    random_state: Any = None

    anchor_: Array = field(init=False)
    parties_: list[Any] = field(init=False)
    _federation: Federation[PartyType, AnalystType] = field(init=False)

    @abstractmethod
    def fit(self, X: Any, y: Any, parties: Any = None) -> Self:
        """Let the institutions contribute, and the analyst answer."""

    @abstractmethod
    def _make_analyst(self, grid: Holdings, **settings: Any) -> AnalystType:
        """Return the analyst of a grid; `settings` are those of the alignment, and a seed."""

    @abstractmethod
    def _make_party(
        self, name: str, columns: Columns, group: int, *, seed: int, **settings: Any
    ) -> PartyType:
        """Return the party of a place, which holds one group of the columns."""

    def _federate(self, X: Array, parties: Any) -> None:
        """Deal the table to a grid of parties, who agree on an anchor."""
        if self.n_anchor is not None:
            check_scalar(self.n_anchor, "n_anchor", Integral, min_val=1)
        if self.rounding is not None and self.rounding != "auto":
            check_scalar(
                self.rounding, "rounding", Real, min_val=0, max_val=1, include_boundaries="right"
            )
        names = getattr(self, "feature_names_in_", None)
        grid = Holdings(
            *row_groups(parties, len(X)), column_groups(self.columns, X.shape[1], names)
        )
        random_state = check_random_state(self.random_state)
        lower, upper = public_ranges(X, self.scaling, self.bounds, self.spreads)
        self.anchor_ = draw_grid_anchor(
            X, grid, self.anchor, self.n_anchor, random_state, (lower, upper)
        )
        seed = choose_seed(self.random_state)
        analyst = self._make_analyst(
            grid,
            target=self.target,
            affine=self.affine,
            min_singular_value=self.min_singular_value,
            seed=seed,
        )
        n_components = components_per_group(self.n_components, len(grid.columns))
        cells = list(grid.cells())
        rngs = np.random.default_rng(random_state.randint(2**31)).spawn(len(cells))
        anchors = [np.ascontiguousarray(self.anchor_[:, columns]) for columns in grid.columns]
        roles = {
            name: self._make_party(
                name,
                grid.columns,
                j,
                seed=seed,
                anchor=anchors[j],
                reducer=self.reducer,
                n_components=n_components[j],
                scaling=self.scaling,
                bounds=(lower[grid.columns[j]], upper[grid.columns[j]]),
                rotate=self.rotate,
                rounding=self.rounding,
                rng=rng,
            )
            for (name, _, j), rng in zip(cells, rngs, strict=True)
        }
        self._federation = Federation(grid, roles, analyst)
        self.parties_ = grid.names

    def _ask(self, X: Any, parties: Any) -> npt.NDArray[Any]:
        """Return what the institutions are told about rows, in the order of the table."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._federation.collect(self._federation.ask(X, parties))

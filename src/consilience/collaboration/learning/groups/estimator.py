"""The estimator of DC-CFL: the real roles, driven inside one process."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from consilience.collaboration.learning.classifier import GridClassifier
from consilience.collaboration.learning.clustered_analyst import ClusteredAnalyst
from consilience.collaboration.learning.grouping import nearest_group, total_variation
from consilience.collaboration.learning.groups.grouping_analyst import GroupingAnalyst
from consilience.collaboration.learning.groups.party import CountingParty
from consilience.collaboration.learning.network import fixed_epochs, paper_network
from consilience.collaboration.learning.targets import count_classes
from consilience.holdings import Holdings
from consilience.privacy.noise import CountNoise

__all__ = ["ClusteredCollaborationClassifier"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False, repr=False)
class ClusteredCollaborationClassifier(GridClassifier):
    """Learn one model per group of institutions with similar label mixes, in one round.

    DC-CFL [Sugawara2026]_: institutions are grouped by the total-variation distance of their label
    distributions, and data collaboration analysis is run within each group.

    Parameters
    ----------
    estimator : classifier or regressor, optional
        What the analyst fits for each group. None is the paper's network on standardised
        coordinates.
    threshold : float, "auto" or "gap", default "auto"
        t: no two institutions of a group are farther apart. ``"auto"`` tries 0 to 1 on rows held
        out by the analyst; ``"gap"`` cuts in the largest gap between merges, without any.
    labels : {"rows", "distribution"}, default "rows"
        What the groups are found by: the classes of the rows, which the analyst of all then sees;
        or a first round in which each institution sends how many rows of each class it has and
        nothing else. Rows and their classes then go to the analyst of the group alone, who learns
        its model; whoever is alone in its group shares nothing more. ``threshold`` must then be a
        number or ``"gap"``.
    epsilon : float, optional
        With ``labels="distribution"``: budget per record of the noise on the counts, finite and
        > 0; None sends them as they are. It needs the extra ``dp``, and says nothing of what the
        second round shows to the analyst of the group.
    answer, prior, columns, reducer, n_components, scaling, bounds, spreads, rotate, anchor, \
n_anchor, target, affine, min_singular_value, random_state
        As of :class:`~consilience.collaboration.learning.classifier.CollaborationClassifier`.

    Attributes
    ----------
    groups_ : dict
        Institution to the number of its group.
    counts_ : ndarray of shape (n_parties, n_classes)
        The label counts by which they were found, noise included.
    threshold_ : float
    thresholds_ : dict of float to float
        With ``"auto"``: the accuracy of each threshold tried on the rows held out.
    distances_ : ndarray of shape (n_parties, n_parties)
        Total-variation distances, in the order of ``parties_``.
    tree_ : ndarray of shape (n_parties - 1, 4)
        Merges of complete linkage, as scipy's dendrogram takes them.
    classes_ : ndarray of shape (n_classes,)
    parties_ : list
    anchor_ : ndarray of shape (n_anchor, n_features)
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> clinics = np.where(y == 0, "a", np.where(np.arange(150) % 2, "b", "c"))
    >>> model = ClusteredCollaborationClassifier(LogisticRegression(), threshold=0.3,
    ...                                          random_state=0)
    >>> model.fit(X, y, parties=clinics).groups_
    {'a': 0, 'b': 1, 'c': 1}
    """

    threshold: float | str = "auto"
    _: KW_ONLY
    labels: str = "rows"
    epsilon: float | None = None

    def fit(self, X: Any, y: Any, parties: Any = None) -> Self:
        """Group the institutions and learn a model for each group.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            The class of each row.
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        self._check_threshold()
        X, y = self._check_fit(X, y)
        self._federate(X, parties)
        grouped = self._group_by_counts(y) if self.labels == "distribution" else None
        with fixed_epochs() if self.estimator is None else nullcontext():
            self._federation.contribute(X, y)
        analyst = self._federation.analyst
        assert isinstance(analyst, ClusteredAnalyst)
        self.groups_ = {
            name: analyst.groups[row]
            for name, row in zip(self.parties_, self._federation.grid.row_names, strict=True)
        }
        found = analyst if grouped is None else grouped
        self.threshold_, self.thresholds_ = found.threshold, analyst.scores
        self.distances_ = total_variation(found.distributions)
        self.tree_, self.counts_ = found.tree, found.counts
        self._distributions = found.distributions
        return self

    def _group_by_counts(self, y: npt.NDArray[Any]) -> GroupingAnalyst:
        """Let the institutions send their label counts, and the analyst of each group know it."""
        grid = self._federation.grid
        noise = None if self.epsilon is None else CountNoise(self.epsilon)
        threshold: Any = self.threshold
        holder = grid.column_names[0]
        grouping = GroupingAnalyst(
            grid.row_names, holder=holder, n_classes=len(self.classes_), threshold=threshold
        )
        for name, i, j in grid.cells():
            if j == 0:
                party = CountingParty(name, self.classes_, noise=noise)
                for message in party.begin(y[grid.rows[i]]):
                    grouping.receive(message)
        analyst = self._federation.analyst
        assert isinstance(analyst, ClusteredAnalyst)
        analyst.groups = dict(grouping.groups)
        return grouping

    def group_of(self, y: Any) -> int:
        """Return the group a new institution belongs to, by the classes of its rows."""
        check_is_fitted(self)
        counts = count_classes(np.asarray(y), self.classes_, "the institution")
        groups = np.array([self.groups_[name] for name in self.parties_])
        return nearest_group(counts / counts.sum(), self._distributions, groups)

    def _make_analyst(self, grid: Holdings, **settings: Any) -> ClusteredAnalyst:
        learning = self._learning()
        if self.estimator is None:
            learning["estimator"] = make_pipeline(StandardScaler(), paper_network(settings["seed"]))
        learning |= {"threshold": self.threshold, **settings}
        return ClusteredAnalyst(grid.row_names, grid.column_names, **learning)

    def _check_threshold(self) -> None:
        t = self.threshold
        if self.labels not in ("rows", "distribution"):
            raise ValueError(f"labels == {self.labels!r}, must be 'rows' or 'distribution'.")
        if self.labels == "distribution" and t == "auto":
            raise ValueError(
                "threshold == 'auto' cannot be had with labels == 'distribution': it is judged on "
                "rows the analyst of all holds out, and there are none. Choose a number between 0 "
                "and 1, or 'gap'."
            )
        if self.labels == "rows" and self.epsilon is not None:
            raise ValueError(
                f"epsilon == {self.epsilon} is noise on label counts, but labels == 'rows' sends "
                f"the class of every row. Set labels='distribution', or leave epsilon out."
            )
        known = t in ("auto", "gap") if isinstance(t, str) else 0 <= t <= 1
        if not known:
            raise ValueError(
                f"threshold == {t!r}, must be a number between 0 and 1, 'auto' or 'gap'."
            )

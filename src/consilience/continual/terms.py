"""What the parties of a continual study agree on."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from consilience.holdings import Place
from consilience.study.method import Method, Terms, Told
from consilience.study.study import Study

__all__ = ["METHOD", "Stream", "StreamTerms"]


class StreamTerms(Terms):
    """Continual clustering of streams (FCAC), where a study has no end.

    Parameters
    ----------
    profile : {"improved", "reference", "paper"}
    epsilon : float or None
        Privacy budget per record and window. None sends nodes without noise, and most of them are
        then rows.
    noise : {"rows", "centers"} or None
        What the noise is on: on every row (None means the same), or on centres of many rows, which
        then stand in for them and keep far more at the same epsilon.
    delta : float or None
        Beside epsilon, with noise on centres; None is 1e-6.
    budget : float or None
        What all windows together may spend per record.
    answer : {"labels", "nodes"}
        Whether a party learns the clusters of its own nodes, or the analyst's nodes too.
    min_cluster_size : int
        Nodes a cluster must stand for not to be absorbed by the nearest larger one.
    max_nodes : int
        Nodes a party or the analyst never exceeds, which bounds the memory and the cost of a row;
        one that won nothing for 7 times as many rows is forgotten.
    """

    profile: Literal["improved", "reference", "paper"] = "improved"
    epsilon: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    noise: Literal["rows", "centers"] | None = None
    delta: float | None = Field(default=None, gt=0, lt=1)
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    answer: Literal["labels", "nodes"] = "labels"
    min_cluster_size: int = Field(default=1, ge=1)
    max_nodes: int = Field(default=4096, ge=10, le=4096)
    seed: int = Field(default=0, ge=0, lt=2**31)


class Stream(Method):
    """A continual study: parties send nodes window after window, and it has no end."""

    kind: ClassVar[str] = "stream"
    told: ClassVar[Told] = Told(
        "Which rows are alike, while they keep coming?",
        "Points that stand for your rows, window after window.",
        "The cluster of each row, always up to date.",
    )
    verb: ClassVar[str] = "stream"
    idle_column_terms: ClassVar[tuple[str, ...]] = ("spread", "weight")

    stream: StreamTerms = StreamTerms()

    def check(self, study: Study) -> None:
        """Refuse columns that are split: every party holds the same ones."""
        if len(study.grid.columns) > 1:
            raise ValueError(
                f"stream needs one column group, the grid has {sorted(study.grid.columns)}: the "
                f"parties of a continual study hold the same columns of different rows"
            )
        terms = self.stream
        if terms.epsilon is None and (terms.noise or terms.delta):
            raise ValueError("stream.noise and stream.delta say nothing without stream.epsilon")
        if terms.delta is not None and terms.noise != "centers":
            raise ValueError("stream.delta goes with stream.noise = 'centers' only")

    def keys_of(self, place: Place, study: Study) -> dict[str, tuple[str, str]]:
        """Return nothing: parties share neither rows nor an anchor."""
        return {}


METHOD = Stream

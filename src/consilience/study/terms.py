"""The tables of a study file: who takes part, how rows meet, what is computed and from what."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from consilience.study.reduction import check_budget

__all__ = ["Alignment", "Anchor", "Clustering", "Grid", "Ids", "Learning", "Stream", "Terms"]

CARRIED = ("ridge", "logistic", "forest", "network")
"""The estimators whose models can be sent to parties."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]


class Terms(BaseModel):
    """A table of the study: it knows its fields, refuses others, and does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Grid(Terms):
    """Who takes part: party ``row/column`` holds these columns of these rows.

    Parameters
    ----------
    rows, columns : tuple of str
        Row institutions and column groups; small letters, digits, ``-`` and ``_``.
    absent : tuple of str
        Places of the grid that nobody holds.
    missing_party : {"refuse", "go on"}
        Whether the analyst may solve without a party that was expected.
    """

    rows: tuple[Name, ...] = Field(min_length=1)
    columns: tuple[Name, ...] = Field(min_length=1)
    absent: tuple[str, ...] = ()
    missing_party: Literal["refuse", "go on"] = "refuse"

    @property
    def parties(self) -> list[str]:
        """All parties that take part."""
        names = [f"{row}/{column}" for row in self.rows for column in self.columns]
        return [name for name in names if name not in self.absent]

    @model_validator(mode="after")
    def _consistent(self) -> Grid:
        for field in ("rows", "columns"):
            names = getattr(self, field)
            if len(set(names)) < len(names):
                raise ValueError(f"{field} == {list(names)}, must not repeat")
        places = {f"{row}/{column}" for row in self.rows for column in self.columns}
        unknown = sorted(set(self.absent) - places)
        if unknown:
            raise ValueError(f"absent names {unknown}, which are no places of the grid")
        if not self.parties:
            raise ValueError("absent names every place of the grid")
        return self


class Ids(Terms):
    """How rows of different parties meet.

    Parameters
    ----------
    strip, fold_case : bool
        Whether ids that differ only in spaces or in case are the same.
    duplicates : {"refuse", "first"}
        What a party does with rows that repeat an id.
    empty : {"refuse", "drop"}
        What a party does with rows without id.
    unmatched : {"drop", "keep", "refuse"}
        What the analyst does with rows that some column group did not send. ``keep`` fills the
        missing coordinates from the rows that are complete.
    """

    strip: bool = True
    fold_case: bool = True
    duplicates: Literal["refuse", "first"] = "refuse"
    empty: Literal["refuse", "drop"] = "refuse"
    unmatched: Literal["drop", "keep", "refuse"] = "drop"


class Clustering(Terms):
    """The clustering the analyst runs."""

    n_clusters: Annotated[int, Field(ge=1, lt=2**31)] | Literal["auto"] = "auto"
    method: Literal["kmeans", "spectral"] = "kmeans"
    n_neighbors: int = Field(default=10, ge=1, lt=2**31)
    seed: int = Field(default=0, ge=0, lt=2**31)


class Learning(Terms):
    """What is learnt, in a study that is about classes and not about clusters.

    Parameters
    ----------
    holder : str
        The column group whose parties hold the classes of their rows. With this term they *send*
        them: the analyst learns the class of every row that has one.
    target : str
        The column of their tables that holds the class; it is no feature. Empty cells are rows
        to be predicted.
    classes : tuple of str
        All classes there are, which is public knowledge.
    estimator : {"ridge", "logistic", "forest", "network", "xgboost"}
        What the analyst fits.
    threshold : float, "auto", "gap" or nothing
        One model per group of row institutions whose label mixes differ by no more than this
        [Sugawara2026]_; nothing means one model for all.
    labels : {"rows", "distribution"}, optional
        What leaves of the classes: that of every row, as if nothing is said; or only how many rows
        of each class an institution has. The study then ends with groups, and a group whose members
        want to learn together agrees on a study of its own, with the terms below.
    epsilon : float, optional
        With ``labels = "distribution"``: privacy budget per record of the noise on the counts.
    budget : float, optional
        What all contributions of a party together may spend per record.
    answer : {"labels", "scores", "model"}
        Whether parties learn the predicted class alone, the model's scores, or the predicted class
        and the model itself, with which they can predict new rows at home.
    explain : {"no", "column", "all"}
        Whether parties also get predictions for the anchor and fit a readable model to them: in
        the features of their own column group, or in all features, for which every party must
        hold the keys of all column groups and can then, with the analyst, attack them all.
    seed : int
    """

    holder: Name
    target: str = Field(min_length=1)
    classes: tuple[str, ...] = Field(min_length=2)
    estimator: Literal["ridge", "logistic", "forest", "network", "xgboost"] = "ridge"
    threshold: Annotated[float, Field(ge=0, le=1)] | Literal["auto", "gap"] | None = None
    labels: Literal["rows", "distribution"] | None = None
    epsilon: float | None = Field(default=None, gt=0, strict=True)
    budget: float | None = Field(default=None, gt=0, strict=True)
    answer: Literal["labels", "scores", "model"] = "labels"
    explain: Literal["no", "column", "all"] = "no"
    seed: int = Field(default=0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def _distinct(self) -> Learning:
        if len(set(self.classes)) < len(self.classes):
            raise ValueError(f"classes == {list(self.classes)}, must not repeat")
        if self.answer == "model" and self.estimator not in CARRIED:
            raise ValueError(
                f"estimator == {self.estimator!r} cannot be had with answer = 'model': its model "
                f"cannot be carried as plain numbers. Those that can: {', '.join(CARRIED)}"
            )
        return self

    @property
    def counts_alone(self) -> bool:
        """Whether nothing leaves but how many rows of each class there are."""
        return self.labels == "distribution"

    @model_validator(mode="after")
    def _groupable(self) -> Learning:
        if self.counts_alone and self.threshold in (None, "auto"):
            given = "no threshold" if self.threshold is None else "threshold == 'auto'"
            raise ValueError(
                f"labels == 'distribution' with {given}: institutions are grouped by their "
                f"counts, and no row is held out to judge a threshold by. Set threshold to a "
                f"number between 0 and 1, or to 'gap'"
            )
        if self.epsilon is not None and not self.counts_alone:
            raise ValueError(
                f"epsilon == {self.epsilon:g} is for labels = 'distribution': it is noise on the "
                f"counts, and this study sends the class of every row. Set reduction.epsilon for "
                f"noise on the rows"
            )
        check_budget(self.epsilon, self.budget)
        return self


class Stream(Terms):
    """Continual clustering of streams (FCAC), where a study has no end.

    Parameters
    ----------
    profile : {"improved", "reference", "paper"}
    epsilon : float or None
        Privacy budget per record and window. None sends nodes without noise, and most of them are
        then rows.
    budget : float or None
        What all windows together may spend per record.
    answer : {"labels", "nodes"}
        Whether a party learns the clusters of its own nodes, or the analyst's nodes too.
    min_cluster_size : int
        Nodes a cluster must stand for not to be absorbed by the nearest larger one.
    max_nodes : int
        Nodes a party or the analyst never exceeds, which bounds the memory and the cost of a row.
    """

    profile: Literal["improved", "reference", "paper"] = "improved"
    epsilon: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    answer: Literal["labels", "nodes"] = "labels"
    min_cluster_size: int = Field(default=1, ge=1)
    max_nodes: int = Field(default=4096, ge=10, le=4096)
    seed: int = Field(default=0, ge=0, lt=2**31)


class Anchor(Terms):
    """The anchor, drawn from the column keys; ``smote`` from public rows and a key of all parties.

    Parameters
    ----------
    kind : {"gaussian", "uniform", "rotated", "smote"}
        A low-rank anchor cannot be agreed on: it shows all parties something made from private
        rows, in a round of its own.
    n_rows : int, optional
    public, public_sha256 : str, optional
        For ``smote``: the CSV file of public rows, beside the study file, and its SHA-256. It has
        the columns of all column groups. Every party then knows the anchor of all columns.
    n_neighbors : int, optional
        For ``smote``: k, between 1 and the number of public rows less one.
    alpha : float, optional
        For ``smote``: how far beyond a neighbour points may lie; 1.5 if nothing is said.
    """

    kind: Literal["gaussian", "uniform", "rotated", "smote"] = "gaussian"
    n_rows: int | None = Field(default=None, ge=2, le=10**7)
    public: Annotated[str, Field(pattern=r"^[\w.-]+$")] | None = None
    public_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    n_neighbors: int | None = Field(default=None, ge=1)
    alpha: float | None = Field(default=None, gt=0)

    @field_validator("kind", mode="before")
    @classmethod
    def _agreeable(cls, kind: object) -> object:
        if kind == "lowrank":
            raise ValueError(
                "kind == 'lowrank', must be 'gaussian', 'uniform', 'rotated' or 'smote': a "
                "low-rank anchor is made from private rows, which no key determines"
            )
        return kind

    @model_validator(mode="after")
    def _public(self) -> Anchor:
        named = self.public is not None and self.public_sha256 is not None
        if self.kind == "smote" and not named:
            raise ValueError("kind == 'smote' needs public and public_sha256: the public rows")
        if self.kind != "smote" and (self.public or self.public_sha256):
            raise ValueError(f"public rows are for kind = 'smote', not for {self.kind!r}")
        return self


class Alignment(Terms):
    """The maps g_i."""

    target: Literal["scaled", "orthonormal"] = "scaled"
    affine: bool = True

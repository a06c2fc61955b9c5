"""What the parties of a data collaboration agree on: reduction, anchor, alignment, clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator, model_validator

from consilience.holdings import Place
from consilience.study.method import Method, NoiseTerms, Terms, Told
from consilience.study.study import Study

__all__ = [
    "MAX_CLUSTERS",
    "METHOD",
    "AlignmentTerms",
    "AnchorTerms",
    "ClusteringTerms",
    "Clusters",
    "Reduced",
    "ReductionTerms",
]

Array = npt.NDArray[np.float64]
MAX_CLUSTERS = 15
"""How many clusters are tried where the rows decide."""
Clusterer = Literal["kmeans", "spectral", "landmarks", "hierarchical", "mixture"]
Span = Annotated[str, Field(pattern=r"^[1-9]\d{0,2}-[1-9]\d{0,2}$")]


class ReductionTerms(NoiseTerms):
    """The private reduction of each party, and the noise on the rows before it is fitted.

    Parameters
    ----------
    reducer : {"pca", "svd", "random", "lpp", "nmf"}
    n_components : dict of str to int, "half" or "all but one"
        Per column group, how many dimensions leave. ``half`` is half of its columns as they stand
        when the study is read, a categorical one counted once: with a dimension for every other
        category rows of categories are decoded at any rounding. Where nothing is said, half of the
        encoded columns.
    scaling : {"none", "bounds", "local", "spread"}
        The units of the columns: those of the tables; the public bounds brought to [0, 1]; each
        party's own standard deviation; or the public spreads of the schema, where a categorical
        column counts as much as a number. With the last, the anchor too is drawn where columns
        usually lie.
    rotate : bool
    rounding : float or "auto", optional
        Share of their spread to which coordinates are rounded before they leave, above 0 and at
        most 1; or the finest one at which what a party sends of a row holds less than the row, see
        :mod:`~consilience.collaboration.rounding`. Nothing sends them in double precision, as
        every study did that is older than the term.
    """

    reducer: Literal["pca", "svd", "random", "lpp", "nmf"] = "pca"
    n_components: dict[str, Annotated[int, Field(ge=1)] | Literal["half", "all but one"]] = Field(
        default_factory=dict
    )
    scaling: Literal["none", "bounds", "local", "spread"] = "bounds"
    rotate: bool = True
    rounding: Annotated[float, Field(gt=0, le=1)] | Literal["auto"] | None = None


class AnchorTerms(Terms):
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
    def _public(self) -> AnchorTerms:
        named = self.public is not None and self.public_sha256 is not None
        if self.kind == "smote" and not named:
            raise ValueError("kind == 'smote' needs public and public_sha256: the public rows")
        if self.kind != "smote" and (self.public or self.public_sha256):
            raise ValueError(f"public rows are for kind = 'smote', not for {self.kind!r}")
        return self


class AlignmentTerms(Terms):
    """The maps g_i.

    Parameters
    ----------
    target : {"population", "scaled", "orthonormal"}
        Whether what an institution dropped is expected from the rows of all, or is put at the
        middle of the anchor, as in the paper: keeping the geometry of the data, or whitening it.
    affine : bool
        Whether a map may have an offset.
    min_singular_value : float, optional
        The shared space has the dimensions of singular values at least as large; by default it has
        as many as the widest institution sends.
    """

    target: Literal["population", "scaled", "orthonormal"] = "scaled"
    affine: bool = True
    min_singular_value: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _has_mean(self) -> AlignmentTerms:
        if self.target == "population" and not self.affine:
            raise ValueError("target == 'population' needs affine = true: a population has a mean")
        if self.target == "population" and self.min_singular_value is not None:
            raise ValueError("min_singular_value is not for target 'population', which keeps all")
        return self


class ClusteringTerms(Terms):
    """The clustering the analyst runs, and what of it the analyst may choose.

    Parameters
    ----------
    n_clusters : int, "auto" or str
        A number; ``auto`` for that which the data suggest; or a span such as ``"2-10"``, in which
        the analyst may choose, and if it does not the data.
    method : {"kmeans", "spectral", "landmarks", "hierarchical", "mixture"} or tuple of them
        Of several the analyst may choose; the first one if it does not. ``landmarks`` is spectral
        clustering of a thousand landmarks, for many rows; up to 10,000 it is ``spectral``.
    n_neighbors : int
        For spectral clustering, of rows or of landmarks.
    seed : int
    trim : float, optional
        For k-means: the share of rows that may lie apart and move no centre.

    Examples
    --------
    >>> terms = ClusteringTerms(n_clusters="2-4", method=("kmeans", "spectral"))
    >>> terms.numbers, terms.methods, terms.choose(3, None)
    ([2, 3, 4], ('kmeans', 'spectral'), (3, 'kmeans'))
    """

    n_clusters: Annotated[int, Field(ge=1, lt=2**31)] | Literal["auto"] | Span = "auto"
    method: Clusterer | Annotated[tuple[Clusterer, ...], Field(min_length=1)] = "kmeans"
    n_neighbors: int = Field(default=10, ge=1, lt=2**31)
    seed: int = Field(default=0, ge=0, lt=2**31)
    trim: float | None = Field(default=None, gt=0, lt=0.5)

    @model_validator(mode="after")
    def _trims(self) -> ClusteringTerms:
        if self.trim is not None and self.method != "kmeans":
            raise ValueError(f"trim is for method = 'kmeans', not for {self.method!r}")
        return self

    @model_validator(mode="after")
    def _in_order(self) -> ClusteringTerms:
        if self.span is not None and self.span[0] > self.span[1]:
            raise ValueError(
                f"n_clusters == {self.n_clusters!r}, must name the smaller number first"
            )
        if len(set(self.methods)) < len(self.methods):
            raise ValueError(f"method == {list(self.methods)}, must not repeat")
        return self

    @property
    def span(self) -> tuple[int, int] | None:
        """The numbers between which the analyst may choose, or None."""
        if not isinstance(self.n_clusters, str) or self.n_clusters == "auto":
            return None
        low, _, high = self.n_clusters.partition("-")
        return int(low), int(high)

    @property
    def numbers(self) -> list[int]:
        """Every number of clusters that may come out."""
        if isinstance(self.n_clusters, int):
            return [self.n_clusters]
        low, high = self.span or (1, MAX_CLUSTERS)
        return list(range(low, high + 1))

    @property
    def methods(self) -> tuple[str, ...]:
        """Every method that may be used, the usual one first."""
        return (self.method,) if isinstance(self.method, str) else self.method

    def choose(
        self, n_clusters: int | None = None, method: str | None = None
    ) -> tuple[int | str | tuple[int, int], str]:
        """Return number and method of clusters: as the analyst says, or as the study has them.

        Raises
        ------
        ValueError
            If the study does not leave it to the analyst.
        """
        stated = self.span or self.n_clusters
        if n_clusters is not None and (self.n_clusters == "auto" or n_clusters not in self.numbers):
            raise ValueError(
                f"--clusters is {n_clusters}, and the parties agreed on "
                f"clustering.n_clusters = {self.n_clusters!r}. A span such as '2-10' leaves the "
                f"choice to the analyst; it makes another study"
            )
        if method is not None and method not in self.methods:
            raise ValueError(
                f"--method is {method!r}, and the parties agreed on "
                f"clustering.method = {self.method!r}"
            )
        return stated if n_clusters is None else n_clusters, method or self.methods[0]


class Reduced(Method):
    """The terms of every study whose parties send reduced rows.

    Parameters
    ----------
    reduction : ReductionTerms
    anchor : AnchorTerms
    alignment : AlignmentTerms
    max_exact_rows : float, optional
        Share of a party's rows that a coalition may rebuild exactly in its audit, or nothing
        leaves; none by default.
    """

    reduction: ReductionTerms = ReductionTerms()
    anchor: AnchorTerms = AnchorTerms()
    alignment: AlignmentTerms = AlignmentTerms()
    max_exact_rows: Annotated[float, Field(ge=0, le=1)] | None = None

    @property
    def sending(self) -> tuple[str, ...]:
        """Alignment, clustering and answer are the analyst's."""
        return ("reduction", "anchor")

    @property
    def anchor_is_everywhere(self) -> bool:
        """Whether every party holds the anchor of all column groups."""
        return self.anchor.kind == "smote"

    @property
    def shares_coordinates(self) -> bool:
        """Whether parties learn the shared coordinates of rows."""
        return False

    def n_components(self, study: Study, column: str) -> int:
        """Return the dimensions a party of a column keeps: as stated, or half of what it has."""
        stated = self.reduction.n_components.get(column)
        if isinstance(stated, int):
            return stated
        if stated == "half":
            return (len(study.schemas[column]) + 1) // 2
        width = study.width_of(column)
        return (width + 1) // 2 if stated is None else max(1, width - 1)

    def ranges(self, study: Study, column: str) -> tuple[Array, Array]:
        """Return the range by which encoded columns are scaled and in which the anchor is drawn."""
        schema = study.schema_of(column)
        return schema.ranges if self.reduction.scaling == "spread" else schema.bounds

    def check(self, study: Study) -> None:
        """Refuse a reduction that reduces nothing, and an anchor that cannot align."""
        columns = study.grid.columns
        if self.reduction.scaling != "spread":
            _check_unweighted(study, self.reduction.scaling)
        for column in columns:
            width, kept = study.width_of(column), self.n_components(study, column)
            if kept >= width:
                raise ValueError(
                    f"reduction.n_components.{column} == {kept}, must be < {width}, the number of "
                    f"encoded columns: a party that keeps all of them sends its rows as they are, "
                    f"only turned. Lower it, or give the group more columns"
                )
        strangers = set(self.reduction.n_components) - set(columns)
        if strangers:
            raise ValueError(f"reduction.n_components names {sorted(strangers)}: no such columns")
        if self.reduction.epsilon is not None:
            _check_noise(study)
        if self.anchor.n_rows is not None and self.anchor.n_rows <= study.n_features:
            raise ValueError(
                f"anchor.n_rows == {self.anchor.n_rows}, must be > {study.n_features}, the number "
                f"of encoded columns of all parties of a row"
            )

    def keys_of(self, place: Place, study: Study) -> dict[str, tuple[str, str]]:
        """Return row and column key; where the anchor is of public rows, one of all parties too."""
        keys = super().keys_of(place, study) | {"column": ("column", place.column)}
        if self.anchor.kind == "smote":
            keys["common"] = ("common", "")
        return keys


class Clusters(Reduced):
    """A study of clusters: parties send reduced rows, an analyst finds the clusters."""

    kind: ClassVar[str] = "clusters"
    told: ClassVar[Told] = Told(
        "Which rows are alike, over all institutions?",
        "Coordinates of each row in fewer dimensions than it has columns.",
        "The cluster of each of your rows.",
    )
    draft_options: ClassVar[Mapping[str, Any]] = {"clusters": "1-10", "paper": False}

    clustering: ClusteringTerms = ClusteringTerms()
    answer: Literal["labels", "representation", "model", "memberships", "tree"] = "labels"

    @property
    def shares_coordinates(self) -> bool:
        """Whether parties learn the shared coordinates of rows."""
        return self.answer in ("representation", "model")

    def check(self, study: Study) -> None:
        """Refuse what no data collaboration can do, and an anchor that is for classes."""
        super().check(study)
        if self.answer == "model" and len(self.clustering.methods) > 1:
            raise ValueError(
                "clustering.method names several, and with answer = 'model' parties label new rows "
                "as one of them does. Agree on one"
            )
        needed = {"memberships": ("mixture",), "tree": ("hierarchical",)}.get(self.answer)
        if needed not in (None, self.clustering.methods):
            raise ValueError(
                f"answer == {self.answer!r} goes with clustering.method = {needed[0]!r} alone, and "
                f"the method is {self.clustering.method!r}. Agree on it, or on answer = 'labels'"
            )
        if self.anchor.kind == "smote":
            raise ValueError(
                "anchor.kind == 'smote' is for a study that learns: it does not help clusterings, "
                "and shows every party the anchor of all columns"
            )

    def check_carried(self, method: Method) -> None:
        """Refuse noise on rows in a study that sends none, and an answer that is no class."""
        if "learning" in type(method).model_fields and self.answer != "labels":
            raise ValueError(
                f"answer == {self.answer!r} is about clusters, and this study learns. Set "
                f"learning.answer instead"
            )
        if self.reduction.epsilon is not None and not isinstance(method, Reduced):
            raise ValueError(
                f"reduction.epsilon is for studies whose parties send reduced rows, and in a study "
                f"of {method.kind} they send none. Leave it out, or set the epsilon of its own "
                f"table"
            )


METHOD = Clusters


def _check_unweighted(study: Study, scaling: str) -> None:
    for group, columns in study.schemas.items():
        weighted = [name for name, column in columns.items() if column.weight is not None]
        if weighted:
            raise ValueError(
                f"schema.{group}.{weighted[0]} has a weight, which says nothing with "
                f"reduction.scaling = {scaling!r}. Leave it out, or scale by 'spread'"
            )


def _check_noise(study: Study) -> None:
    for column in study.grid.columns:
        schema = study.schema_of(column)
        lower, upper = schema.bounds
        for name, low, high in zip(schema.feature_names, lower, upper, strict=True):
            if not low < high:
                raise ValueError(
                    f"reduction.epsilon needs bounds between which a column can vary, and "
                    f"{name!r} of {column!r} has {low:g} and {high:g}. Leave the column out"
                )

"""What the analyst may choose between: every number of clusters and method the study allows.

Rows are aligned once; then each choice is tried on a sample of them. Silhouettes say how well set
apart its clusters are. Stability is how far two halves of the rows agree on the rows they share:
clusters that a half of the rows does not find again are an accident of the others [BenHur2002]_.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score, silhouette_samples

from consilience.collaboration.clustering import cluster
from consilience.collaboration.partition import Partition
from consilience.engines.engine import Rows
from consilience.kmeans import sample_rows
from consilience.report.page import Cell, Table

__all__ = ["Tried", "exploration_table", "explore", "standard_error", "with_error"]

Array = npt.NDArray[np.float64]

SAMPLE_ROWS = 2_000
SHARE = 0.7
"""Of the rows in each of the two resamples that are compared."""
N_PAIRS = 4


@dataclass(frozen=True)
class Tried:
    """One choice.

    Parameters
    ----------
    method : str
    n_clusters : int
    sizes : tuple of int
        Of its clusters on the rows that were tried, the largest first.
    silhouette, stability : float or None
        None for one cluster.
    silhouette_error, stability_error : float or None
        Standard errors of these means: what a sample leaves open about all rows, 0 if all were
        tried; what four pairs of resamples leave open.
    agreement : dict of str to float
        With the other methods for the same number: the adjusted Rand index.
    """

    method: str
    n_clusters: int
    sizes: tuple[int, ...]
    silhouette: float | None = None
    stability: float | None = None
    silhouette_error: float | None = None
    stability_error: float | None = None
    agreement: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**vars(self), "sizes": list(self.sizes), "agreement": dict(self.agreement)}


def explore(
    X: Array | Rows,
    numbers: Sequence[int],
    methods: Sequence[str],
    *,
    n_neighbors: int = 10,
    trim: float | None = None,
    seed: int,
) -> list[Tried]:
    """Try every number of clusters with every method.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions), or Rows
        Rows of the collaboration representation; at most 2,000 of them are used.
    numbers : sequence of int
        Those larger than the number of rows tried are left out.
    methods : sequence of {"kmeans", "spectral", "landmarks", "hierarchical", "mixture"}
    n_neighbors, trim
        Of :func:`~consilience.collaboration.clustering.cluster`.
    seed : int

    Examples
    --------
    >>> X = np.repeat([[0.0], [5.0], [9.0]], 20, axis=0) + np.linspace(0, 1, 60)[:, None]
    >>> found = explore(X, [2, 3, 4], ["kmeans"], seed=0)
    >>> max(found, key=lambda tried: tried.silhouette).n_clusters
    3
    """
    rng = np.random.default_rng(seed)
    rows = sample_rows(X, SAMPLE_ROWS, rng)
    pairs = [[_half(len(rows), rng) for _ in range(2)] for _ in range(N_PAIRS)]
    settings: dict[str, Any] = {"n_neighbors": n_neighbors, "trim": trim, "seed": seed}
    # The smallest resample must hold as many rows as clusters are asked of it.
    tried = [k for k in numbers if k <= int(SHARE * len(rows))]
    found = []
    for k in tried:
        whole = {method: cluster(rows.copy(), method, k, **settings) for method in methods}
        for method, partition in whole.items():
            agreement = {
                other: float(adjusted_rand_score(partition.labels, that.labels))
                for other, that in whole.items()
                if other != method
            }
            stable = () if k == 1 else _stability(rows, pairs, method, k, settings)
            sizes = tuple(np.bincount(partition.labels, minlength=1).tolist())
            silhouettes = _silhouettes(rows, partition)
            found.append(
                Tried(
                    method,
                    k,
                    sizes,
                    silhouette=float(np.mean(silhouettes)) if len(silhouettes) else None,
                    stability=float(np.mean(stable)) if stable else None,
                    silhouette_error=standard_error(silhouettes, len(X)),
                    stability_error=standard_error(stable),
                    agreement=agreement,
                )
            )
    return found


def _half(n_rows: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    return np.sort(rng.permutation(n_rows)[: int(SHARE * n_rows)])


def _stability(
    X: Array,
    pairs: Sequence[Sequence[npt.NDArray[np.intp]]],
    method: str,
    k: int,
    settings: Mapping[str, Any],
) -> list[float]:
    """Return the agreement of the two resamples of each pair on the rows they share."""
    scores = []
    for one, two in pairs:
        labels = [cluster(X[half], method, k, **settings).labels for half in (one, two)]
        _, in_one, in_two = np.intersect1d(one, two, return_indices=True)
        scores.append(float(adjusted_rand_score(labels[0][in_one], labels[1][in_two])))
    return scores


def _silhouettes(X: Array, partition: Partition) -> Array:
    if not 2 <= partition.n_clusters < len(X):
        return np.empty(0)
    return np.asarray(silhouette_samples(X, partition.labels))


def standard_error(values: Sequence[float] | Array, n_all: float = np.inf) -> float | None:
    """Return the standard error of the mean of some values of ``n_all``; None of fewer than two.

    Examples
    --------
    >>> standard_error([0.0, 1.0, 0.0, 1.0], n_all=4)
    0.0
    >>> round(standard_error([0.0, 1.0, 0.0, 1.0]), 3)
    0.289
    """
    if len(values) < 2:
        return None
    unseen = 1 - len(values) / n_all
    return float(np.std(values, ddof=1) * np.sqrt(unseen / len(values)))


def with_error(value: float | None, error: float | None) -> str | None:
    """Return a figure and its standard error in words; the figure alone where it has none.

    Examples
    --------
    >>> with_error(0.412, 0.018), with_error(0.412, 0.0)
    ('0.41 ± 0.02', '0.41')
    """
    if value is None:
        return None
    return f"{value:.2f} ± {error:.2f}" if error else f"{value:.2f}"


def exploration_table(found: Sequence[Tried]) -> Table:
    """Return what was tried, for a person."""
    methods = list(dict.fromkeys(tried.method for tried in found))
    header = ["clusters", "method", "silhouette", "stability", "sizes"]
    if len(methods) > 1:
        header.insert(4, "agreement of methods")
    rows: list[list[Cell]] = []
    for tried in found:
        line: list[Cell] = [
            tried.n_clusters,
            tried.method,
            with_error(tried.silhouette, tried.silhouette_error),
            with_error(tried.stability, tried.stability_error),
            ", ".join(map(str, tried.sizes)),
        ]
        if len(methods) > 1:
            line.insert(4, ", ".join(f"{score:.2f}" for score in tried.agreement.values()))
        rows.append(line)
    return Table(
        header,
        rows,
        caption="Silhouette: near 1 clusters lie apart, near 0 they touch. Stability: how far two "
        "random parts of the rows agree, 1 entirely. Sizes on the rows that were tried. After ± "
        "stands the standard error.",
    )

r"""Are the clusters no more than a column? Mutual information of clusters with each column.

With the mutual information :math:`I` of a column and the clusters,

.. math:: \frac{I}{H(\mathrm{cluster})} \quad\text{and}\quad \frac{I}{H(\mathrm{column})}

say how much of the cluster the column tells, and how much of the column the cluster tells. Numbers
are cut at their quantiles first. Chance alone makes :math:`I` positive, for a columns of b clusters
and n rows by about :math:`(a - 1)(b - 1) / 2n` [Miller1955]_, which is taken off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.study.schema import Categorical, Schema

__all__ = ["Coincidence", "find_coincidence", "tell_coincidence"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

ALMOST = 0.9
"""From this share on, one almost tells the other."""
N_CUTS = 20


class Coincidence(NamedTuple):
    """Columns that the clusters follow.

    Attributes
    ----------
    columns : tuple of str
    told : float
        How much of the cluster these columns tell, from 0 to 1.
    """

    columns: tuple[str, ...]
    told: float


def find_coincidence(X: Array, schema: Schema, labels: Labels) -> Coincidence | None:
    """Find the columns that clusters coincide with, or None.

    One column is enough if it almost tells the cluster. A categorical column whose value the
    cluster almost tells is named too: several of them may make up the clusters together.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Rows as the schema encodes them.
    schema : Schema
    labels : ndarray of shape (n_rows,)
        The cluster of each row, negative for none.

    Examples
    --------
    >>> from consilience.study.schema import Numeric
    >>> schema = Schema(columns={"age": Numeric(bounds=(0, 99)),
    ...                          "smoker": Categorical(categories=("no", "yes"))})
    >>> smokes = np.arange(400) % 2
    >>> X = np.column_stack([np.arange(400) % 90, 1 - smokes, smokes])
    >>> find_coincidence(X, schema, smokes).columns
    ('smoker',)
    >>> find_coincidence(X, schema, np.arange(400) // 200) is None
    True
    """
    inside = labels >= 0
    clusters = np.unique(labels[inside], return_inverse=True)[1]
    if not len(clusters) or not clusters.any():
        return None
    codes = _codes(X[inside], schema)
    told = {name: _told(code, clusters) for name, code in codes.items()}
    best = max(told, key=lambda name: told[name])
    split = [
        name
        for name, column in schema.columns.items()
        if isinstance(column, Categorical) and _told(clusters, codes[name]) >= ALMOST
    ]
    if told[best] >= ALMOST:
        return Coincidence((best,), told[best])
    if not split:
        return None
    together = np.zeros(len(clusters), dtype=np.int64)
    for name in split:
        together = together * (codes[name].max() + 1) + codes[name]
    return Coincidence(tuple(split), _told(np.unique(together, return_inverse=True)[1], clusters))


def tell_coincidence(X: Array, schema: Schema, labels: Labels) -> list[str]:
    """Return the warning, if there is something to warn of."""
    found = find_coincidence(X, schema, labels)
    if found is None:
        return []
    names = " and ".join(found.columns)
    several = len(found.columns) > 1
    if found.told >= ALMOST:
        said = f"The clusters are almost exactly the column{'s' if several else ''} {names}."
    else:
        said = (
            f"Every cluster has almost one value alone of {names}, which "
            f"{'tell' if several else 'tells'} {found.told:.0%} of the clusters."
        )
    return [
        f"{said} If that is not what you look for, agree on a smaller weight for "
        f"{'them' if several else 'it'} in the schema, with reduction.scaling = 'spread'."
    ]


def _codes(X: Array, schema: Schema) -> dict[str, Labels]:
    """Return the value of each column as a number: its category, or between which quantiles."""
    codes, start = {}, 0
    for name, column in schema.columns.items():
        width = len(column.categories) if isinstance(column, Categorical) else 1
        block = X[:, start : start + width]
        start += width
        if isinstance(column, Categorical):
            # A missing value that was filled is none of the categories.
            values = np.where(block.any(axis=1), block.argmax(axis=1), width)
        else:
            cuts = np.unique(np.quantile(block[:, 0], np.linspace(0, 1, N_CUTS + 1)[1:-1]))
            values = np.searchsorted(cuts, block[:, 0])
        codes[name] = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes


def _told(by: Labels, of: Labels) -> float:
    """Return how much of one variable another tells, from 0 to 1."""
    counts = np.zeros((by.max() + 1, of.max() + 1))
    np.add.at(counts, (by, of), 1)
    n = counts.sum()
    whole = _entropy(counts.sum(axis=0) / n)
    if whole == 0:
        return 0.0
    shared = whole + _entropy(counts.sum(axis=1) / n) - _entropy(counts.ravel() / n)
    by_chance = (counts.shape[0] - 1) * (counts.shape[1] - 1) / (2 * n)
    return float(max(0.0, shared - by_chance) / whole)


def _entropy(shares: Array) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())

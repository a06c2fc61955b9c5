"""The synthetic sets of [Kawamata2025]_, Section 5.2.1 (Fig. 3): Blobs and Circles.

Two *major* features carry three clusters, four *minor* ones are Gaussian noise. The grid has
2 x 2 institutions: the first column group holds major feature 1 and two minor ones, the second
major feature 2 and the other two. No single institution can see the clusters; the pooled data
shows them without error.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_scalar

from consilience.datasets.splits import split_rows

__all__ = ["SyntheticGrid", "blobs", "circles"]

Split = Literal["iid", "non-iid"]
Seed = int | np.random.Generator | None

# Unit noise. Along major 1 the first two clusters overlap, along major 2 the first and the third;
# jointly the nearest centres are ten standard deviations apart.
_BLOB_CENTRES = np.array([[0.0, 0.0], [2.4, 10.0], [10.0, 3.0]])
# Gaps of several neighbour distances of the minor noise: the 10-neighbour graph of the pooled
# rows falls into exactly the three rings.
_RING_RADII = np.array([1.0, 4.0, 7.0])
_RING_NOISE = 0.1


@dataclass(frozen=True, eq=False)
class SyntheticGrid:
    """Rows with known clusters, and the grid of institutions that hold them.

    Attributes
    ----------
    X : ndarray of shape (n, 6)
        Major features 1 and 2, then the four minor features.
    y : ndarray of int64, shape (n,)
        True cluster of each row: 0, 1 or 2.
    parties : ndarray of int64, shape (n,)
        Row of the grid, 0 or 1, that holds each row.
    columns : tuple of two ndarrays of int64
        Column indices of the two column groups.
    """

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    parties: npt.NDArray[np.int64]
    columns: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def blobs(
    how: Split = "iid", *, n_per_cluster: int = 500, random_state: Seed = None
) -> SyntheticGrid:
    """Draw three Gaussian clusters that k-means finds in the pooled data only.

    Parameters
    ----------
    how : {"iid", "non-iid"}, default="iid"
        Whether rows are shared at random, or each row of the grid holds one cluster of its own
        and half of the one both share.
    n_per_cluster : int, default=500
        Rows in each cluster, at least 2.
    random_state : int, Generator or None, default=None
        Seed, or the generator to draw from.

    Returns
    -------
    SyntheticGrid
        3 x `n_per_cluster` rows, grouped by cluster.

    Notes
    -----
    The paper names scikit-learn's ``make_blobs`` and not its centres. These are chosen such that
    the pooled rows are separated (ARI 1.000) and local k-means comes near the paper's Table 2:
    ARI about .80 and .87 where the paper has .786 and .877 (iid), and .34 and .57 where it has
    .295 and .571 (non-iid, first row). For the second row of the non-iid grid the paper has .141
    and .142, against .57 here: clusters far apart jointly are far apart in one major feature, so
    that k-means there only cuts the larger one in two; not both figures can be so low.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from consilience.metrics import score
    >>> grid = blobs(random_state=0)
    >>> pooled = KMeans(3, n_init=10, random_state=0).fit_predict(grid.X)
    >>> score(grid.y, pooled)
    ClusterScores(ari=1.0, nmi=1.0, acc=1.0)
    >>> mine = grid.parties == 0
    >>> alone = KMeans(3, n_init=10, random_state=0).fit_predict(grid.X[mine][:, grid.columns[0]])
    >>> score(grid.y[mine], alone).acc < 0.95
    True
    """
    check_scalar(n_per_cluster, "n_per_cluster", Integral, min_val=2)
    rng = np.random.default_rng(random_state)
    y = np.repeat(np.arange(3), n_per_cluster)
    major = _BLOB_CENTRES[y] + rng.normal(size=(len(y), 2))
    return _grid(major, y, how, rng)


def circles(
    how: Split = "iid", *, n_per_cluster: int = 500, random_state: Seed = None
) -> SyntheticGrid:
    """Draw three concentric rings that spectral clustering finds in the pooled data only.

    Parameters
    ----------
    how : {"iid", "non-iid"}, default="iid"
        Whether rows are shared at random, or each row of the grid holds one ring of its own
        and half of the one both share, the middle one.
    n_per_cluster : int, default=500
        Rows in each ring, at least 2. With few rows the rings have gaps.
    random_state : int, Generator or None, default=None
        Seed, or the generator to draw from.

    Returns
    -------
    SyntheticGrid
        3 x `n_per_cluster` rows, grouped by ring.

    Notes
    -----
    The paper names scikit-learn's ``make_circles``, which draws two rings, and three clusters:
    three concentric rings are the nearest reading. The nearest-neighbour graph of the pooled
    rows has one component for each ring, of which scikit-learn's ``SpectralClustering`` warns.

    Examples
    --------
    >>> grid = circles("non-iid", random_state=0)
    >>> [np.unique(grid.y[grid.parties == i]).tolist() for i in (0, 1)]
    [[0, 1], [1, 2]]
    """
    check_scalar(n_per_cluster, "n_per_cluster", Integral, min_val=2)
    rng = np.random.default_rng(random_state)
    y = np.repeat(np.arange(3), n_per_cluster)
    angle = rng.uniform(0, 2 * np.pi, len(y))
    major = _RING_RADII[y, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    major += rng.normal(scale=_RING_NOISE, size=major.shape)
    return _grid(major, y, how, rng)


def _grid(
    major: npt.NDArray[np.float64],
    y: npt.NDArray[np.int64],
    how: Split,
    rng: np.random.Generator,
) -> SyntheticGrid:
    """Add the minor features and share rows and columns out."""
    covariance = np.full((4, 4), 0.01) + 0.09 * np.eye(4)
    minor = rng.multivariate_normal(np.zeros(4), covariance, len(y))
    if how == "iid":
        parties = split_rows(len(y), 2, random_state=rng)
    elif how == "non-iid":
        parties = np.where(y == 0, 0, 1)
        shared = np.flatnonzero(y == 1)
        parties[shared] = split_rows(len(shared), 2, random_state=rng)
    else:
        raise ValueError(f"how == {how!r}, must be 'iid' or 'non-iid'.")
    columns = np.array([0, 2, 3]), np.array([1, 4, 5])
    return SyntheticGrid(np.column_stack([major, minor]), y, parties, columns)

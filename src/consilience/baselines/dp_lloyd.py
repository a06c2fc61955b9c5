"""Private centres: a few Lloyd steps with Laplace noise on counts and sums."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.baselines.weighted_kmeans import assign

__all__ = ["private_centres"]

Array = npt.NDArray[np.float64]


def private_centres(
    X: Array, n_clusters: int, epsilon: float, noise: np.random.Generator, n_steps: int = 5
) -> Array:
    r"""Find k centres of rows in :math:`[-1, 1]^d` with pure differential privacy.

    Each of the T steps assigns rows to the nearest centre and releases the counts and sums of the
    clusters with Laplace noise.

    Guarantee: :math:`\epsilon`-differential privacy. Neighbouring tables differ by one row added
    or removed; it changes one count by 1 and one sum by at most 1 in each of d columns, so the
    L1 sensitivity of a step is d + 1; noise of scale :math:`(d + 1) T / \epsilon` gives
    :math:`\epsilon / T` a step (Laplace mechanism), and T steps compose to :math:`\epsilon`.

    Parameters
    ----------
    X : ndarray of shape (n_rows, d)
        Values in [-1, 1].
    n_clusters : int
    epsilon : float
    noise : Generator
        Also draws the first centres, uniform in the cube, which cost nothing.
    n_steps : int, default=5
        T.

    Returns
    -------
    ndarray of shape (n_clusters, d)
        Centres in [-1, 1].

    Examples
    --------
    >>> X = np.array([[-0.5], [0.5]]).repeat(5000, axis=0)
    >>> np.sort(private_centres(X, 2, 10.0, np.random.default_rng(0)).ravel()).round(1)
    array([-0.5,  0.5])
    """
    n_columns = X.shape[1]
    scale = (n_columns + 1) * n_steps / epsilon
    centres = noise.uniform(-1, 1, size=(n_clusters, n_columns))
    for _ in range(n_steps):
        labels = assign(X, centres)
        counts = np.bincount(labels, minlength=n_clusters) + noise.laplace(
            scale=scale, size=n_clusters
        )
        members = np.zeros((n_clusters, len(X)), dtype=np.float64)
        members[labels, np.arange(len(X))] = 1.0
        sums = members @ X + noise.laplace(scale=scale, size=centres.shape)
        kept = counts > 1
        centres = np.where(kept[:, None], sums / np.where(kept, counts, 1.0)[:, None], centres)
        centres = np.clip(centres, -1, 1)
    return np.asarray(centres)

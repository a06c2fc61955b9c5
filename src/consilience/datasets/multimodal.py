"""The synthetic sets of VertCoHiRF: views that need different methods, and views under attack."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["multimodal", "simplex"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
CORNERS = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 0.0]])


def multimodal(n: int = 1200, *, random_state: int | None = None) -> tuple[Array, Labels]:
    """Draw the set of section 4.1 of [Belucci2026]_.

    Columns 0 to 2: a point on one of two concentric spheres of radius 3 and 7, with radial noise
    of 0.3. Columns 3 and 4: independently, one of three corners of a square. A class is a
    combination of sphere and corner.

    Parameters
    ----------
    n : int, default=1200
    random_state : int or None, default=None

    Returns
    -------
    X : ndarray of shape (n, 5)
    y : ndarray of shape (n,), int64
        Six classes.

    Notes
    -----
    The paper gives neither the side of the square nor the spread around its corners: 10 and 0.3
    here.

    Examples
    --------
    >>> X, y = multimodal(600, random_state=0)
    >>> X.shape, len(set(y))
    ((600, 5), 6)
    """
    rng = np.random.default_rng(random_state)
    sphere, corner = rng.integers(2, size=n), rng.integers(3, size=n)
    direction = rng.normal(size=(n, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = np.array([3.0, 7.0])[sphere] + rng.normal(0, 0.3, n)
    corners = CORNERS[corner] + rng.normal(0, 0.3, (n, 2))
    return np.column_stack([direction * radius[:, None], corners]), 3 * sphere + corner


def simplex(
    std: float, n: int = 1000, *, n_clusters: int = 4, random_state: int | None = None
) -> tuple[Array, Labels]:
    """Draw the set of appendix A.4 of [Belucci2026]_: gaussians at the corners of a simplex.

    Parameters
    ----------
    std : float
        Spread of each cluster; neighbouring centres are 1 apart.
    n : int, default=1000
    n_clusters : int, default=4
        C; there are C - 1 informative columns, then as many of noise.
    random_state : int or None, default=None

    Returns
    -------
    X : ndarray of shape (n, 2 * (n_clusters - 1))
    y : ndarray of shape (n,), int64

    Examples
    --------
    >>> X, y = simplex(0.1, 200, random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((200, 6), [50, 50, 50, 50])
    """
    rng = np.random.default_rng(random_state)
    centred = np.eye(n_clusters) - 1 / n_clusters
    _, vectors = np.linalg.eigh(centred)
    corners = vectors[:, 1:] / np.sqrt(2)
    turn, _ = np.linalg.qr(rng.normal(size=(n_clusters - 1, n_clusters - 1)))
    y = rng.permutation(np.arange(n, dtype=np.int64) % n_clusters)
    X = (corners @ turn)[y] + rng.normal(0, std, (n, n_clusters - 1))
    return np.hstack([X, rng.normal(size=X.shape)]), y

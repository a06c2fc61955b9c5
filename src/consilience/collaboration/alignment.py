r"""Alignment: the maps g_i that make the parties' representations comparable.

Row institution i sends the anchor as it sees it, :math:`S_i = \tilde X_i^{anc}`, or
:math:`S_i = [\tilde X_i^{anc}, 1]` for an affine map. With the singular value decomposition
:math:`[S_1, \dots, S_c] \approx U_1 \Sigma_1 V_1^T` (Eqs. 15 and 18 of [Kawamata2025]_) the map is

.. math:: G_i = S_i^\dagger\, T, \qquad
          T = U_1 \quad\text{or}\quad T = U_1 \Sigma_1 / \sqrt{c}

(Eqs. 16 and 19). Both follow from the Gram matrix of the stacked anchors, because
:math:`U_1 \Sigma_1 = S V_1` and :math:`S_i^\dagger = (S_i^T S_i)^\dagger S_i^T`: the cost does
not grow with a tall decomposition.

Notes
-----
The text of the paper takes :math:`T = U_1`; its tables are obtained with the scaled target
:math:`U_1 \Sigma_1`. The division by :math:`\sqrt c` is ours: when the private reductions keep all
directions and are orthogonal, distances in the collaboration representation are then those of the
pooled data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve, eigh

__all__ = [
    "RELATIVE_TOLERANCE",
    "Alignment",
    "Target",
    "align",
    "check_anchors",
    "common_target",
    "directions_beyond",
]

Array = npt.NDArray[np.float64]
Target = Literal["population", "scaled", "orthonormal"]
"""How institutions are aligned: the last two are the paper's, by :func:`align`."""

RELATIVE_TOLERANCE = 1e-12
"""Eigenvalues of a Gram matrix below this share of the largest count as zero.

It is the square of the tolerance on singular values (1e-6), and lies well above the rounding error
of a Gram matrix in double precision."""
DRIVER: Final = "evd"
"""Divide and conquer: five times faster than the default where columns differ widely in size."""
WIDE = 256
"""Columns from which on a decomposition costs enough to look for a way around it."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """The map g_i of one row institution: ``X @ linear + offset`` (Eqs. 17 and 20)."""

    linear: Array
    offset: Array

    def apply(self, representation: Array, out: Array | None = None) -> Array:
        """Return the collaboration representation of a party's representation."""
        result = np.matmul(representation, self.linear, out=out)
        result += self.offset
        return result


def align(
    anchors: Sequence[Array],
    *,
    target: Literal["scaled", "orthonormal"] = "scaled",
    affine: bool = True,
    min_singular_value: float | None = None,
    noise: Sequence[Array] | None = None,
) -> list[Alignment]:
    """Compute the maps g_i from what the row institutions see of the anchor.

    Parameters
    ----------
    anchors : sequence of ndarray of shape (n_anchor, n_components_i)
        One per row institution, its columns side by side (Eq. 8).
    target : {"scaled", "orthonormal"}
        Common representation of the anchor: singular vectors times singular values, which keeps
        the geometry of the data, or singular vectors alone, which whitens it.
    affine : bool
        Whether a map may have an offset. A centred reduction needs it.
    min_singular_value : float, optional
        The common space has the dimensions of singular values at least as large, as in
        [Sugawara2026]_, however many; nothing keeps as many as the widest institution sends.
    noise : sequence of ndarray of shape (n_components_i,), optional
        Standard deviation of what rounding added to each column; none by default. Directions that
        stand out of it no more than chance would are left out.

    Returns
    -------
    list of Alignment, one per row institution
        All lead into one space, by default of at most ``max(n_components_i) + affine`` dimensions,
        fewer if the anchors do not span them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, X = rng.normal(size=(50, 3)), rng.normal(size=(4, 3))
    >>> F, H = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    >>> f, h = align([A @ F, (A - 5) @ H])
    >>> np.allclose(f.apply(X @ F), h.apply((X - 5) @ H))
    True
    """
    check_anchors(anchors, affine)
    blocks = [_with_constant(a) for a in anchors] if affine else list(anchors)
    edges = np.cumsum([0] + [b.shape[1] for b in blocks])
    stacked = np.hstack(blocks)
    if noise is not None:
        noise = [np.append(part, 0.0) for part in noise] if affine else list(noise)
    added = None if noise is None else np.concatenate(noise)
    if min_singular_value is None:
        common = common_target(stacked, max(b.shape[1] for b in blocks), added)
    else:
        common = common_target(stacked, stacked.shape[1], added)
        singular_values = np.linalg.norm(common, axis=0)
        common = common[:, singular_values >= min_singular_value]
        if not common.shape[1]:
            raise ValueError(
                f"min_singular_value == {min_singular_value:g}, must be <= "
                f"{singular_values.max():.3g}, the largest: no dimension is left. Lower it."
            )
    if target == "orthonormal":
        common = common / np.linalg.norm(common, axis=0)
    elif target == "scaled":
        common = common / np.sqrt(len(blocks))
    else:
        raise ValueError(f"target == {target!r}, must be 'scaled' or 'orthonormal'.")
    alignments = []
    for i, (start, end) in enumerate(pairwise(edges)):
        G = _solve(stacked[:, start:end], common, None if noise is None else noise[i])
        linear, offset = (G[:-1], G[-1]) if affine else (G, np.zeros(G.shape[1]))
        alignments.append(Alignment(linear, offset))
    return alignments


def common_target(S: Array, n_kept: int, noise: Array | None = None) -> Array:
    """Return at most ``n_kept`` columns of U1 S1 of stacked anchors, by the smaller Gram matrix.

    Parameters
    ----------
    S : ndarray of shape (n_anchor, n_columns)
    n_kept : int
    noise : ndarray of shape (n_columns,), optional
        Standard deviation of what rounding added to each column.
    """
    U = None if noise is None else _beyond_chance(S, noise)
    if U is not None:
        S = U.T @ S  # the same Gram matrix of columns, and a smaller one of rows
    n_rows, n_columns = S.shape
    tall = n_columns <= n_rows
    n_kept = min(n_kept, n_rows, n_columns)
    values, vectors = _largest(S.T @ S if tall else S @ S.T, n_kept)
    kept = values > RELATIVE_TOLERANCE * max(values.max(initial=0.0), np.finfo(float).tiny)
    if not kept.any():
        raise ValueError("every anchor row is zero at every party: there is nothing to align by.")
    values, vectors = values[kept], vectors[:, kept]
    T = S @ vectors if tall else vectors * np.sqrt(values)
    if U is not None:
        T = U @ T
    # An eigenvector's sign is arbitrary: fix it by an anchor row, which no order of parties moves.
    largest = np.abs(T).argmax(axis=0)
    signs: Array = np.sign(T[largest, np.arange(T.shape[1])])
    return np.asarray(T * signs)


def _decompose(gram: Array) -> tuple[Array, Array]:
    """Return all eigenvalues, rising, and their vectors.

    SciPy 1.13 makes too little room for divide and conquer on a single number.
    """
    values, vectors = eigh(gram, driver=DRIVER if len(gram) > 1 else None)
    return values, vectors


def _largest(gram: Array, n_kept: int) -> tuple[Array, Array]:
    """Return the largest eigenvalues, falling, and their vectors.

    Picking out many of them takes twice as long as finding all.
    """
    n = len(gram)
    if 2 * n_kept <= n and n_kept:
        values, vectors = eigh(gram, subset_by_index=(n - n_kept, n - 1))
    else:
        values, vectors = _decompose(gram)
    return values[::-1][:n_kept], vectors[:, ::-1][:, :n_kept]


def directions_beyond(S: Array, noise: Array, margin: float = 2.0) -> int:
    """Return how many directions of stacked anchors stand out of what rounding added.

    Parameters
    ----------
    S : ndarray of shape (n_anchor, n_columns)
        About its mean.
    noise : ndarray of shape (n_columns,)
        Standard deviation of what rounding added to each column.
    margin : float
        How many times the variance that noise would have, to be sure.
    """
    return int(_beyond_chance(S, noise, margin).shape[1])


def _beyond_chance(S: Array, noise: Array, margin: float = 1.0) -> Array:
    r"""Return an orthonormal basis of what stands out of noise in stacked anchors, row by row.

    A column in coarse steps would drown what others say in fine ones, so that columns count in
    units of their noise. Of n columns of independent noise with variance 1 over r rows the Gram
    matrix has eigenvalues up to :math:`(\sqrt r + \sqrt n)^2` (Marchenko and Pastur).
    """
    size = np.linalg.norm(S, axis=0) / np.sqrt(len(S))
    least = np.sqrt(RELATIVE_TOLERANCE) * max(size.max(), np.finfo(float).tiny)
    W = S / np.maximum(noise, least)
    tall = W.shape[1] <= len(W)
    values, vectors = _decompose(W.T @ W if tall else W @ W.T)
    kept = vectors[:, values > margin * (np.sqrt(len(W)) + np.sqrt(W.shape[1])) ** 2]
    return np.linalg.qr(W @ kept)[0] if tall else np.asarray(kept)


def _by_chance(directions: Array, noise: Array, n_rows: int) -> Array:
    r"""Return the largest eigenvalue that noise alone would give to each direction.

    Of n columns of independent noise with variance :math:`\sigma^2` over r rows the Gram matrix has
    eigenvalues up to :math:`\sigma^2 (\sqrt r + \sqrt n)^2` (Marchenko and Pastur).
    """
    variance = noise**2 @ directions**2
    return np.asarray(variance * (np.sqrt(n_rows) + np.sqrt(len(noise))) ** 2)


def _solve(S: Array, T: Array, noise: Array | None = None) -> Array:
    """Return the least-squares solution of S G = T by a truncated pseudo-inverse."""
    scale = np.linalg.norm(S, axis=0)
    scale[scale == 0] = 1.0
    unit = S / scale
    gram = unit.T @ unit
    if len(gram) >= WIDE:
        G = _solve_whole(gram, unit.T @ T, None if noise is None else noise / scale, len(S))
        if G is not None:
            return np.asarray(G / scale[:, None])
    values, vectors = _decompose(gram)
    kept = values > RELATIVE_TOLERANCE * values[-1]
    if noise is not None:
        kept &= values > _by_chance(vectors, noise / scale, len(S))
    vectors = vectors[:, kept]
    G = vectors @ ((vectors.T @ (unit.T @ T)) / values[kept, None])
    return np.asarray(G / scale[:, None])


def _solve_whole(gram: Array, right: Array, noise: Array | None, n_rows: int) -> Array | None:
    """Return what nothing is left out of, at a third of the cost; None where something may be."""
    least = np.full(len(gram), RELATIVE_TOLERANCE * float(np.trace(gram)))
    if noise is not None:
        least += (noise * (np.sqrt(n_rows) + np.sqrt(len(noise)))) ** 2
    # If this is definite, every eigenvalue of the Gram matrix is above what noise gives its vector.
    definite = gram.copy()
    definite[np.diag_indices_from(gram)] -= least
    try:
        cho_factor(definite, overwrite_a=True)
    except np.linalg.LinAlgError:
        return None
    return np.asarray(cho_solve(cho_factor(gram), right))


def _with_constant(anchor: Array) -> Array:
    return np.hstack([anchor, np.ones((len(anchor), 1))])


def check_anchors(anchors: Sequence[Array], affine: bool) -> None:
    """Refuse anchors of different lengths, or too short to determine a map."""
    n_rows = {len(a) for a in anchors}
    if len(n_rows) > 1:
        raise ValueError(
            f"the row institutions sent {sorted(n_rows)} anchor rows; all must send the same "
            f"anchor. Compare the anchor digests and n_anchor in the study."
        )
    n_anchor, needed = n_rows.pop(), max(a.shape[1] for a in anchors) + affine
    if n_anchor < needed:
        raise ValueError(
            f"n_anchor == {n_anchor}, must be >= {needed}: the alignment has no unique solution "
            f"with fewer anchor rows than representation columns. Raise n_anchor."
        )

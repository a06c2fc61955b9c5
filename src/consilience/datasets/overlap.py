"""Columns dealt to several peers, some of them to more than one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.datasets.splits import split_columns

__all__ = ["share_columns"]


def share_columns(
    m: int,
    n_peers: int,
    *,
    probability: float = 0.2,
    most: float = 0.3,
    shuffle: bool = True,
    random_state: int | None = None,
) -> list[npt.NDArray[np.int64]]:
    """Deal columns evenly, then give each also to any other peer with some probability.

    As in section 4.2 of [Belucci2026]_: each column is shared with each other peer with
    probability 20 %, and a peer's shared columns are at most 30 % of those dealt to it.

    Parameters
    ----------
    m : int
        Number of columns.
    n_peers : int
    probability : float, default=0.2
    most : float, default=0.3
    shuffle : bool, default=True
        Whether columns are dealt at random; False deals them in order, so that neighbours stay
        together, and only the shared ones are drawn.
    random_state : int or None, default=None

    Returns
    -------
    list of ndarray of int64
        The columns of each peer, ascending.

    Examples
    --------
    >>> [len(columns) for columns in share_columns(100, 2, random_state=0)]
    [60, 57]
    """
    dealt = split_columns(m, n_peers, shuffle=shuffle, random_state=random_state)
    rng = np.random.default_rng(None if random_state is None else (random_state, m, n_peers))
    views = []
    for peer, own in enumerate(dealt):
        others = np.concatenate([c for k, c in enumerate(dealt) if k != peer] or [own[:0]])
        extra = rng.permutation(others[rng.random(len(others)) < probability])
        views.append(np.sort(np.concatenate([own, extra[: int(most * len(own))]])))
    return views

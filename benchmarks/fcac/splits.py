"""The two ways in which the FCAC experiments share out rows, draw for draw.

The legacy generator and its fixed seed are those of the published tables; for anything else use
`consilience.datasets.split_rows`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.intp]
MAX_TRIES = 1000


def deal(y: npt.NDArray[Any], n_parties: int, scenario: str, seed: int) -> tuple[Indices, Indices]:
    """Permute the rows of classes ``y`` and share them out, ``iid`` or by a Dirichlet draw.

    Returns
    -------
    rows : ndarray of shape (n,)
        Row numbers, party after party, in the order in which the party presents them.
    parties : ndarray of shape (n,)
        The party of each entry of ``rows``.

    Examples
    --------
    >>> rows, parties = deal(np.repeat([0, 1], 6), 3, "iid", seed=0)
    >>> sorted(rows.tolist()) == list(range(12)), parties.tolist()
    (True, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """
    order = np.random.RandomState(seed).permutation(len(y))
    split = split_by_class if scenario == "iid" else split_by_dirichlet
    parts = split(y[order], n_parties)
    sizes = [len(part) for part in parts]
    return order[np.concatenate(parts)], np.repeat(np.arange(n_parties), sizes)


def split_by_class(y: npt.NDArray[Any], n_parties: int) -> list[Indices]:
    """Give every party an equal share of each class; the last one takes the remainder.

    Returns the row numbers of each party, class after class.

    Examples
    --------
    >>> [part.tolist() for part in split_by_class(np.array([0, 1, 0, 1, 0]), 2)]
    [[0, 1], [2, 4, 3]]
    """
    parts: list[list[Indices]] = [[] for _ in range(n_parties)]
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        share = len(rows) // n_parties
        cuts = share * np.arange(1, n_parties)
        for part, piece in zip(parts, np.split(rows, cuts), strict=True):
            part.append(piece)
    return [np.concatenate(part) for part in parts]


def split_by_dirichlet(
    y: npt.NDArray[Any], n_parties: int, alpha: float = 0.5, min_rows: int = 40
) -> list[Indices]:
    """Share out each class by a Dirichlet draw until every party has enough rows.

    The less ``alpha``, the more unequal. ``min_rows`` is lowered to a tenth of the mean where there
    are not enough rows to hope for it.

    Examples
    --------
    >>> parts = split_by_dirichlet(np.arange(400) % 4, 3)
    >>> sum(map(len, parts)), min(map(len, parts)) >= 40
    (400, True)
    """
    random_state = np.random.RandomState(0)
    n = len(y)
    if min_rows > n / n_parties:
        min_rows = max(1, n // (10 * n_parties))
    for _ in range(MAX_TRIES):
        parts: list[list[int]] = [[] for _ in range(n_parties)]
        for label in np.unique(y):
            rows = np.flatnonzero(y == label)
            random_state.shuffle(rows)
            share = random_state.dirichlet(np.repeat(alpha, n_parties))
            share *= [len(part) < n / n_parties for part in parts]
            cuts = (np.cumsum(share / share.sum()) * len(rows)).astype(int)[:-1]
            for part, piece in zip(parts, np.split(rows, cuts), strict=True):
                part.extend(piece)
        if min(map(len, parts)) >= min_rows:
            return [np.array(part, dtype=np.intp) for part in parts]
    raise ValueError(
        f"{MAX_TRIES} draws did not give each of {n_parties} parties {min_rows} of {n} rows. "
        f"Lower min_rows or n_parties, or raise alpha."
    )

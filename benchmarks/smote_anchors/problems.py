"""The problems of [Imakura2023]_: who holds what, which rows are public, which are for testing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from benchmarks.problems import Array, Labels
from consilience.datasets import Dataset, load, split_columns, split_rows

CREDIT_FILE = "CreditRating_Historical.dat"

ADULT_NUMERIC = ["age", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
ADULT_UNUSED = ["fnlwgt", "education"]
N_LEARNT = 30_000


@dataclass(frozen=True, eq=False)
class Problem:
    """One trial: training rows with their grid, public rows, and rows to be judged on."""

    X: Array
    y: Labels
    parties: Labels
    columns: list[Labels]
    public: Array
    X_test: Array
    y_test: Labels
    seed: int


def artificial(seed: int) -> Problem:
    """Draw the 20-dimensional set of section 4.2.

    The paper shows a picture and no formula: two classes told apart by features 1, 2 and 3
    together. Here class 0 lies at one corner of a cube of edge 2 and class 1 at the three corners
    next to it, each within 0.2, and 17 features are uniform in [-1, 1].
    """
    rng = np.random.default_rng(seed)

    def draw(n: int) -> tuple[Array, Labels]:
        y = rng.integers(2, size=n)
        corner = -np.ones((n, 3))
        ones = np.flatnonzero(y)
        corner[ones, rng.integers(3, size=len(ones))] = 1.0
        essential = corner + rng.uniform(-0.2, 0.2, size=(n, 3))
        return np.hstack([essential, rng.uniform(-1, 1, size=(n, 17))]), y.astype(np.int64)

    X, y = draw(1000)
    X_test, y_test = draw(1000)
    columns = [np.arange(0, 20, 2), np.arange(1, 20, 2)]
    parties = split_rows(1000, 2, random_state=seed)
    return Problem(X, y, parties, columns, draw(100)[0], X_test, y_test, seed)


def adult_table(dataset: Dataset) -> tuple[Array, Labels, list[str]]:
    """Return Adult as 5 numbers and 86 dummies; a missing category is a category."""
    frame = dataset.frame
    categories = [c for c in frame if c not in ADULT_NUMERIC + ADULT_UNUSED]
    dummies = pd.get_dummies(frame[categories].fillna("?").astype(str), dtype=float)
    X = np.hstack([frame[ADULT_NUMERIC].to_numpy(dtype=float), dummies.to_numpy()])
    return X, dataset.y, [*ADULT_NUMERIC, *dummies.columns]


def adult(X: Array, y: Labels, scenario: str, seed: int) -> Problem:
    """Split Adult as in section 4.4: 30,000 rows to learn from, 100 public, the rest to test."""
    order = np.random.default_rng(seed).permutation(len(X))
    train, public, test = np.split(order, [N_LEARNT, N_LEARNT + 100])
    m = X.shape[1]
    columns = [np.arange(5), np.arange(5, m)]
    if scenario == "artificial":
        columns = [np.arange(0, m, 2), np.arange(1, m, 2)]
    parties = split_rows(len(train), 2, random_state=seed)
    return Problem(X[train], y[train], parties, columns, X[public], X[test], y[test], seed)


def credit(path: Path, seed: int) -> Problem:
    """Split the credit ratings as in section 4.3, from the file of MATLAB's toolbox."""
    frame = pd.read_csv(path)
    numeric = ["WC_TA", "RE_TA", "EBIT_TA", "MVE_BVTD", "S_TA"]
    sector = pd.get_dummies(frame["Industry"].astype(str), dtype=float)
    X = np.hstack([frame[numeric].to_numpy(dtype=float), sector.to_numpy()])
    y = pd.factorize(frame["Rating"], sort=True)[0].astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(X))
    train, public, test = np.split(order, [3_000, 3_100])
    parties = split_rows(len(train), 2, random_state=seed)
    columns = [np.arange(3), np.arange(3, X.shape[1])]
    return Problem(X[train], y[train], parties, columns, X[public], X[test], y[test], seed)


def small(name: str, data: Path | None, *, all_public: bool = False) -> Iterator[Problem]:
    """Yield the five folds of a small, wide set (section 4.6).

    How the paper came by public rows is not said: here they are a fifth of a fold's training rows,
    which nobody then holds, without those that are the same as a row somebody holds. ``all_public``
    has all training rows both held and public, which no institution could allow.
    """
    dataset: Any = load(name, data=data)
    folds = KFold(5, shuffle=True, random_state=0)
    columns = split_columns(dataset.X.shape[1], 3, random_state=0)
    for seed, (train, test) in enumerate(folds.split(dataset.X)):
        order = np.random.default_rng(seed).permutation(train)
        public, private = np.split(order, [len(order) // 5])
        public = publishable(dataset.X, public, private, columns, common=1.0)
        if all_public:
            public = private = order
        parties = split_rows(len(private), 2, random_state=seed)
        X, y = dataset.X, dataset.y
        yield Problem(X[private], y[private], parties, columns, X[public], X[test], y[test], seed)


def publishable(
    X: Array,
    public: Any,
    private: Any,
    columns: Sequence[Any],
    *,
    common: float = 0.01,
) -> Any:
    """Leave out public rows that a party would refuse, as its user would.

    Some measurements are on record twice. Where a share of ``common`` of the private rows has a
    twin, in a column group, nobody refuses them.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    >>> publishable(X, np.array([0, 1]), np.array([2]), [np.arange(2)])
    array([1])
    """
    for part in columns:
        slices = [row.tobytes() for row in X[np.ix_(private, part)] + 0.0]
        known = set(slices)
        if len(slices) - len(known) < common * len(slices):
            kept = [i for i in public if (X[i, part] + 0.0).tobytes() not in known]
            public = np.array(kept, dtype=np.intp)
    return public

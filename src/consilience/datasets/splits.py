"""Share rows among institutions and columns among groups, as the papers' experiments do."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_scalar

__all__ = ["split_columns", "split_rows"]

Integers = npt.NDArray[np.int64]
Seed = int | np.random.Generator | None


def split_rows(
    n: int,
    n_parties: int,
    how: Literal["iid", "dirichlet", "classes"] = "iid",
    *,
    y: npt.ArrayLike | None = None,
    alpha: float = 0.5,
    classes_per_party: int = 2,
    min_rows: int = 1,
    max_tries: int = 100,
    top_up: bool = False,
    random_state: Seed = None,
) -> Integers:
    r"""Name the party that holds each row.

    - ``"iid"``: a random permutation cut into parts whose sizes differ by at most one.
    - ``"dirichlet"``: for each class, shares :math:`p \sim \mathrm{Dir}(\alpha, ..., \alpha)` over
      the parties; its rows, in random order, are cut at :math:`\lfloor n_k \sum p \rfloor`.
    - ``"classes"``: each party owns `classes_per_party` distinct random classes, each class has
      an owner, and the rows of a class are shared equally among its owners.

    The last two draw again until each party has `min_rows` rows (and, for ``"classes"``, a row of
    each class it owns), at most `max_tries` times. With `top_up` the Dirichlet split is drawn once
    instead, and a party with fewer than `min_rows` rows is given random ones of whoever has most.

    Parameters
    ----------
    n : int
        Number of rows, at least `n_parties` times `min_rows`.
    n_parties : int
        Number of parties, at least 1.
    how : {"iid", "dirichlet", "classes"}, default="iid"
        The rule.
    y : array-like of shape (n,), optional
        The class of each row. Needed unless ``how="iid"``.
    alpha : float, default=0.5
        Concentration, above 0: the smaller, the more the parties differ.
    classes_per_party : int, default=2
        Number of classes each party owns, from 1 to the number of classes.
    min_rows : int, default=1
        Fewest rows a party may get; 0 allows parties without rows.
    max_tries : int, default=100
        Number of draws before giving up.
    top_up : bool, default=False
        For ``"dirichlet"``: move rows to parties that have too few, instead of drawing again.
    random_state : int, Generator or None, default=None
        Seed, or the generator to draw from.

    Returns
    -------
    ndarray of int64, shape (n,)
        Party of each row, from 0 to ``n_parties - 1``.

    Notes
    -----
    The papers do not say what is done with a party that gets too few rows. Drawing without end
    never returns when the minimum cannot be met, so the draws are bounded, and the error says
    how near they came. Among 100 parties with ``alpha=0.1`` some always have less than 10 rows:
    `top_up` is for them.

    Examples
    --------
    >>> import numpy as np
    >>> np.bincount(split_rows(10, 3, random_state=0))
    array([4, 3, 3])
    >>> y = np.repeat([0, 1, 2], 20)
    >>> parties = split_rows(60, 3, "classes", y=y, random_state=0)
    >>> [len(np.unique(y[parties == i])) for i in range(3)]
    [2, 2, 2]
    """
    check_scalar(n, "n", Integral, min_val=1)
    check_scalar(n_parties, "n_parties", Integral, min_val=1)
    check_scalar(min_rows, "min_rows", Integral, min_val=0)
    check_scalar(max_tries, "max_tries", Integral, min_val=1)
    if how not in ("iid", "dirichlet", "classes"):
        raise ValueError(f"how == {how!r}, must be 'iid', 'dirichlet' or 'classes'.")
    if n_parties * min_rows > n:
        raise ValueError(
            f"min_rows == {min_rows}, must be <= {n // n_parties}: n == {n} rows do not give "
            f"n_parties == {n_parties} parties so many each. Lower min_rows or n_parties."
        )
    rng = np.random.default_rng(random_state)
    if how == "iid":
        return rng.permutation(np.arange(n, dtype=np.int64) % n_parties)
    classes = _check_classes(y, n, how)
    if how == "dirichlet":
        check_scalar(alpha, "alpha", Real, min_val=0, include_boundaries="neither")
        if top_up:
            drawn = _draw_dirichlet(classes, n_parties, alpha, rng)
            return _top_up(drawn, n_parties, min_rows, rng)
        return _retry(
            lambda: _draw_dirichlet(classes, n_parties, alpha, rng),
            n_parties,
            min_rows,
            max_tries,
            "Lower min_rows, or raise alpha or max_tries.",
        )
    check_scalar(classes_per_party, "classes_per_party", Integral, min_val=1)
    _check_coverage(len(classes), n_parties, classes_per_party)
    return _retry(
        lambda: _draw_classes(classes, n_parties, classes_per_party, rng),
        n_parties,
        min_rows,
        max_tries,
        "Lower min_rows, n_parties or classes_per_party, or raise max_tries.",
    )


def split_columns(
    m: int, n_groups: int, *, shuffle: bool = True, random_state: Seed = None
) -> list[Integers]:
    """Share columns among groups whose sizes differ by at most one.

    Parameters
    ----------
    m : int
        Number of columns, at least `n_groups`.
    n_groups : int
        Number of groups, at least 1.
    shuffle : bool, default=True
        Whether columns are dealt at random; False keeps neighbours together.
    random_state : int, Generator or None, default=None
        Seed, or the generator to draw from.

    Returns
    -------
    list of n_groups ndarrays of int64
        The column indices of each group, ascending. Together they are 0 to ``m - 1``.

    Examples
    --------
    >>> [group.tolist() for group in split_columns(5, 2, random_state=1)]
    [[0, 1, 4], [2, 3]]
    """
    check_scalar(m, "m", Integral, min_val=1)
    check_scalar(n_groups, "n_groups", Integral, min_val=1)
    if n_groups > m:
        raise ValueError(
            f"n_groups == {n_groups}, must be <= m == {m}: each group holds at least one "
            "column. Lower n_groups."
        )
    columns = np.arange(m, dtype=np.int64)
    if shuffle:
        columns = np.random.default_rng(random_state).permutation(columns)
    return [np.sort(group) for group in np.array_split(columns, n_groups)]


def _check_classes(y: npt.ArrayLike | None, n: int, how: str) -> list[Integers]:
    """Return the row indices of each class."""
    if y is None:
        raise ValueError(f"y is None, must be given with how == {how!r}: pass the classes.")
    codes = np.asarray(y)
    if codes.shape != (n,):
        raise ValueError(
            f"y has shape {codes.shape}, must be ({n},): one class for each of the n rows."
        )
    _, codes = np.unique(codes, return_inverse=True)
    return [np.flatnonzero(codes == k) for k in range(codes.max() + 1)]


def _check_coverage(n_classes: int, n_parties: int, classes_per_party: int) -> None:
    """Refuse a number of classes per party that no assignment can meet."""
    if classes_per_party > n_classes:
        raise ValueError(
            f"classes_per_party == {classes_per_party}, must be <= {n_classes}: a party's "
            f"classes are distinct, and y has {n_classes}. Lower classes_per_party."
        )
    if classes_per_party * n_parties < n_classes:
        raise ValueError(
            f"classes_per_party == {classes_per_party}, must be >= {-(-n_classes // n_parties)}: "
            f"with {n_parties} parties some of the {n_classes} classes have no owner. Raise "
            "classes_per_party or n_parties."
        )


def _retry(
    draw: Callable[[], Integers | None],
    n_parties: int,
    min_rows: int,
    max_tries: int,
    way_out: str,
) -> Integers:
    """Draw until each party has `min_rows` rows; None is a draw that breaks its own rule."""
    best = -1
    for _ in range(max_tries):
        parties = draw()
        if parties is None:
            continue
        smallest = int(np.bincount(parties, minlength=n_parties).min())
        if smallest >= min_rows:
            return parties
        best = max(best, smallest)
    came = (
        f"the best draw left {best} rows at its smallest party"
        if best >= 0
        else "in each draw a class had fewer rows than owners"
    )
    raise ValueError(
        f"min_rows == {min_rows} was not met in max_tries == {max_tries} draws: {came}. {way_out}"
    )


def _draw_dirichlet(
    classes: list[Integers], n_parties: int, alpha: float, rng: np.random.Generator
) -> Integers:
    """Draw one Dirichlet split."""
    parties = np.empty(sum(map(len, classes)), dtype=np.int64)
    for rows in classes:
        shares = rng.dirichlet(np.full(n_parties, alpha))
        cuts = (np.cumsum(shares)[:-1] * len(rows)).astype(np.int64)
        for party, part in enumerate(np.split(rng.permutation(rows), cuts)):
            parties[part] = party
    return parties


def _top_up(parties: Integers, n_parties: int, min_rows: int, rng: np.random.Generator) -> Integers:
    """Give each party that has too few rows one of the largest party's, until it has enough."""
    sizes = np.bincount(parties, minlength=n_parties)
    for party in np.flatnonzero(sizes < min_rows):
        while sizes[party] < min_rows:
            largest = int(sizes.argmax())
            parties[rng.choice(np.flatnonzero(parties == largest))] = party
            sizes[largest] -= 1
            sizes[party] += 1
    return parties


def _draw_classes(
    classes: list[Integers], n_parties: int, classes_per_party: int, rng: np.random.Generator
) -> Integers | None:
    """Draw one split by classes, or None when a class has fewer rows than owners."""
    parties = np.empty(sum(map(len, classes)), dtype=np.int64)
    owners = _draw_owners(len(classes), n_parties, classes_per_party, rng)
    for rows, owning in zip(classes, owners, strict=True):
        if len(rows) < len(owning):
            return None
        # Permuting the owners shares out fairly who gets the odd row.
        shares = np.array_split(rng.permutation(rows), len(owning))
        for party, part in zip(rng.permutation(owning), shares, strict=True):
            parties[part] = party
    return parties


def _draw_owners(
    n_classes: int, n_parties: int, classes_per_party: int, rng: np.random.Generator
) -> list[list[int]]:
    """Return the parties that own each class: deal every class once, then fill up at random."""
    held: list[list[int]] = [[] for _ in range(n_parties)]
    seats = rng.permutation(n_parties)
    for turn, k in enumerate(rng.permutation(n_classes)):
        held[seats[turn % n_parties]].append(int(k))
    owners: list[list[int]] = [[] for _ in range(n_classes)]
    for party, mine in enumerate(held):
        others = np.setdiff1d(np.arange(n_classes), mine)
        extra = rng.choice(others, classes_per_party - len(mine), replace=False)
        for k in [*mine, *extra.tolist()]:
            owners[k].append(party)
    return owners

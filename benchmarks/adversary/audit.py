"""Attacks whose success is known, and tables made to fool the audit into green.

A table is drawn column by column, of kinds that a schema allows and that make decoding hard: odd
units, filled gaps, few values, any number, flags that one person has, sums of other columns. What
it sends is attacked *by hand*, with all knowledge there is: the map itself, the values that each
column can hold, the spread of all rows. Tables with few possible rows are searched whole, one row
after the other, by a tree that shares no code with the audit. A table of which one row in ten is
found by hand and that the audit calls green is a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree
from sklearn import config_context

from benchmarks.adversary.tried import Tried, share_of
from consilience.collaboration.audit.contribution import quick_findings
from consilience.collaboration.audit.scene import Setting
from consilience.collaboration.reduction import AffineReduction, Reduction, Scaling
from consilience.collaboration.rounding import Rounding, steps_of
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.column_values import values_of
from consilience.privacy.audits.decoding import decode
from consilience.privacy.audits.exact_rows import expected_rows
from consilience.privacy.audits.finding import Finding
from consilience.privacy.audits.forward_map import ForwardMap
from consilience.privacy.audits.possible_rows import PossibleRows

Array = npt.NDArray[np.float64]

TRIES = 1_000
PLANTED = 36
DECODABLE = 0.1
"""Share of the rows found by hand, beyond chance, from which on green is wrong."""
PLAIN = 0.9
"""Share of the rows found by hand in a table that was planted."""
MAX_WHOLE = 200_000
"""Possible rows that are searched whole."""
N_ATTACKED = 30
KINDS = (
    *("whole", "whole", "decimal", "odd unit", "flag", "rare flag", "categories", "ordinal"),
    *("few values", "filled", "any number", "constant", "constant but one", "huge", "sum", "copy"),
    "four bytes",
)


@dataclass(frozen=True, eq=False)
class Column:
    """One variable of a table: its values in all rows, and all values it can have.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_encoded)
    choices : ndarray of shape (n_choices, n_encoded), or None
        None if there are too many.
    lower, upper : float
        Public bounds.
    step : float
        Of a variable that has too many values to list them; 0 for any number.
    """

    values: Array
    choices: Array | None
    lower: float
    upper: float
    step: float = 0.0

    @property
    def width(self) -> int:
        """Encoded columns."""
        return int(self.values.shape[1])


@dataclass(frozen=True, eq=False)
class Table:
    """A table with what is public of it."""

    columns: list[Column]
    setting: Setting
    seed: int

    @property
    def rows(self) -> Array:
        """All rows, encoded."""
        return np.hstack([column.values for column in self.columns])

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Public bounds of the encoded columns."""
        ends = [
            (column.lower, column.upper) for column in self.columns for _ in range(column.width)
        ]
        lower, upper = np.array(ends).T
        return lower, upper

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Encoded columns of which one is 1 and the others are 0."""
        starts = np.cumsum([0, *(column.width for column in self.columns)])
        return tuple(
            tuple(range(start, start + column.width))
            for start, column in zip(starts, self.columns, strict=False)
            if column.width > 1
        )

    def fit(self) -> tuple[AffineReduction, Reduction]:
        """Return the map of the party, and the same as it sends by it, rounded or not."""
        rng = np.random.default_rng(self.seed)
        f = self.setting.fit_reduction(self.rows, self.bounds, rng)
        assert isinstance(f, AffineReduction)
        anchor = self.setting.draw_anchor(self.bounds, rng)
        return f, self.setting.round_map(f, self.rows, anchor)


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Plant attacks that succeed, then look for tables that are green and decodable."""
    rng = np.random.default_rng(seed)
    n_planted, found, missed = share_of(PLANTED, share), 0, 0
    while found < n_planted:
        table = draw_planted(rng)
        if by_hand(table) >= PLAIN:
            found += 1
            missed += audit(table) != "red"
    yield Tried("tables of which 9 rows in 10 are decoded by hand, not called red", found, missed)
    tried = search(share_of(TRIES, share), rng)
    decodable = sum(found >= DECODABLE for _, found, _ in tried)
    green = sum(found >= DECODABLE and level == "green" for _, found, level in tried)
    said = f"tables made to fool the audit, {decodable} of them decodable by hand, called green"
    yield Tried(said, len(tried), green)


def search(n: int, rng: np.random.Generator) -> list[tuple[Table, float, str]]:
    """Try n tables; return each with what is found by hand and, if that is much, its grade.

    Half of them change a table that was decodable while little of it was rebuilt otherwise: there
    green is near.
    """
    tried: list[tuple[Table, float, str]] = []
    near: list[Table] = []
    for number in range(n):
        if near and number % 2:
            table = change(near[int(rng.integers(len(near)))], rng)
        else:
            table = draw_table(rng)
        found = by_hand(table)
        level = audit(table) if found >= DECODABLE else ""
        tried.append((table, found, level))
        if level in ("amber", "green"):
            near.append(table)
    return tried


def audit(table: Table) -> str:
    """Return the grade of the quick audit, as a party sees it before it contributes.

    An audit is as grave as the gravest of its findings: after a red one nothing is asked.
    """
    _, f = table.fit()
    setting = replace(table.setting, groups=table.groups)
    findings: list[Finding] = []
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for found in quick_findings(table.rows, table.bounds, setting, table.seed, [f]):
            findings.append(found)
            if found.level == "red":
                break
    return Audit(tuple(findings), {}, *table.rows.shape).level


def by_hand(table: Table) -> float:
    """Return the share of rows found with all knowledge there is, beyond chance."""
    f, rounded = table.fit()
    X = table.rows
    try:
        sent = rounded.transform(X)
    except ValueError:
        # A party whose coordinates exceed what fits in whole numbers of steps sends nothing.
        return 0.0
    steps = steps_of(rounded, sent.shape[1])
    some = np.random.default_rng(table.seed).permutation(len(X))[:N_ATTACKED]
    n_possible = np.prod(
        [float(len(c.choices)) if c.choices is not None else np.inf for c in table.columns]
    )
    attack = _search_whole if n_possible <= MAX_WHOLE else _decode
    found = attack(table, f, sent[some], steps)
    same = np.isclose(found, X[some], rtol=0, atol=1e-6 * np.maximum(np.ptp(X, axis=0), 1e-9))
    _, counts = np.unique(X, axis=0, return_counts=True)
    return float(same.all(axis=1).mean() - counts.max() / len(X))


def _search_whole(table: Table, f: AffineReduction, sent: Array, steps: Array) -> Array:
    """Send every possible row, and take the nearest to what was sent."""
    choices = [column.choices for column in table.columns]
    places = np.stack(
        np.meshgrid(*[np.arange(len(c)) for c in choices if c is not None], indexing="ij"), axis=-1
    ).reshape(-1, len(choices))
    possible = np.hstack([c[places[:, j]] for j, c in enumerate(choices) if c is not None])
    unit = np.where(steps > 0, steps, 1.0)
    _, nearest = KDTree(f.transform(possible) / unit).query(sent / unit)
    return np.asarray(possible[nearest])


def _decode(table: Table, f: AffineReduction, sent: Array, steps: Array) -> Array:
    """Decode with the true map and the values that columns truly have."""
    origin: list[float] = []
    counted: list[float] = []
    instead, start = [], 0
    for column in table.columns:
        for j in range(column.width):
            step: float = column.step
            beside: list[float] = []
            if column.choices is not None:
                step, beside = _steps(column.choices[:, j])
            origin.append(column.values[0, j] if column.choices is None else column.choices[0, j])
            counted.append(step if column.width == 1 else 1.0)
            if column.width == 1:
                instead += [(start + j, offset, 1 / len(column.values)) for offset in beside]
        start += column.width
    possible = PossibleRows(
        np.array(origin), np.array(counted), *table.bounds, table.groups, tuple(instead)
    )
    linear = f.components
    offset = -f.mean @ linear
    terms = np.abs(table.rows) @ np.abs(linear) + np.abs(offset)
    accuracy = np.maximum(2.0**-50 * terms.max(axis=0), steps / np.sqrt(12))
    forward = ForwardMap(linear, offset, accuracy)
    return decode(sent, forward, possible, *expected_rows(table.rows)).nearest


def _steps(choices: Array) -> tuple[float, list[float]]:
    """Return the step of the values a column can have; or each of them, if they have none."""
    values = np.unique(choices)
    if len(values) == 1:
        return 1.0, []
    gaps = np.diff(values)
    if np.allclose(gaps, gaps[0], rtol=1e-6):
        return float(gaps[0]), []
    step = float(np.median(gaps))
    whole = np.rint((values - choices[0]) / step)
    beside = values - choices[0] - whole * step
    odd = np.abs(beside) > 1e-4 * step
    if odd.sum() <= 2:
        return step, [float(b) for b in beside[odd]]
    return 0.0, [float(v - choices[0]) for v in values if v != choices[0]]


def change(table: Table, rng: np.random.Generator) -> Table:
    """Return a table that differs in one column, in what is sent, or in how."""
    columns, setting = list(table.columns), table.setting
    what = rng.integers(3)
    if what == 0:
        place = int(rng.integers(len(columns)))
        columns[place] = draw_column(len(columns[0].values), columns[:place], rng)
    elif what == 1:
        column = draw_column(len(columns[0].values), columns, rng)
        columns = [*columns, column] if len(columns) < 10 else columns[1:]
    width = sum(column.width for column in columns)
    if what == 2:
        setting = draw_setting(width, rng)
    kept = min(setting.n_components or 1, max(1, width - 1))
    return Table(columns, replace(setting, n_components=kept), int(rng.integers(2**31)))


def draw_planted(rng: np.random.Generator) -> Table:
    """Draw a table of whole numbers in any unit, of which a third of the dimensions is sent."""
    n_columns = int(rng.integers(4, 10))
    kinds = rng.choice(["whole", "decimal", "odd unit", "flag", "categories"], size=n_columns)
    columns: list[Column] = []
    for kind in kinds:
        columns.append(draw_column(120, columns, rng, str(kind)))
    width = sum(column.width for column in columns)
    setting = replace(draw_setting(width, rng), n_components=max(2, width // 3), rounding=None)
    return Table(columns, setting, int(rng.integers(2**31)))


def draw_table(rng: np.random.Generator) -> Table:
    """Draw a table of two to nine variables and 50 to 150 rows, and what is sent of it."""
    n_rows = int(rng.integers(50, 151))
    columns: list[Column] = []
    for _ in range(int(rng.integers(2, 10))):
        columns.append(draw_column(n_rows, columns, rng))
    width = sum(column.width for column in columns)
    return Table(columns, draw_setting(width, rng), int(rng.integers(2**31)))


def draw_setting(width: int, rng: np.random.Generator) -> Setting:
    """Draw how a table of so many columns is sent: in few dimensions more often than not."""
    kept = max(1, min(width - 1, int(rng.integers(1, 4)) if rng.random() < 0.7 else width // 2))
    scalings: tuple[Scaling, ...] = ("none", "bounds", "local")
    return Setting(
        reducer=str(rng.choice(["pca", "svd", "random"])),
        n_components=kept,
        scaling=scalings[int(rng.integers(3))],
        rotate=bool(rng.random() < 0.5),
        rounding=_draw_rounding(rng),
        n_institutions=2,
    )


def _draw_rounding(rng: np.random.Generator) -> Rounding | None:
    chance, share = rng.random(), 2.0 ** -int(rng.integers(1, 13))
    return share if chance < 0.5 else "auto" if chance < 0.65 else None


def draw_column(
    n: int, before: list[Column], rng: np.random.Generator, kind: str | None = None
) -> Column:
    """Draw a variable of a kind, or of any."""
    kind = kind or str(rng.choice(KINDS))
    numbers = [column for column in before if column.width == 1 and column.choices is not None]
    if kind in ("sum", "copy") and numbers:
        first, second = (numbers[int(rng.integers(len(numbers)))] for _ in range(2))
        values = first.values + (second.values if kind == "sum" else 0.0)
        return _bounded(values, None, rng, values_of(values.ravel()).step)
    if kind == "categories":
        choices = np.eye(int(rng.integers(2, 6)))
        return Column(choices[_skewed(len(choices), n, rng)], choices, 0.0, 1.0)
    if kind == "any number":
        scale = 10.0 ** rng.uniform(-3, 3)
        values = rng.normal(size=(n, 1)) * scale
        return _bounded(values, None, rng)
    if kind == "four bytes":
        short = rng.normal(10.0, rng.uniform(0.5, 4.0), size=(n, 1)).astype(np.float32)
        values = short.astype(np.float64)
        return _bounded(values, None, rng, float(np.spacing(np.abs(short)).min()))
    if kind == "huge":
        return _bounded(rng.integers(10**8, size=(n, 1)).astype(float), None, rng, 1.0)
    values = _choices_of(kind, rng)[:, None]
    places = _skewed(len(values), n, rng)
    if kind in ("constant", "constant but one"):
        places = np.zeros(n, dtype=np.intp)
        places[: int(kind != "constant")] = 1
    if kind == "rare flag":
        places = (rng.random(n) < 0.03).astype(np.intp)
    drawn = values[places]
    if kind == "filled":
        # The study puts the middle of the bounds where an entry is missing.
        lower, upper = float(values.min()), float(values.max() + rng.random())
        middle = (lower + upper) / 2
        drawn = np.where(rng.random((n, 1)) < 0.3, middle, drawn)
        return Column(drawn, np.vstack([values, [[middle]]]), lower, upper)
    return _bounded(drawn, values, rng)


def _choices_of(kind: str, rng: np.random.Generator) -> Array:
    whole = np.arange(float(rng.integers(3, 120)))
    if kind == "decimal":
        decimals, first = int(rng.integers(1, 4)), round(float(rng.normal(scale=50)), 2)
        return np.asarray(whole * 10.0**-decimals + first)
    if kind == "odd unit":
        return np.asarray((whole - rng.normal(scale=9)) * np.exp(rng.normal()))
    if kind in ("flag", "rare flag", "constant", "constant but one"):
        return np.arange(2.0)
    if kind == "ordinal":
        return np.arange(float(rng.integers(3, 8)))
    if kind == "few values":
        return np.asarray(np.log1p(np.arange(float(rng.integers(3, 9)))))
    return whole


def _skewed(n_choices: int, n: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Draw places, of which some are far more common than others or none is."""
    shares = rng.dirichlet(np.full(n_choices, 10.0 ** rng.uniform(-0.5, 1.5)))
    return np.asarray(rng.choice(n_choices, size=n, p=shares))


def _bounded(
    values: Array, choices: Array | None, rng: np.random.Generator, step: float = 0.0
) -> Column:
    """Give a variable bounds: tight, rounded, or far too wide."""
    known = values if choices is None else choices
    lower, upper = float(known.min()), float(known.max())
    width = max(upper - lower, 1.0)
    wider = float(rng.choice([0.0, 0.0, 0.5, 1000.0])) * width
    if rng.random() < 0.5:
        lower, upper = float(np.floor(lower)), float(np.ceil(upper))
    return Column(values, choices, lower - wider, upper + wider + (upper == lower), step)

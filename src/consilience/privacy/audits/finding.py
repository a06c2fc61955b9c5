"""A finding: what one attack by one coalition achieves, with its control and its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from consilience.privacy.audits.columns import CountedColumns
from consilience.privacy.audits.membership import Membership
from consilience.privacy.audits.scores import Scores

__all__ = [
    "GRADES",
    "SPARE_BITS",
    "Estimate",
    "Finding",
    "estimate",
    "find",
    "find_links",
    "find_members",
    "grade",
    "not_run",
]

GRADES = {
    "typical column": (0.5, 0.9),
    "worst column": (0.8, 0.98),
    "exact rows": (0.01, 0.05),
    "recognised rows": (0.1, 0.33),
    "who took part": (0.5, 0.9),
}
"""From these values on a figure makes a finding amber, and red.

Columns are rebuilt to an R2: at 0.98 a value is known to a seventh of a standard deviation. Rows
are rebuilt exactly, in every column, or recognised among all: one in ten is as in groups of ten,
one in three as in groups of three. Both beyond what chance gives.
"""
SPARE_BITS = 10.0
"""What is sent of a row holds so many bits more than the row: amber, whether found or not."""

Level = Literal["red", "amber", "green", "not run"]
AMBER: Level = "amber"
RED: Level = "red"


def grade(figures: Mapping[str, float]) -> Level:
    """Grade figures by the worst of them.

    Examples
    --------
    >>> grade({"typical column": 0.4, "recognised rows": 0.25})
    'amber'
    """
    for place, level in ((1, RED), (0, AMBER)):
        if any(value >= GRADES[name][place] for name, value in figures.items()):
            return level
    return "green"


@dataclass(frozen=True)
class Estimate:
    """A mean over repeats and its 95 % confidence interval (Student's t)."""

    mean: float
    low: float
    high: float


def estimate(values: Sequence[float]) -> Estimate:
    """Average repeats.

    Examples
    --------
    >>> estimate([0.4, 0.5, 0.6])
    Estimate(mean=0.5, low=0.2515..., high=0.7484...)
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return Estimate(mean, float("nan"), float("nan"))
    spread = float(np.std(values, ddof=1)) / len(values) ** 0.5
    half = float(student.ppf(0.975, len(values) - 1)) * spread
    return Estimate(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Finding:
    """What a coalition would get.

    Parameters
    ----------
    attack : str
        Its name, such as ``"collusion"``.
    coalition, holds : str
        Who would have to work together, and what they then hold, in words.
    size : int
        Of the coalition: how many of those who take part in the study it needs.
    upper_bound : bool
        Whether the attacker was helped by an oracle; such a finding never decides.
    median_r2, worst_r2, relative_error, within_10_percent, top1 : Estimate or None
        See :mod:`~consilience.privacy.audits.scores`; None if the attack was not run.
    control_r2, control_top1 : Estimate or None
        The same with wrong knowledge, in the attacker's place: what chance gives.
    exact, control_exact : Estimate or None
        Share of the rows rebuilt exactly, in every column; and by chance.
    exposed : Estimate or None
        Share of the rows that leave exactly as they are; any at all is red.
    advantage, control_advantage : Estimate or None
        How far people who took part are told from others: 0 says nothing, 1 is certainty; the
        control asks the same about people none of whom took part.
    spare_bits : Estimate or None
        By how much what is sent of a row exceeds what the row holds: above 0 a row follows from
        it, for who has the time to look.
    rare_r2 : Estimate or None
        R2 of the near-constant column rebuilt best; such columns do not count in the others.
    worst_feature, rare_feature : str
        The column most often rebuilt best.
    excluded : tuple of str
        Columns that did not count, near-constant or duplicated.
    n_rows, n_repeats : int
        Rows attacked in each repeat.
    reason : str
        Why the attack was not run; empty if it was.
    """

    attack: str
    coalition: str
    holds: str
    size: int = 1
    upper_bound: bool = False
    median_r2: Estimate | None = None
    worst_r2: Estimate | None = None
    relative_error: Estimate | None = None
    within_10_percent: Estimate | None = None
    top1: Estimate | None = None
    control_r2: Estimate | None = None
    control_top1: Estimate | None = None
    exact: Estimate | None = None
    control_exact: Estimate | None = None
    exposed: Estimate | None = None
    advantage: Estimate | None = None
    control_advantage: Estimate | None = None
    spare_bits: Estimate | None = None
    rare_r2: Estimate | None = None
    rare_feature: str = ""
    worst_feature: str = ""
    excluded: tuple[str, ...] = ()
    n_rows: int = 0
    n_repeats: int = 0
    reason: str = ""

    @property
    def level(self) -> Level:
        """Red, amber or green by the worst of all figures."""
        if not self.figures:
            return "not run"
        if self.exposed is not None and self.exposed.mean > 0:
            return "red"
        level = grade(self.figures)
        spare = self.spare_bits is not None and self.spare_bits.mean >= SPARE_BITS
        return "amber" if spare and level == "green" else level

    @property
    def figures(self) -> dict[str, float]:
        """Everything that was measured and has a grade, by the name of the grade."""
        found: dict[str, float] = {}
        if self.median_r2 is not None:
            found["typical column"] = self.median_r2.mean
        if self.column is not None:
            found["worst column"] = self.column[1]
        if self.exact is not None:
            found["exact rows"] = self.decoded
        if self.top1 is not None:
            found["recognised rows"] = self.recognised
        if self.advantage is not None:
            found["who took part"] = self.advantage.mean
        return found

    @property
    def exposure(self) -> float:
        """The largest of all figures: what ``max_reconstruction`` of a study limits."""
        return max(self.figures.values(), default=0.0)

    @property
    def column(self) -> tuple[str, float] | None:
        """Name and R2 of the column rebuilt best, rare ones included; None if none was rebuilt."""
        known = [(self.worst_feature, self.worst_r2), (self.rare_feature, self.rare_r2)]
        found = [(name, r2.mean) for name, r2 in known if r2 is not None]
        return max(found, key=lambda pair: pair[1], default=None)

    @property
    def decoded(self) -> float:
        """Share of the rows rebuilt exactly beyond what chance gives."""
        if self.exact is None or self.control_exact is None:
            return 0.0
        return max(0.0, self.exact.mean - self.control_exact.mean)

    @property
    def recognised(self) -> float:
        """Share of the rows recognised beyond what chance gives."""
        if self.top1 is None:
            return 0.0
        chance = 0.0 if self.control_top1 is None else self.control_top1.mean
        return max(0.0, self.top1.mean - chance)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; an interval that is not known becomes None."""
        fields: dict[str, Any] = asdict(self)
        for value in fields.values():
            if isinstance(value, dict):
                value.update({k: None for k, v in value.items() if v != v})
        return {**fields, "level": self.level, "figures": self.figures}


def find(
    attack: str,
    coalition: str,
    holds: str,
    runs: Sequence[Scores],
    controls: Sequence[Scores],
    columns: CountedColumns,
    n_rows: int,
    *,
    size: int = 1,
    upper_bound: bool = False,
    spare_bits: Sequence[float] = (),
) -> Finding:
    """Summarise repeated runs of an attack, and of its control, as a finding."""
    worst = [s.worst_feature for s in runs]
    rare = [s.rare_r2 for s in runs if s.rare_r2 is not None]
    flags = [s.rare_feature for s in runs if s.rare_r2 is not None]
    return Finding(
        attack=attack,
        coalition=coalition,
        holds=holds,
        size=size,
        upper_bound=upper_bound,
        spare_bits=estimate(spare_bits) if spare_bits else None,
        median_r2=estimate([s.median_r2 for s in runs]),
        worst_r2=estimate([s.worst_r2 for s in runs]),
        relative_error=estimate([s.relative_error for s in runs]),
        within_10_percent=estimate([s.within_10_percent for s in runs]),
        top1=estimate([s.top1 for s in runs]),
        control_r2=estimate([s.median_r2 for s in controls]),
        control_top1=estimate([s.top1 for s in controls]),
        exact=estimate([s.exact for s in runs]),
        control_exact=estimate([s.exact for s in controls]),
        rare_r2=estimate(rare) if rare else None,
        rare_feature=max(sorted(set(flags)), key=flags.count) if flags else "",
        worst_feature=max(sorted(set(worst)), key=worst.count),
        excluded=columns.near_constant + columns.duplicated,
        n_rows=n_rows,
        n_repeats=len(runs),
    )


def find_links(
    attack: str,
    coalition: str,
    holds: str,
    runs: Sequence[float],
    controls: Sequence[float],
    n_rows: int,
    *,
    size: int = 1,
    upper_bound: bool = False,
) -> Finding:
    """Summarise an attack that links rows to people and rebuilds no values.

    Examples
    --------
    >>> find_links("linkage", "anybody", "the order", [1.0, 1.0], [0.1, 0.0], 10).level
    'red'
    """
    return Finding(
        attack=attack,
        coalition=coalition,
        holds=holds,
        size=size,
        upper_bound=upper_bound,
        top1=estimate(runs),
        control_top1=estimate(controls),
        n_rows=n_rows,
        n_repeats=len(runs),
    )


def find_members(
    attack: str,
    coalition: str,
    holds: str,
    runs: Sequence[Membership],
    controls: Sequence[Membership],
) -> Finding:
    """Summarise an attack that tells who took part.

    Examples
    --------
    >>> told = Membership(copied=0, exposed=0, auc=0.8, advantage=0.6, n_members=9, n_others=9)
    >>> find_members("membership", "the analyst", "nodes", [told, told], [told, told]).level
    'amber'
    """
    return Finding(
        attack=attack,
        coalition=coalition,
        holds=holds,
        exposed=estimate([m.exposed for m in runs]),
        advantage=estimate([m.advantage for m in runs]),
        control_advantage=estimate([m.advantage for m in controls]),
        n_rows=runs[0].n_members,
        n_repeats=len(runs),
    )


def not_run(attack: str, coalition: str, holds: str, reason: str, size: int = 1) -> Finding:
    """Return a finding that says why there are no figures: never a silent green.

    Examples
    --------
    >>> not_run("collusion", "analyst and a party", "the anchor", "3 rows, needs 10").level
    'not run'
    """
    return Finding(attack=attack, coalition=coalition, holds=holds, size=size, reason=reason)

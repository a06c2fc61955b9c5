"""The frontier: what a party gains in safety, and loses in agreement, with each setting.

A party cannot try settings with the others. It plays a collaboration with itself: its rows are
dealt to as many institutions as the study has, each reduces its share, and the clusters found
together are compared with those of the party's rows as they are. Next to it stands what collusion
rebuilds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.collaboration.audit.contribution import MIN_ROWS
from consilience.collaboration.audit.rehearsal import rehearse
from consilience.collaboration.audit.scene import Setting, set_scene
from consilience.collaboration.audit.with_anchor import collude, decode_rows
from consilience.collaboration.reduction import default_n_components
from consilience.exceptions import StudyError
from consilience.notebook import html_table
from consilience.privacy.audits.columns import count_columns
from consilience.privacy.audits.finding import Level, grade

__all__ = ["Frontier", "Point", "draw_frontier", "settings_to_try"]

Array = npt.NDArray[np.float64]
AddNoise = Callable[[Array], Array]

NOT_HERE = (
    "Not on this list, because it is another kind of study: summaries, for institutions that hold "
    "the same columns. They send no row at all."
)
ROUNDINGS = (2.0**-6, 2.0**-4)
"""Shares of their spread to which coordinates are rounded, to be tried."""
KEPT_AGREEMENT = 0.95
"""The knee keeps this share of the best agreement found."""


@dataclass(frozen=True)
class Point:
    """One setting, with its price.

    Parameters
    ----------
    setting : str
        What was changed, in words.
    n_components : int
    agreement : float
        Adjusted Rand index between the clusters found together and those of the rows as they are.
    reconstruction : float
        Median R2 of collusion with prior (of plain collusion, if there are too few anchor rows).
    top1 : float
        Share of the rows the same coalition recognises.
    worst : float
        R2 of the column rebuilt best.
    exact : float
        Share of the rows rebuilt exactly.
    present : bool
        Whether it is what the study has now.
    """

    setting: str
    n_components: int
    agreement: float
    reconstruction: float
    top1: float
    worst: float = 0.0
    exact: float = 0.0
    present: bool = False

    @property
    def exposure(self) -> float:
        """The largest of all figures."""
        return max(self.reconstruction, self.worst, self.exact, self.top1)

    @property
    def level(self) -> Level:
        """Red, amber or green, as an audit grades the same figures."""
        return grade(
            {
                "typical column": self.reconstruction,
                "worst column": self.worst,
                "exact rows": self.exact,
                "recognised rows": self.top1,
            }
        )


@dataclass(frozen=True)
class Frontier:
    """All settings tried, and the one at the knee.

    The knee is the setting that gives the coalition least among those that keep at least 95 % of
    the best agreement found: by its grade, then by rows exactly, columns and rows recognised.
    """

    points: tuple[Point, ...]

    @property
    def knee(self) -> Point:
        """The setting to consider."""
        best = max(p.agreement for p in self.points)
        good = [p for p in self.points if p.agreement >= KEPT_AGREEMENT * best]
        grades = ("green", "amber", "red")
        return min(
            good, key=lambda p: (grades.index(p.level), p.exact, p.reconstruction, p.worst, p.top1)
        )

    def to_json(self) -> str:
        """Return all points as JSON: counts, dimensions and scores only."""
        points = [{**asdict(p), "level": p.level, "knee": p is self.knee} for p in self.points]
        return json.dumps({"points": points}, indent=2, allow_nan=False)

    def _repr_html_(self) -> str:
        header = ["setting", "agreement", "rebuilt R2", "best", "exactly", "recognised", "grade"]
        rows = [
            [
                p.setting + " (present)" * p.present + " (the knee)" * (p is self.knee),
                f"{p.agreement:.2f}",
                f"{p.reconstruction:.2f}",
                f"{p.worst:.2f}",
                f"{p.exact:.0%}",
                f"{p.top1:.0%}",
                p.level,
            ]
            for p in self.points
        ]
        return html_table(header, rows, "What each setting finds, and gives away", NOT_HERE)

    def to_text(self) -> str:
        """Return a table of all points."""
        lines = ["agreement  rebuilt R2   best  exactly  recognised  grade  setting"]
        for p in self.points:
            mark = "  (present)" * p.present + "  <- knee" * (p is self.knee)
            lines.append(
                f"{p.agreement:9.2f}  {p.reconstruction:10.2f}  {p.worst:5.2f}  {p.exact:7.0%}  "
                f"{p.top1:10.0%}  {p.level:5}  {p.setting}{mark}"
            )
        lines += [
            "agreement: of the clusters found together with those of your rows as they are, 1 is "
            "entirely;",
            "rebuilt: R2 of a typical column and of the best; exactly, recognised: of your rows, "
            "by the analyst",
            "and a party of your columns; knee: gives away least of those that keep 95 % of the "
            "best agreement.",
            "The study sets it by n_components, rotate, rounding and epsilon in [reduction] and by "
            "kind in [anchor].",
            NOT_HERE,
        ]
        return "\n".join(lines)


def settings_to_try(
    setting: Setting, n_features: int, noises: Mapping[str, AddNoise] | None = None
) -> dict[str, Setting]:
    """List settings around the terms of a study: dimensions, rotation, anchor, rounding, noise.

    Parameters
    ----------
    setting : Setting
    n_features : int
    noises : mapping of str to callable, optional
        Noise to try at half of the dimensions, by a name such as ``"epsilon 100"``.

    Examples
    --------
    >>> list(settings_to_try(Setting(), 8))
    ['1 dimension', '2 dimensions', '4 dimensions', '6 dimensions', '7 dimensions',
     '4 dimensions, rotated', '4 dimensions, uniform anchor', '4 dimensions, rounded to 1/64',
     '4 dimensions, rounded to 1/16']
    """
    largest = default_n_components(n_features)
    shares = {round(n_features * share) for share in (0.125, 0.25, 0.5, 0.75)}
    kept = sorted({k for k in shares if 1 <= k <= largest} | {largest})
    half = max(1, n_features // 2)
    setting = replace(setting, n_components=setting.n_components or largest)
    found = {_name(k): replace(setting, n_components=k) for k in kept}
    at_half = replace(setting, n_components=half)
    found[f"{_name(half)}, rotated"] = replace(at_half, rotate=True)
    other = "uniform" if setting.anchor == "gaussian" else "gaussian"
    found[f"{_name(half)}, {other} anchor"] = replace(at_half, anchor=other)
    for rounding in ROUNDINGS:
        found[f"{_name(half)}, rounded to 1/{1 / rounding:g}"] = replace(at_half, rounding=rounding)
    for name, noise in (noises or {}).items():
        found[f"{_name(half)}, {name}"] = replace(at_half, noise=noise)
    return found if setting in found.values() else {"as the study has it": setting, **found}


def draw_frontier(
    X: Array,
    bounds: tuple[Array, Array],
    settings: Mapping[str, Setting],
    n_clusters: int,
    *,
    y: npt.NDArray[Any] | None = None,
    n_repeats: int = 3,
    seed: int | None = None,
    present: Setting | None = None,
) -> Frontier:
    """Measure agreement and reconstruction of several settings on one party's rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    bounds : pair of ndarray of shape (n_features,)
    settings : mapping of str to Setting
        Such as :func:`settings_to_try` gives.
    n_clusters : int
        For k-means on both sides.
    y : ndarray of shape (n_rows,), optional
        Labels, for a supervised reducer.
    n_repeats : int
        Averaged over so many draws of rows, anchors and private randomness.
    seed : int, optional
    present : Setting, optional
        What the study has now, to be marked.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X = load_wine().data
    >>> setting = Setting(scaling="bounds")
    >>> found = draw_frontier(
    ...     X, (X.min(axis=0), X.max(axis=0)),
    ...     {f"{k}": Setting(scaling="bounds", n_components=k) for k in (2, 6, 12)}, 3, seed=0)
    >>> rebuilt = [p.reconstruction for p in found.points]
    >>> rebuilt == sorted(rebuilt)
    True
    """
    if len(X) < max(MIN_ROWS, 4 * n_clusters):
        raise StudyError(
            f"the table has {len(X)} rows, a frontier needs {max(MIN_ROWS, 4 * n_clusters)}: with "
            f"fewer, clusters and scores mean nothing."
        )
    columns = count_columns(X)
    if not len(columns.places):
        raise StudyError("every column is near-constant: there is no frontier to draw.")
    seeds = np.random.default_rng(seed).integers(2**31, size=n_repeats)
    points = []
    for name, setting in settings.items():
        results = []
        for s in seeds:
            rng = np.random.default_rng(s)
            scene = set_scene(X, bounds, setting, rng, y)
            prior = len(scene.anchor) > X.shape[1]
            scores = (decode_rows if prior else collude)(scene, True).score(columns)
            agreement = rehearse(X, bounds, setting, n_clusters, np.random.default_rng(s), y)
            worst = max(scores.worst_r2, scores.rare_r2 or 0.0)
            results.append((agreement, scores.median_r2, scores.top1, worst, scores.exact))
        width = scene.representation.shape[1]
        agreement, rebuilt, top1, worst, exact = np.mean(results, axis=0).tolist()
        now = _same(setting, present)
        points.append(Point(name, width, agreement, rebuilt, top1, worst, exact, now))
    return Frontier(tuple(points))


def _same(setting: Setting, present: Setting | None) -> bool:
    if present is None:
        return False
    return present in (setting, replace(setting, n_components=None))


def _name(k: int) -> str:
    return f"{k} dimension" + ("s" if k != 1 else "")

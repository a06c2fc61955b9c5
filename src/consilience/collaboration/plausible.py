r"""What a contribution may look like: what follows from the public terms of a study.

Of an honest party the analyst knows, without seeing a row, that

- its rows lie within the public bounds, so that none of them is further from the middle of the
  anchor than the furthest corner of the bounds, and a reduction to orthonormal directions makes no
  distance longer;
- the anchor is a cloud of a known shape: along every direction its spread is between the least and
  the largest of the columns', but for chance. Of r rows of m independent columns with standard
  deviation :math:`\sigma` every direction has one between :math:`\sigma (1 \mp \sqrt{m/r} \mp t)`,
  except with probability :math:`2 \exp(-r t^2 / 2)` (Davidson and Szarek);
- all parties of a column group show the same anchor of m columns, so that side by side what they
  sent of it spans no more than m dimensions.

What breaks one of these did not come from rows and anchor of the study: other bounds, other units,
another key, a fault, or an insider who wants a say in others' clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.collaboration.alignment import directions_beyond
from consilience.collaboration.anchors.keyed import SPREAD
from consilience.collaboration.paging import BLOCK_ROWS
from consilience.collaboration.reduction import column_scaling
from consilience.collaboration.terms import Reduced
from consilience.mapped import in_blocks
from consilience.messages import Contribution
from consilience.study.study import Study

__all__ = ["MAX_COORDINATE", "Limits", "foreign_anchors", "limits_of", "why_implausible"]

Array = npt.NDArray[np.float64]

ORTHONORMAL = frozenset({"pca", "svd", "random", "lpp"})
"""Reductions that make no distance longer; the parts of ``nmf`` have units of their own."""
CHANCE = 6.0
"""t is this over the root of r: honest anchors fail once in thirty million."""
SLACK = 1.05
"""The middle of the anchor is that of its rows, a little beside that of the bounds."""
MAX_COORDINATE = 1e60
"""Beyond it products overflow before anything could be said about them."""


@dataclass(frozen=True)
class Limits:
    """What the public terms leave to the parties of one column group.

    Parameters
    ----------
    n_features : int
        Encoded columns, m.
    least, largest : float
        Variance of the anchor along any direction; 0 and infinity where nothing is known.
    reach : float
        Distance of a row from the middle of the anchor; infinity where nothing is known.
    """

    n_features: int
    least: float = 0.0
    largest: float = np.inf
    reach: float = np.inf


def limits_of(study: Study, column: str) -> Limits:
    """Return the limits of a column group.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> limits_of(study, "lab").reach                    # half of a diagonal, in units of bounds
    0.7071067811865476
    """
    method, m = study.of(Reduced), study.width_of(column)
    reduction, kind = method.reduction, method.anchor.kind
    if reduction.scaling == "local" or reduction.reducer not in ORTHONORMAL or kind == "smote":
        return Limits(m)
    ranges, bounds = method.ranges(study, column), study.schema_of(column).bounds
    width = ranges[1] - ranges[0]
    _, unit = column_scaling(np.empty((0, m)), reduction.scaling, ranges)
    middle = (ranges[0] + ranges[1]) / 2
    furthest = np.maximum(np.abs(bounds[0] - middle), np.abs(bounds[1] - middle)) / unit
    reach = float(np.linalg.norm(furthest)) if reduction.epsilon is None else np.inf
    least, largest = _spreads(kind, width / unit)
    return Limits(m, float(least**2), float(largest**2), reach)


def _spreads(kind: str, width: Array) -> tuple[float, float]:
    """Return the least and the largest standard deviation of the columns of an anchor."""
    if kind == "gaussian":
        return width.min() / SPREAD, width.max() / SPREAD
    if kind == "uniform":
        return width.min() / np.sqrt(12), width.max() / np.sqrt(12)
    # A rotated anchor is brought inside the bounds by one factor, between 1 and 1 / sqrt(m).
    return width.min() / np.sqrt(12 * len(width)), width.max() / 2


def why_implausible(message: Contribution, limits: Limits) -> str:
    """Return why a contribution cannot come from the study; nothing if it can."""
    steps = np.ones(1) if message.steps is None else message.steps
    parts = (
        part for array in (message.representation, message.anchor) for part in in_blocks(array)
    )
    largest = max(max(-float(part.min()), float(part.max())) for part in parts)
    if not largest * steps.max() <= MAX_COORDINATE:
        return "its coordinates are too large to be multiplied"
    if limits.least <= 0 and limits.largest == limits.reach == np.inf:
        return ""
    anchor = message.anchor_rows
    middle = anchor.mean(axis=0)
    rounded = 0.0 if message.steps is None else float(message.steps.max()) / np.sqrt(12)
    return _why_anchor(anchor - middle, rounded, limits) or _why_rows(message, middle, limits)


def _why_anchor(centred: Array, noise: float, limits: Limits) -> str:
    """Compare the variance of the anchor along all directions with that of the columns."""
    chance = (np.sqrt(limits.n_features) + CHANCE) / np.sqrt(len(centred))
    rounded = noise * (1 + chance)
    least, largest = np.sqrt(limits.least), np.sqrt(limits.largest)
    lowest, highest = least * (1 - chance) - rounded, largest * (1 + chance) + rounded
    if lowest <= 0 and highest == np.inf:
        return ""
    variances = centred.T @ centred / len(centred)
    if not _is_below(variances, highest**2):
        widest = np.sqrt(np.linalg.eigvalsh(variances)[-1])
        return f"its anchor is {widest / largest:.2g} times as wide as the one all parties draw"
    if lowest > 0 and not _is_below(-variances, -(lowest**2)):
        return "its anchor is narrower along some direction than the one all parties draw"
    return ""


def _is_below(M: Array, limit: float) -> bool:
    """Whether all eigenvalues are below a limit, at a tenth of what finding them would cost."""
    difference = -M
    difference[np.diag_indices_from(M)] += limit
    try:
        np.linalg.cholesky(difference)
    except np.linalg.LinAlgError:
        return False
    return True


def _why_rows(message: Contribution, middle: Array, limits: Limits) -> str:
    """Count the rows that no reduction could bring so far from the middle of the anchor."""
    if not np.isfinite(limits.reach):
        return ""
    steps = np.zeros(len(middle)) if message.steps is None else message.steps
    reach = SLACK * limits.reach + float(np.linalg.norm(steps))
    unit = np.where(steps > 0, steps, 1.0)
    n_rows, beyond = len(message.representation), 0
    for block in in_blocks(message.representation, BLOCK_ROWS):
        beyond += int((np.linalg.norm(block * unit - middle, axis=1) > reach).sum())
    return f"{beyond} of its {n_rows} rows lie beyond the public bounds" if beyond else ""


def foreign_anchors(sent: Mapping[str, tuple[Array, Array]], n_features: int) -> list[str]:
    """Return whose anchor is not that of the others of a column group.

    Parameters
    ----------
    sent : mapping of str to (ndarray of shape (n_anchor, k), ndarray of shape (k,))
        By party: what it sent of the anchor, and the standard deviation of what rounding added.
    n_features : int
        Encoded columns: dimensions that all of them together may span.

    Returns
    -------
    list of str
        The party without which the others agree; all that could be it, if several; or nobody.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(40, 3))
    >>> sent = {name: (A @ rng.normal(size=(3, 2)), np.zeros(2)) for name in "abc"}
    >>> foreign_anchors(sent, 3)
    []
    >>> foreign_anchors(sent | {"d": (rng.normal(size=(40, 2)), np.zeros(2))}, 3)
    ['d']
    """

    def excess(names: list[str]) -> bool:
        stacked = np.hstack([sent[name][0] for name in names])
        noise = np.concatenate([sent[name][1] for name in names])
        return directions_beyond(stacked - stacked.mean(axis=0), noise) > n_features

    names = list(sent)
    if not excess(names):
        return []
    alone = [n for n in names if len(names) > 2 and not excess([o for o in names if o != n])]
    return alone or names

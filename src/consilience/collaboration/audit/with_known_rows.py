"""Attacks by who knows some of the victim's rows: they teach the map, or the way back.

The control knows rows under the wrong names.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.collaboration.alignment import align
from consilience.collaboration.audit.scene import Rebuilt, Scene, TooFewError
from consilience.collaboration.audit.with_anchor import MAX_DECODED
from consilience.privacy.audits.exact_rows import decode_with_known_rows
from consilience.privacy.audits.known_rows import rebuild_from_known_rows

__all__ = ["MIN_REBUILT", "decode_from_known", "know_rows", "know_rows_of_mate", "mispair"]

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

MIN_REBUILT = 10
"""Fewer rows than this say nothing about how well rows are rebuilt."""


def know_rows(scene: Scene, honest: bool) -> Rebuilt:
    """Learn the way back from as many known rows as there are columns."""
    return _learn_from_known(scene, scene.representation, honest)


def know_rows_of_mate(scene: Scene, honest: bool) -> Rebuilt:
    """Learn the way back from the shared coordinates a row-mate is sent."""
    g = align(scene.anchor_representations)[0]
    return _learn_from_known(scene, g.apply(scene.representation), honest)


def decode_from_known(scene: Scene, honest: bool) -> Rebuilt:
    """Learn the map from one more known row than columns, and find the others by it."""
    n_known = scene.rows.shape[1] + 1
    known, rest, paired = _meet(scene, n_known, honest)
    rest, others = rest[:MAX_DECODED], scene.rows[rest[MAX_DECODED:]]
    seen = scene.representation
    guess = rebuild_from_known_rows(scene.rows[known], seen[paired], seen[rest])
    bounds = scene.lower, scene.upper
    found = decode_with_known_rows(
        scene.rows[known], seen[paired], seen[rest], bounds, scene.groups, scene.steps
    )
    guess = np.where(found.sure.any(axis=1, keepdims=True), found.rows, guess)
    # A few guesses far beyond the bounds would hide how good the others are.
    guess = np.clip(guess, *bounds)
    return Rebuilt(scene.rows[rest], guess, found.nearest, others)


def _learn_from_known(scene: Scene, seen: Array, honest: bool) -> Rebuilt:
    known, rest, paired = _meet(scene, max(2, scene.rows.shape[1]), honest)
    guess = rebuild_from_known_rows(scene.rows[known], seen[paired], seen[rest])
    return Rebuilt(scene.rows[rest], np.clip(guess, scene.lower, scene.upper))


def _meet(scene: Scene, n_known: int, honest: bool) -> tuple[Places, Places, Places]:
    """Choose rows an attacker knows, those left, and what it takes for the known ones."""
    n_rows = len(scene.rows)
    if n_rows < n_known + MIN_REBUILT:
        raise TooFewError(
            f"{n_rows} rows under attack, needs {n_known + MIN_REBUILT}: {n_known} known ones "
            f"and {MIN_REBUILT} to rebuild. The attack may work all the same."
        )
    order = scene.rng.permutation(n_rows)
    known, rest = order[:n_known], order[n_known:]
    return known, rest, known if honest else mispair(known, rest, scene.rng)


def mispair(known: Places, rest: Places, rng: np.random.Generator) -> Places:
    """Take other rows for the known ones: where enough are left, none of them is known."""
    if len(rest) < len(known):
        return np.roll(known, 1)
    return rng.permutation(rest)[: len(known)]

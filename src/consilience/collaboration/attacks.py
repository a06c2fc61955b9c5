"""The attacks on a scene that rebuild rows: who, holding what, and how.

Each takes a :class:`~consilience.collaboration.scene.Scene` and whether the attacker's knowledge is
right, and returns the rows under attack with the guess of them. Wrong knowledge is the control: the
anchor of another key, rows known under the wrong name, a representation of nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.collaboration.alignment import align
from consilience.collaboration.scene import Scene, Terms
from consilience.privacy.audits.collusion import curved_inverse, invert, invert_with_prior
from consilience.privacy.audits.known_rows import rebuild_from_known_rows
from consilience.privacy.audits.unmixing import (
    PublicKnowledge,
    match_with_oracle,
    match_without_oracle,
)

__all__ = ["MIN_REBUILT", "Attack", "TooFewError", "attacks_on", "collude", "collude_with_prior"]

Array = npt.NDArray[np.float64]
Rebuilt = tuple[Array, Array]

MIN_REBUILT = 10
"""Fewer rows than this say nothing about how well rows are rebuilt."""
N_QUANTILES = 21


@dataclass(frozen=True)
class Attack:
    """An attack that rebuilds rows: who, with what, and how, given a scene and the truth or not."""

    name: str
    coalition: str
    holds: str
    rebuild: Callable[[Scene, bool], Rebuilt]
    upper_bound: bool = False


def attacks_on(terms: Terms, n_features: int, quick: bool) -> list[Attack]:
    """List the attacks a study with these terms is open to."""
    pair = "The analyst and one party with the same columns"
    # Rows alike are held only where the columns are, whoever else holds the anchor.
    anybody = pair
    if terms.anchor_scope == "all":
        anybody = "The analyst and any one party of the study, all of which hold every anchor"
    found = [
        Attack("collusion", anybody, "your contribution and the anchor", collude),
        Attack(
            "collusion with prior",
            pair,
            "your contribution, the anchor, and rows of their own that are like yours",
            collude_with_prior,
        ),
    ]
    if not isinstance(terms.reducer, str):
        found.append(
            Attack(
                "curved collusion",
                anybody,
                "your contribution and the anchor, inverted by a curve",
                _collude_curved,
            )
        )
    if quick:
        return found
    few = max(2, n_features)
    found.append(
        Attack(
            "known rows",
            "The analyst alone",
            f"your contribution, and {few} of your rows learnt elsewhere",
            _know_rows,
        )
    )
    if terms.answer == "representation":
        found.append(
            Attack(
                "known rows, shared coordinates",
                "A party that holds other columns of the same people",
                f"the shared coordinates it is sent, and {few} of your rows learnt elsewhere",
                _know_rows_of_mate,
            )
        )
    found.append(
        Attack(
            "unmixing",
            "The analyst alone",
            "all contributions, the public bounds, and published quantiles of the columns",
            _unmix_blindly,
        )
    )
    found.append(
        Attack(
            "unmixing with oracle",
            "The analyst alone, told which component is which column",
            "all contributions and the public bounds",
            _unmix_by_oracle,
            upper_bound=True,
        )
    )
    return found


class TooFewError(Exception):
    """An attack lacks what it needs; the text says what."""


def collude(scene: Scene, honest: bool) -> Rebuilt:
    """Invert the victim's map by the anchor alone."""
    anchor = scene.anchor if honest else scene.wrong_anchor
    return scene.rows, invert(anchor, scene.anchor_representations[0], scene.representation)


def _collude_curved(scene: Scene, honest: bool) -> Rebuilt:
    anchor = scene.anchor if honest else scene.wrong_anchor
    seen = scene.anchor_representations[0]
    guess = curved_inverse(anchor, seen, scene.representation)
    # A curve may run away beyond the anchor; the attacker knows that rows do not.
    return scene.rows, np.clip(guess, scene.lower, scene.upper)


def collude_with_prior(scene: Scene, honest: bool) -> Rebuilt:
    """Invert the victim's map by the anchor and what rows like the victim's look like."""
    anchor = scene.anchor if honest else scene.wrong_anchor
    n_anchor, n_features = anchor.shape
    if n_anchor < n_features + 1:
        raise TooFewError(
            f"n_anchor == {n_anchor}, this attack needs {n_features + 1}; few anchor "
            f"rows are no protection, only more work for the attacker."
        )
    mean, covariance = scene.like.mean(axis=0), np.atleast_2d(np.cov(scene.like.T))
    seen = scene.anchor_representations[0]
    rows, noise = scene.representation, scene.noise
    guess = invert_with_prior(anchor, seen, rows, mean, covariance, noise)
    return scene.rows, guess


def _know_rows(scene: Scene, honest: bool) -> Rebuilt:
    return _learn_from_known(scene, scene.representation, honest)


def _know_rows_of_mate(scene: Scene, honest: bool) -> Rebuilt:
    g = align(scene.anchor_representations)[0]
    return _learn_from_known(scene, g.apply(scene.representation), honest)


def _learn_from_known(scene: Scene, seen: Array, honest: bool) -> Rebuilt:
    n_rows, n_features = scene.rows.shape
    n_known = max(2, n_features)
    if n_rows < n_known + MIN_REBUILT:
        raise TooFewError(
            f"{n_rows} rows under attack, needs {n_known + MIN_REBUILT}: {n_known} known ones "
            f"and {MIN_REBUILT} to rebuild. The attack may work all the same."
        )
    rng = np.random.default_rng(int(scene.rows.shape[0]))
    order = rng.permutation(n_rows)
    known, rest = order[:n_known], order[n_known:]
    paired = known if honest else rng.permutation(rest)[:n_known]
    if len(paired) < n_known:
        paired = np.roll(known, 1)
    guess = rebuild_from_known_rows(scene.rows[known], seen[paired], seen[rest])
    return scene.rows[rest], guess


def _public(scene: Scene) -> PublicKnowledge:
    steps = np.linspace(0, 1, N_QUANTILES)
    # How the anchor is drawn is public; another draw tells its mean and spread.
    mean, sd = scene.wrong_anchor.mean(axis=0), scene.wrong_anchor.std(axis=0)
    quantiles = np.quantile(scene.like, steps, axis=0)
    return PublicKnowledge(mean, sd, scene.lower, scene.upper, quantiles)


def _components(scene: Scene, honest: bool) -> Array:
    rows = scene.representation
    if not honest:
        rows = scene.rng.normal(rows.mean(axis=0), rows.std(axis=0), size=rows.shape)
    return scene.components.apply(rows)


def _unmix_blindly(scene: Scene, honest: bool) -> Rebuilt:
    return scene.rows, match_without_oracle(_components(scene, honest), _public(scene))


def _unmix_by_oracle(scene: Scene, honest: bool) -> Rebuilt:
    return scene.rows, match_with_oracle(_components(scene, honest), _public(scene), scene.rows)

"""The attacks on a scene that rebuild rows: who, holding what, and how.

Each takes a :class:`~consilience.collaboration.audit.scene.Scene` and whether the attacker's
knowledge is right, and returns the rows under attack with the guess of them. Wrong knowledge is
the control: the anchor of another key, rows known under the wrong name, a representation of nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from consilience.collaboration.alignment import align
from consilience.collaboration.audit.scene import Scene, Setting
from consilience.privacy.audits.collusion import curved_inverse, invert, invert_with_prior
from consilience.privacy.audits.exact_rows import decode_with_anchor, decode_with_known_rows
from consilience.privacy.audits.known_rows import rebuild_from_known_rows
from consilience.privacy.audits.matching import (
    PublicKnowledge,
    correlate,
    match_with_oracle,
    match_without_oracle,
)

__all__ = [
    "MIN_REBUILT",
    "Attack",
    "TooFewError",
    "attacks_on",
    "collude",
    "collude_with_prior",
    "decode_rows",
    "mispair",
]

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Rebuilt = tuple[Array, Array]

MIN_REBUILT = 10
"""Fewer rows than this say nothing about how well rows are rebuilt."""
MAX_DECODED = 200
"""Rows decoded in a repeat: each costs milliseconds, and a share needs no more."""
N_QUANTILES = 21


@dataclass(frozen=True)
class Attack:
    """An attack that rebuilds rows: who, with what, and how, given a scene and the truth or not."""

    name: str
    coalition: str
    holds: str
    rebuild: Callable[[Scene, bool], Rebuilt]
    upper_bound: bool = False


def attacks_on(setting: Setting, n_features: int, quick: bool) -> list[Attack]:
    """List the attacks a study with these terms is open to; for a quick audit, collusion alone.

    Decoding is among the quick ones: it is cheap, and finds whole rows exactly.
    """
    found = _collusions(setting)
    if quick:
        return found
    few = f"{max(2, n_features)} of your rows learnt elsewhere"
    held = f"your contribution, and {few}"
    more = f"your contribution, and {n_features + 1} of your rows learnt elsewhere"
    found.append(Attack("known rows", "The analyst alone", held, _know_rows))
    found.append(Attack("known rows, decoded", "The analyst alone", more, _decode_from_known))
    if setting.answer == "representation":
        found.append(
            Attack(
                "known rows, shared coordinates",
                "A party that holds other columns of the same people",
                f"the shared coordinates it is sent, and {few}",
                _know_rows_of_mate,
            )
        )
    return [*found, *_unmixings()]


def _collusions(setting: Setting) -> list[Attack]:
    pair = "The analyst and one party with the same columns"
    # Rows alike are held only where the columns are, whoever else holds the anchor.
    anybody = pair
    if setting.anchor_scope == "all":
        anybody = "The analyst and any one party of the study, all of which hold every anchor"
    held = "your contribution and the anchor"
    alike = "your contribution, the anchor, and rows of their own that are like yours"
    found = [
        Attack("collusion", anybody, held, collude),
        Attack("collusion with prior", pair, alike, collude_with_prior),
        Attack("decoding", pair, f"{alike}, and that columns are rounded", decode_rows),
    ]
    if not isinstance(setting.reducer, str):
        curved = f"{held}, inverted by a curve"
        found.append(Attack("curved collusion", anybody, curved, _collude_curved))
    return found


def _unmixings() -> list[Attack]:
    alone = "The analyst alone"
    published = "all contributions, the public bounds, and published quantiles"
    both = f"{published} and correlations of the columns"
    return [
        Attack("unmixing", alone, f"{published} of the columns", _unmix_by_marginals),
        Attack("unmixing with correlations", alone, both, _unmix_by_correlations),
        Attack(
            "unmixing with oracle",
            f"{alone}, told which component is which column",
            "all contributions and the public bounds",
            _unmix_by_oracle,
            upper_bound=True,
        ),
    ]


class TooFewError(Exception):
    """An attack lacks what it needs; the text says what."""


def collude(scene: Scene, honest: bool) -> Rebuilt:
    """Invert the victim's map by the anchor alone."""
    anchor = scene.anchor if honest else scene.another_anchor()
    return scene.rows, invert(anchor, scene.anchor_representations[0], scene.representation)


def _collude_curved(scene: Scene, honest: bool) -> Rebuilt:
    anchor = scene.anchor if honest else scene.another_anchor()
    seen = scene.anchor_representations[0]
    guess = curved_inverse(anchor, seen, scene.representation)
    # A curve may run away beyond the anchor; the attacker knows that rows do not.
    return scene.rows, np.clip(guess, scene.lower, scene.upper)


def collude_with_prior(scene: Scene, honest: bool) -> Rebuilt:
    """Invert the victim's map by the anchor and what rows like the victim's look like."""
    anchor = scene.anchor if honest else scene.another_anchor()
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


def decode_rows(scene: Scene, honest: bool) -> Rebuilt:
    """Find rows on the lattice of rounded columns; those not found are rebuilt by the prior."""
    few = slice(MAX_DECODED)
    some = replace(scene, rows=scene.rows[few], representation=scene.representation[few])
    rows, guess = collude_with_prior(some, honest)
    anchor = scene.anchor if honest else scene.another_anchor()
    seen, bounds = scene.anchor_representations[0], (scene.lower, scene.upper)
    found = decode_with_anchor(anchor, seen, some.representation, bounds, scene.like, scene.groups)
    return rows, np.where(found.known[:, None], found.rows, guess)


def _decode_from_known(scene: Scene, honest: bool) -> Rebuilt:
    n_known = scene.rows.shape[1] + 1
    known, rest, paired = _meet(scene, n_known, honest)
    rest, seen = rest[:MAX_DECODED], scene.representation
    guess = rebuild_from_known_rows(scene.rows[known], seen[paired], seen[rest])
    bounds = scene.lower, scene.upper
    found = decode_with_known_rows(
        scene.rows[known], seen[paired], seen[rest], bounds, scene.groups, scene.steps
    )
    return scene.rows[rest], np.where(found.known[:, None], found.rows, guess)


def _know_rows(scene: Scene, honest: bool) -> Rebuilt:
    return _learn_from_known(scene, scene.representation, honest)


def _know_rows_of_mate(scene: Scene, honest: bool) -> Rebuilt:
    g = align(scene.anchor_representations)[0]
    return _learn_from_known(scene, g.apply(scene.representation), honest)


def _learn_from_known(scene: Scene, seen: Array, honest: bool) -> Rebuilt:
    known, rest, paired = _meet(scene, max(2, scene.rows.shape[1]), honest)
    guess = rebuild_from_known_rows(scene.rows[known], seen[paired], seen[rest])
    return scene.rows[rest], guess


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


def _public(scene: Scene, correlated: bool) -> PublicKnowledge:
    steps = np.linspace(0, 1, N_QUANTILES)
    # How the anchor is drawn is public; another draw tells its mean and spread.
    drawn = scene.another_anchor()
    return PublicKnowledge(
        drawn.mean(axis=0),
        drawn.std(axis=0),
        scene.lower,
        scene.upper,
        np.quantile(scene.like, steps, axis=0),
        correlate(scene.like) if correlated else None,
    )


def _components(scene: Scene, honest: bool) -> Array:
    rows = scene.representation
    if not honest:
        rows = scene.rng.normal(rows.mean(axis=0), rows.std(axis=0), size=rows.shape)
    return scene.components.apply(rows)


def _unmix_by_marginals(scene: Scene, honest: bool) -> Rebuilt:
    known = _public(scene, correlated=False)
    return scene.rows, match_without_oracle(_components(scene, honest), known)


def _unmix_by_correlations(scene: Scene, honest: bool) -> Rebuilt:
    known = _public(scene, correlated=True)
    return scene.rows, match_without_oracle(_components(scene, honest), known)


def _unmix_by_oracle(scene: Scene, honest: bool) -> Rebuilt:
    known = _public(scene, correlated=False)
    return scene.rows, match_with_oracle(_components(scene, honest), known, scene.rows)

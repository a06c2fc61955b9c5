"""Attacks by the analyst and somebody who holds the anchor: the map is known, rows follow from it.

Each takes a scene and whether the attacker's knowledge is right, and returns the rows under attack
with the guess of them. The control has the anchor of another key.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from consilience.collaboration.audit.scene import Rebuilt, Scene, TooFewError
from consilience.collaboration.population import estimate_population
from consilience.collaboration.sights import look
from consilience.privacy.audits.capacity import surplus_bits
from consilience.privacy.audits.collusion import curved_inverse, invert, invert_with_prior
from consilience.privacy.audits.exact_rows import decode_with_anchor
from consilience.privacy.audits.forward_map import learn_forward_map
from consilience.privacy.audits.nonlinear import rebuild_from_examples

__all__ = [
    "MAX_DECODED",
    "collude",
    "collude_curved",
    "collude_with_all",
    "collude_with_examples",
    "collude_with_prior",
    "decode_rows",
    "spare_bits_of",
]

Array = npt.NDArray[np.float64]

MAX_DECODED = 100
"""Rows decoded in a repeat: each costs milliseconds, and a share needs no more."""
MAX_EXAMPLES = 300
"""Examples a learner is taught by: it takes seconds with these, and minutes with all."""


def collude(scene: Scene, honest: bool) -> Rebuilt:
    """Invert the victim's map by the anchor alone."""
    anchor = scene.anchor if honest else scene.another_anchor()
    return Rebuilt(
        scene.rows, invert(anchor, scene.anchor_representations[0], scene.representation)
    )


def collude_curved(scene: Scene, honest: bool) -> Rebuilt:
    """Invert a map that is not affine by the anchor alone."""
    anchor = scene.anchor if honest else scene.another_anchor()
    seen = scene.anchor_representations[0]
    guess = curved_inverse(anchor, seen, scene.representation)
    # A curve may run away beyond the anchor; the attacker knows that rows do not.
    return Rebuilt(scene.rows, np.clip(guess, scene.lower, scene.upper))


def collude_with_all(scene: Scene, honest: bool) -> Rebuilt:
    """Expect what the victim dropped from what the other institutions kept of theirs.

    This is what aligning by the population computes, whatever the study says the analyst does.
    """
    anchor = scene.anchor if honest else scene.another_anchor()
    anchors, rows = scene.anchor_representations, [scene.representation, *scene.others]
    sights = [sight for i, sent in enumerate(rows) for sight in look(i, [sent])]
    population = estimate_population(anchors, sights)
    away = np.hstack(anchors) - np.concatenate(population.middles)
    places = away @ np.linalg.pinv(np.hstack(population.views)) * population.units
    expected = population.place(0, scene.representation)
    return Rebuilt(scene.rows, invert(anchor, places, expected))


def collude_with_prior(scene: Scene, honest: bool) -> Rebuilt:
    """Invert the victim's map by the anchor and what rows like the victim's look like."""
    anchor = _determining(scene, honest)
    mean, covariance = scene.like.mean(axis=0), np.atleast_2d(np.cov(scene.like.T))
    seen = scene.anchor_representations[0]
    rows, noise = scene.representation, scene.noise
    return Rebuilt(scene.rows, invert_with_prior(anchor, seen, rows, mean, covariance, noise))


def collude_with_examples(scene: Scene, honest: bool) -> Rebuilt:
    """Send rows alike through the victim's map, and learn the way back from them."""
    f = learn_forward_map(_determining(scene, honest), scene.anchor_representations[0])
    rows, like = scene.rows, scene.like[:MAX_EXAMPLES]
    disturbed = like
    if scene.noise is not None:
        nowhere = np.zeros(like.shape[1])
        disturbed = like + scene.rng.multivariate_normal(nowhere, scene.noise, len(like))
    return Rebuilt(
        rows, rebuild_from_examples(f.apply(disturbed), like, scene.representation, seed=0)
    )


def decode_rows(scene: Scene, honest: bool) -> Rebuilt:
    """Find rows among those that are possible; those of which nothing is found, by the prior."""
    few = slice(MAX_DECODED)
    some = replace(scene, rows=scene.rows[few], representation=scene.representation[few])
    rows, guess, *_ = collude_with_prior(some, honest)
    anchor = _determining(scene, honest)
    seen, bounds = scene.anchor_representations[0], (scene.lower, scene.upper)
    found = decode_with_anchor(anchor, seen, some.representation, bounds, scene.like, scene.groups)
    guess = np.where(found.sure.any(axis=1, keepdims=True), found.rows, guess)
    guess = np.clip(guess, *bounds)
    return Rebuilt(rows, guess, found.nearest, scene.rows[MAX_DECODED:])


def spare_bits_of(scene: Scene) -> float:
    """Return by how many bits what the victim sends of a row exceeds what the row holds."""
    f = learn_forward_map(_determining(scene, True), scene.anchor_representations[0])
    return surplus_bits(scene.representation, f, scene.like, scene.groups, scene.noise)


def _determining(scene: Scene, honest: bool) -> Array:
    """Return an anchor that determines the map: it has more rows than columns."""
    n_anchor, n_features = scene.anchor.shape
    if n_anchor < n_features + 1:
        raise TooFewError(
            f"n_anchor == {n_anchor}, this attack needs {n_features + 1}; few anchor "
            f"rows are no protection, only more work for the attacker."
        )
    return scene.anchor if honest else scene.another_anchor()

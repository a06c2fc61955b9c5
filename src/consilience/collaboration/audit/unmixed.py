"""Attacks by the analyst alone, who unmixes the anchor representations of all.

The control has a representation of nobody.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.collaboration.audit.scene import Rebuilt, Scene
from consilience.privacy.audits.matching import (
    PublicKnowledge,
    correlate,
    match_with_oracle,
    match_without_oracle,
)

__all__ = ["unmix_by_correlations", "unmix_by_marginals", "unmix_by_oracle"]

N_QUANTILES = 21


def unmix_by_marginals(scene: Scene, honest: bool) -> Rebuilt:
    """Tell components from each other by published quantiles."""
    known = _public(scene, correlated=False)
    return Rebuilt(scene.rows, match_without_oracle(_components(scene, honest), known))


def unmix_by_correlations(scene: Scene, honest: bool) -> Rebuilt:
    """Tell components from each other by published quantiles and correlations."""
    known = _public(scene, correlated=True)
    return Rebuilt(scene.rows, match_without_oracle(_components(scene, honest), known))


def unmix_by_oracle(scene: Scene, honest: bool) -> Rebuilt:
    """Be told which component is which column."""
    known = _public(scene, correlated=False)
    return Rebuilt(scene.rows, match_with_oracle(_components(scene, honest), known, scene.rows))


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


def _components(scene: Scene, honest: bool) -> npt.NDArray[np.float64]:
    rows = scene.representation
    if not honest:
        rows = scene.rng.normal(rows.mean(axis=0), rows.std(axis=0), size=rows.shape)
    return scene.components.apply(rows)

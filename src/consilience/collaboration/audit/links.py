"""The attacks on a scene that link rows to people and rebuild nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consilience.collaboration.audit.scene import Scene, Setting
from consilience.privacy.audits.finding import Finding, find_links
from consilience.privacy.audits.linkage import (
    fill_candidates,
    link_by_order,
    link_by_representation,
)
from consilience.privacy.audits.register_linkage import link_with_register

__all__ = ["link_rows"]

Array = npt.NDArray[np.float64]

MAX_LINKED, MAX_REGISTERS = 300, 3
"""Rows linked by their shape in a repeat, and repeats: it takes seconds."""


def link_rows(setting: Setting, scenes: Sequence[Scene]) -> list[Finding]:
    """Run the linkage attacks on all scenes.

    By the analyst alone, with a register of everybody who took part and as many others; with the
    anchor and a register that has half of the columns, drawn anew for each scene; with the anchor
    and one that has all of them exactly, which is an upper bound; and by the order of the rows.
    """
    n_features = scenes[0].rows.shape[1]
    half = max(1, n_features // 2)
    findings = [_by_register_alone(setting, scenes[:MAX_REGISTERS])]
    if half < n_features:
        findings.append(_by_register(setting, scenes, half))
    return [*findings, _by_register(setting, scenes, n_features), _by_order(setting, scenes)]


def _by_register_alone(setting: Setting, scenes: Sequence[Scene]) -> Finding:
    runs, controls = [], []
    for scene in scenes:
        rows = scene.rows[:MAX_LINKED]
        register = np.vstack([rows, scene.like[: len(rows)]])
        places = scene.rng.permutation(len(register))
        listed = register[places]
        links = link_with_register(
            scene.representation[: len(rows)], _in_units(setting, scene, listed)
        )
        runs.append(links.recognised(listed, rows))
        controls.append(links.recognised(listed, rows[scene.rng.permutation(len(rows))]))
    return find_links(
        "linkage by shape",
        "The analyst alone, with a register",
        "your contribution, and a list that has all your columns, of whose people half took part",
        runs,
        controls,
        len(rows),
    )


def _in_units(setting: Setting, scene: Scene, rows: Array) -> Array:
    """Put a list in the units the study reduces rows in; of local ones the list's own are close."""
    if setting.scaling == "none":
        return rows
    width = scene.upper - scene.lower if setting.scaling == "bounds" else rows.std(axis=0)
    return np.asarray(rows / np.where(width > 0, width, 1.0))


def _by_register(setting: Setting, scenes: Sequence[Scene], n_known: int) -> Finding:
    n_rows, n_features = scenes[0].rows.shape
    exact = n_known == n_features
    runs: list[float] = []
    controls: list[float] = []
    for scene in scenes:
        known = scene.rng.permutation(n_features)[:n_known]
        filled, uncertainty = fill_candidates(scene.rows, known, scene.like)
        for anchor, results in ((scene.anchor, runs), (scene.another_anchor(), controls)):
            linked = link_by_representation(
                anchor,
                scene.anchor_representations[0],
                scene.representation,
                filled,
                None if exact else uncertainty,
            )
            results.append(linked)
    partner = "one party with the same columns"
    listed = f"a list that has {n_known} of your {n_features} columns, and rows like yours"
    if exact:
        # Nothing has to be filled in, so no rows alike: whoever holds the anchor will do.
        listed = "and a list that has all your columns"
        if setting.anchor_scope == "all":
            partner = "any one party of the study, all of which hold every anchor"
    return find_links(
        "linkage, exact register" if exact else "linkage",
        f"The analyst, {partner}, and a register",
        f"your contribution, the anchor, {listed}",
        runs,
        controls,
        n_rows,
        size=2,
        upper_bound=exact,
    )


def _by_order(setting: Setting, scenes: Sequence[Scene]) -> Finding:
    places = np.arange(len(scenes[0].rows))
    shuffles = [scene.rng.permutation(len(places)) for scene in scenes]
    sent = [shuffle if setting.shuffled else places for shuffle in shuffles]
    return find_links(
        "order",
        "The analyst, and anybody who knows the order of your table",
        "your contribution",
        [link_by_order(s, places) for s in sent],
        [link_by_order(s, places) for s in shuffles],
        len(places),
    )

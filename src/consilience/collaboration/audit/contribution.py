"""The audit of a data collaboration: every attack its contributions are open to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.collaboration.audit.advice import advise
from consilience.collaboration.audit.attacks import Attack, attacks_on
from consilience.collaboration.audit.links import link_rows
from consilience.collaboration.audit.scene import (
    MAX_ROWS,
    Scene,
    Setting,
    TooFewError,
    set_scene,
)
from consilience.collaboration.audit.with_anchor import collude, decode_rows
from consilience.collaboration.reduction import Reduction
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.columns import CountedColumns, count_columns
from consilience.privacy.audits.finding import Finding, find, not_run
from consilience.privacy.audits.scores import AlikeError

__all__ = ["MIN_ROWS", "audit_collaboration", "quick_findings"]

Array = npt.NDArray[np.float64]

MIN_ROWS = 20
"""Below this many rows R2 and shares of rows mean nothing, and no attack is run."""


def audit_collaboration(
    X: Array,
    bounds: tuple[Array, Array],
    setting: Setting,
    *,
    names: Sequence[str] | None = None,
    y: npt.NDArray[Any] | None = None,
    quick: bool = False,
    n_repeats: int = 5,
    max_rows: int = MAX_ROWS,
    seed: int | None = None,
    maps: Sequence[Reduction] = (),
) -> Audit:
    """Attack what a party is about to contribute, in every way we know.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The party's rows, as the study encodes them.
    bounds : pair of ndarray of shape (n_features,)
        Public bounds of the study.
    setting : Setting
        What the study says about reduction, anchor and answer.
    names : sequence of str, optional
        Of the columns.
    y : ndarray of shape (n_rows,), optional
        Labels, for a supervised reducer.
    quick : bool
        Collusion and decoding only, twice: what ``contribute`` runs.
    n_repeats : int
        Each repeat draws its own rows, anchor and private randomness; the intervals cover all
        three.
    max_rows : int
        Rows attacked in a repeat.
    seed : int, optional
        From the operating system by default.
    maps : sequence of Reduction
        All by which rows of the party left before, and the one they are about to leave by: see
        :func:`~consilience.collaboration.audit.of_party.audit_party`.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X = load_wine().data
    >>> bounds = X.min(axis=0), X.max(axis=0)
    >>> setting = Setting(n_components=6, scaling="bounds")
    >>> audit = audit_collaboration(X, bounds, setting, quick=True, seed=0)
    >>> {finding.attack: finding.level for finding in audit.findings}
    {'collusion': 'red', 'collusion with prior': 'red', 'decoding': 'red',
     'known rows, decoded': 'red'}
    """
    attacks = attacks_on(setting, X.shape[1], quick, max(1, len(maps)))
    columns = _columns(X, names, seed, max_rows)
    refusal = _refusal(X, columns)
    if refusal:
        findings = tuple(_not_run(attack, refusal) for attack in attacks)
        return Audit(findings, setting.to_dict(), len(X), X.shape[1], (refusal,))
    rngs = np.random.default_rng(seed).spawn(2 if quick else n_repeats)
    scenes = [set_scene(X, bounds, setting, rng, y, max_rows, maps) for rng in rngs]
    results = [_run(attack, scenes, columns) for attack in attacks]
    if not quick:
        results += link_rows(setting, scenes)
    audit = Audit(tuple(results), setting.to_dict(), len(X), X.shape[1])
    return advise(audit, setting, lambda t: _collusion(X, bounds, t, columns, rngs[0], y, max_rows))


def quick_findings(
    X: Array,
    bounds: tuple[Array, Array],
    setting: Setting,
    seed: int | None = None,
    maps: Sequence[Reduction] = (),
) -> Iterator[Finding]:
    """Yield what a quick audit finds, one attack after the other: who has seen enough may stop.

    Parameters
    ----------
    X, bounds, setting, seed, maps
        As in :func:`audit_collaboration`.
    """
    columns = _columns(X, None, seed, MAX_ROWS)
    attacks = attacks_on(setting, X.shape[1], True, max(1, len(maps)))
    refusal = _refusal(X, columns)
    if refusal:
        yield from (_not_run(attack, refusal) for attack in attacks)
        return
    rngs = np.random.default_rng(seed).spawn(2)
    scenes = [set_scene(X, bounds, setting, rng, None, MAX_ROWS, maps) for rng in rngs]
    yield from (_run(attack, scenes, columns) for attack in attacks)


def _columns(
    X: Array, names: Sequence[str] | None, seed: int | None, max_rows: int
) -> CountedColumns:
    sample = np.random.default_rng(seed).permutation(len(X))[: 10 * max_rows]
    return count_columns(X[sample], names)


def _refusal(X: Array, columns: CountedColumns) -> str:
    if len(X) < MIN_ROWS:
        return (
            f"the table has {len(X)} rows, an audit needs {MIN_ROWS}: with fewer no figure means "
            f"anything. Nothing is known about what could be rebuilt; treat it as everything."
        )
    if not len(columns.places):
        return "every column is near-constant: there is nothing to rebuild, and nothing to cluster."
    return ""


def _run(attack: Attack, scenes: Sequence[Scene], columns: CountedColumns) -> Finding:
    scenes = scenes[: attack.max_repeats]
    try:
        rebuilt = [attack.rebuild(scene, True) for scene in scenes]
        runs = [found.score(columns) for found in rebuilt]
        # Wrong knowledge finds nothing at greater length than right knowledge finds rows.
        half = scenes[: (len(scenes) + 1) // 2]
        controls = [attack.rebuild(scene, False).score(columns) for scene in half]
        spare = [attack.spare_bits(scene) for scene in scenes] if attack.spare_bits else []
    except (TooFewError, AlikeError) as reason:
        return _not_run(attack, str(reason))
    return find(
        attack.name,
        attack.coalition,
        attack.holds,
        runs,
        controls,
        columns,
        len(rebuilt[0].rows),
        size=attack.size,
        upper_bound=attack.upper_bound,
        spare_bits=spare,
    )


def _not_run(attack: Attack, reason: str) -> Finding:
    return not_run(attack.name, attack.coalition, attack.holds, reason, attack.size)


def _collusion(
    X: Array,
    bounds: tuple[Array, Array],
    setting: Setting,
    columns: CountedColumns,
    rng: np.random.Generator,
    y: npt.NDArray[Any] | None,
    max_rows: int,
) -> float:
    """Return the median R2 of decoding under other terms, once."""
    scene = set_scene(X, bounds, setting, rng, y, max_rows)
    attack = decode_rows if len(scene.anchor) > X.shape[1] else collude
    return attack(scene, True).score(columns).median_r2

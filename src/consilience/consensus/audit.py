"""The audit of a consensus: what labels and ranks tell of the columns behind them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consilience.consensus.local_step import LocalStep, local_labels
from consilience.consensus.medoids import (
    Similarity,
    rank_members,
    rank_positions,
    total_similarity,
)
from consilience.privacy.audits.attribute import infer_attributes, message_features
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.columns import count_columns
from consilience.privacy.audits.finding import Finding, find, not_run
from consilience.privacy.audits.scores import Scores, score

__all__ = ["MIN_ROWS", "audit_consensus", "places_told"]

Array = npt.NDArray[np.float64]

MIN_ROWS = 60
"""Below this many rows there are too few to know some and score the others."""
MAX_ROWS = 2_000
KNOWN_SHARE = 0.05
MIN_KNOWN = 20
PEER = "A peer that holds other columns of the same people"


def audit_consensus(
    X: Array,
    step: LocalStep,
    *,
    names: Sequence[str] | None = None,
    n_repeats: int = 5,
    seed: int | None = None,
) -> Audit:
    """Attack what a peer sends in the first round: its labels, and its ranks in each cluster.

    The attacker knows one row in twenty (at least 20) of the victim and learns to read the others
    from the messages. It has no columns of its own here; with columns that depend on the
    victim's it may do better.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The peer's columns, in the units in which it clusters them.
    step : LocalStep
        How it clusters.
    names : sequence of str, optional
    n_repeats : int
        Each repeat draws at most 2,000 rows, and which of them are known.
    seed : int, optional

    Returns
    -------
    Audit

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> X = np.random.default_rng(0).normal(size=(300, 1))
    >>> audit = audit_consensus(X, LocalStep(KMeans(8, n_init=1)), seed=0)
    >>> audit.worst.level
    'amber'
    """
    columns = count_columns(X, names)
    terms = {"method": "consensus", "base": repr(step.base), "n_repeats": step.n_repeats}
    kinds = {"labels": False, "labels and ranks": True}
    if len(X) < MIN_ROWS or not len(columns.places):
        reason = (
            f"the table has {len(X)} rows, an audit of a consensus needs {MIN_ROWS}. Nothing is "
            f"known about what could be inferred; treat it as everything."
            if len(X) < MIN_ROWS
            else "every column is near-constant: there is nothing to infer."
        )
        findings = [not_run(kind, PEER, _holds(kind, 0), reason) for kind in kinds]
        return Audit(tuple(findings), terms, len(X), X.shape[1], (reason,))
    found: list[Finding] = []
    for kind, ranked in kinds.items():
        runs: list[Scores] = []
        controls: list[Scores] = []
        for rng in np.random.default_rng(seed).spawn(n_repeats):
            rows = X[rng.permutation(len(X))[:MAX_ROWS]]
            n_known = max(MIN_KNOWN, int(KNOWN_SHARE * len(rows)))
            told = _told(rows, step, ranked)
            for results, order in (
                (runs, np.arange(len(rows))),
                (controls, rng.permutation(len(rows))),
            ):
                guess = _infer(rows, told[order], n_known)
                results.append(score(rows[n_known:], guess[n_known:], columns))
        holds = _holds(kind, n_known)
        found.append(find(kind, PEER, holds, runs, controls, columns, len(rows) - n_known))
    return Audit(tuple(found), terms, len(X), X.shape[1])


def _holds(kind: str, n_known: int) -> str:
    known = f"{n_known} of your rows" if n_known else "some of your rows"
    return f"your {kind} of the first round, and {known} learnt elsewhere"


def _told(X: Array, step: LocalStep, ranked: bool) -> Array:
    """Write what the peer would send about each row in the first round."""
    labels = local_labels(X, step, seed=0, peer=0, iteration=1)
    if not ranked:
        return message_features(labels[:, None])
    return message_features(labels[:, None], places_told(X, labels, step.similarity)[:, None])


def places_told(
    X: Array, labels: npt.NDArray[np.int64], similarity: Similarity = "cosine"
) -> Array:
    """Return the place of each row among the members of its cluster, 0 for the medoid and 1 last.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [5.0, 5.0]])
    >>> places_told(X, np.array([0, 0, 0, 1]))
    array([0.5, 0. , 1. , 0. ])
    """
    rows = np.arange(len(X))
    scores = total_similarity(X, labels, rows, similarity)
    places = rank_positions(rank_members(scores, labels, rows), labels, rows)
    return np.asarray(places / np.maximum(np.bincount(labels)[labels] - 1, 1))


def _infer(X: Array, told: Array, n_known: int) -> Array:
    nothing = np.empty((len(X), 0))
    return infer_attributes(nothing, told, np.arange(n_known), X[:n_known], seed=0)

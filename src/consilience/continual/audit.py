"""The audit of a continual party: what its nodes tell of who took part."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.continual.terms import party_of, stream_of
from consilience.continual.units import Units
from consilience.messages import NodeUpdate
from consilience.privacy.audits import Audit, Membership, find_members, infer_membership, not_run
from consilience.study.study import Study

__all__ = ["MIN_ROWS", "audit_stream"]

FloatArray = npt.NDArray[np.float64]

MIN_ROWS = 60
"""Below this many rows there are too few for members, and for two groups of others."""
MAX_ROWS = 1_000
"""Rows learnt from in one repeat; a larger table is sampled."""
ANALYST = "The analyst alone"
HOLDS = "the nodes of your first window, and a list of people of whom half took part"


def audit_stream(
    study: Study, party: str, X: FloatArray, *, n_repeats: int = 5, seed: int | None = None
) -> Audit:
    """Attack the nodes a party would send of its first window.

    A third of the rows is learnt from; the attacker calls a candidate a member if a node lies close
    to it (:func:`~consilience.privacy.audits.infer_membership`). Candidates are that third and
    another one; the control takes the last third for members, none of whom were.

    Parameters
    ----------
    study : Study
        With a ``[stream]``.
    party : str
        Its place in the grid, ``"row/column"``.
    X : ndarray of shape (n_rows, n_features)
        Its table as the study's schema encodes it.
    n_repeats : int
        Each repeat deals the rows anew, at most 1,000 to learn from.
    seed : int, optional
        From the operating system by default.

    Notes
    -----
    Noise is played with a seed, as nothing of an audit leaves. Later windows are not played: they
    send the nodes that moved once more, and so tell more.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... stream = {epsilon = 2.0}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> X = np.random.default_rng(0).uniform(0, 120, size=(600, 2))
    >>> finding, = audit_stream(study, "north/lab", X, seed=0).findings
    >>> finding.level, finding.exposed.mean
    ('green', 0.0)
    """
    terms = stream_of(study)
    plain = {"method": "continual", "profile": terms.profile, "epsilon": terms.epsilon}
    reason = ""
    if len(X) < MIN_ROWS:
        reason = (
            f"the table has {len(X)} rows, an audit of a stream needs {MIN_ROWS}. Nothing is known "
            f"about what the nodes tell; treat it as everything."
        )
    elif not np.ptp(X, axis=0).any():
        reason = "all rows are the same: nobody can be told from anybody."
    if reason:
        finding = not_run("membership", ANALYST, HOLDS, reason)
        return Audit((finding,), plain, len(X), X.shape[1], (reason,))
    played = [_play(study, party, X, rng) for rng in np.random.default_rng(seed).spawn(n_repeats)]
    runs, controls = zip(*played, strict=True)
    finding = find_members("membership", ANALYST, HOLDS, runs, controls)
    return Audit((finding,), plain, len(X), X.shape[1], _advice(terms.epsilon, runs))


def _play(
    study: Study, name: str, X: FloatArray, rng: np.random.Generator
) -> tuple[Membership, Membership]:
    """Learn from a third of the rows; return what the nodes tell, and the control."""
    n = min(len(X) // 3, MAX_ROWS)
    members, others, strangers = np.split(X[rng.permutation(len(X))[: 3 * n]], 3)
    party = party_of(study, name, insecure_seed=int(rng.integers(2**31)))
    (update,) = party.begin(members)
    assert isinstance(update, NodeUpdate)
    bounds = study.schema_of(study.grid.columns[0]).bounds
    units = Units(*bounds) if party.network.profile.scale else Units()
    others = units.scale(others)
    return (
        infer_membership(update.nodes, units.scale(members), others),
        infer_membership(update.nodes, units.scale(strangers), others),
    )


def _advice(epsilon: float | None, runs: tuple[Membership, ...]) -> tuple[str, ...]:
    copied = float(np.mean([m.copied for m in runs]))
    if epsilon is not None:
        return ()
    return (
        f"Set stream.epsilon: without noise {copied:.0%} of the nodes you send are rows of your "
        f"table, bit for bit.",
    )

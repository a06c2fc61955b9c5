"""The audit of a continual party: what its nodes tell of who took part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consilience.continual.party import Party
from consilience.continual.roles import party_of
from consilience.continual.terms import Stream, StreamTerms
from consilience.continual.units import Units
from consilience.exceptions import BudgetError
from consilience.messages import NodeUpdate
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.differencing import difference_nodes
from consilience.privacy.audits.finding import Finding, find_members, not_run
from consilience.privacy.audits.membership import Membership, infer_membership
from consilience.study.study import Study

__all__ = ["MAX_ROWS", "MIN_ROWS", "ROUNDING", "audit_stream", "points_told"]

FloatArray = npt.NDArray[np.float64]

MIN_ROWS = 80
"""Below this many rows there are too few for two windows, and for two groups of others."""
MAX_ROWS = 1_000
"""Rows of a window in one repeat; a larger table is sampled."""
LATER_SHARE, MIN_LATER = 0.1, 20
ROUNDING = 1e-6
"""A row rebuilt to within this many standard deviations is the row."""
ANALYST = "The analyst alone"
HALF = "and a list of people of whom half"
HOLDS = {
    "membership": f"the nodes of your first window, {HALF} took part in it",
    "two windows": f"the nodes of two windows, {HALF} took part in the second",
    "who returned": f"the nodes of two windows, {HALF} have a row in both",
}


def audit_stream(
    study: Study, party: str, X: FloatArray, *, n_repeats: int = 5, seed: int | None = None
) -> Audit:
    """Attack the nodes a party would send of its first window, and of two windows together.

    A quarter of the rows is the first window, and a tenth as many, at least 20, are the second: on
    a stream later windows are small, and nodes then win few rows in each. The attacker calls a
    candidate a member if a point it holds lies close
    (:func:`~consilience.privacy.audits.membership.infer_membership`): a node, or what a node that
    was sent twice tells of the rows it won in between
    (:func:`~consilience.privacy.audits.differencing.difference_nodes`). *Who returned* plays the
    first window once more as the second: people with a row in both. Candidates are the members and
    a third quarter; the control takes the last quarter for members, none of whom were.

    Parameters
    ----------
    study : Study
        With a ``[stream]``.
    party : str
        Its place in the grid, ``"row/column"``.
    X : ndarray of shape (n_rows, n_features)
        Its table as the study's schema encodes it.
    n_repeats : int
        Each repeat deals the rows anew, at most 1,000 to a window.
    seed : int, optional
        From the operating system by default.

    Notes
    -----
    Noise is played with a seed, as nothing of an audit leaves. Every further window adds as much
    as the second.

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
    >>> audit = audit_stream(study, "north/lab", X, seed=0)
    >>> [(f.attack, f.level, f.exposed.mean) for f in audit.findings]
    [('membership', 'green', 0.0), ('two windows', 'green', 0.0), ('who returned', 'green', 0.0)]
    """
    terms = study.of(Stream).stream
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
        findings = [not_run(name, ANALYST, holds, reason) for name, holds in HOLDS.items()]
        return Audit(tuple(findings), plain, len(X), X.shape[1], (reason,))
    rngs = np.random.default_rng(seed).spawn(n_repeats)
    played = [_play(study, party, X, rng) for rng in rngs]
    findings = [_find(name, [run[name] for run in played if name in run]) for name in HOLDS]
    return Audit(tuple(findings), plain, len(X), X.shape[1], _advice(terms, findings))


def _find(name: str, runs: Sequence[tuple[Membership, Membership]]) -> Finding:
    if not runs:
        reason = "stream.budget of the study ends before a second window."
        return not_run(name, ANALYST, HOLDS[name], reason)
    members, controls = zip(*runs, strict=True)
    return find_members(name, ANALYST, HOLDS[name], members, controls)


def _play(
    study: Study, name: str, X: FloatArray, rng: np.random.Generator
) -> dict[str, tuple[Membership, Membership]]:
    """Send two windows, the second with other rows and with the same; attack, with controls."""
    n = min(len(X) // 4, MAX_ROWS)
    one, two, others, strangers = np.split(X[rng.permutation(len(X))[: 4 * n]], 4)
    party = party_of(study, name, insecure_seed=int(rng.integers(2**31)))
    first, state = _send(party, one), party.state()
    two = two[: max(MIN_LATER, int(LATER_SHARE * n))]
    units = Units(*study.schema_of(study.grid.columns[0]).bounds)
    if not party.network.profile.scale:
        units = Units()

    def attack(
        points: FloatArray, members: FloatArray, tolerance: float
    ) -> tuple[Membership, Membership]:
        right, wrong, away = (units.scale(rows) for rows in (members, strangers, others))
        return (
            infer_membership(points, right, away, tolerance),
            infer_membership(points, wrong, away, tolerance),
        )

    found = {"membership": attack(first.nodes, one, 0.0)}
    for kind, rows in (("two windows", two), ("who returned", one)):
        # Other noise than in the first window: a seed would draw the same.
        later = party_of(study, name, insecure_seed=int(rng.integers(2**31)))
        later.restore(state)
        try:
            second = _send(later, rows)
        except BudgetError:
            break
        points = points_told(first, second)
        if kind == "who returned":
            points = np.vstack([points, first.nodes])
        found[kind] = attack(points, rows, ROUNDING)
    return found


def points_told(first: NodeUpdate, second: NodeUpdate) -> FloatArray:
    """Return the nodes of a second window, and what those sent twice tell of the rows between."""
    between = difference_nodes(
        first.ids, first.nodes, first.counts, second.ids, second.nodes, second.counts
    )
    return np.vstack([second.nodes, between])


def _send(party: Party, X: FloatArray) -> NodeUpdate:
    (update,) = party.begin(X)
    assert isinstance(update, NodeUpdate)
    return update


def _advice(terms: StreamTerms, findings: Sequence[Finding]) -> tuple[str, ...]:
    if terms.epsilon is not None:
        limit = "sets no budget" if terms.budget is None else f"stops at {terms.budget:g}"
        return (
            f"Epsilon adds up: a person with a row in each of two windows has spent "
            f"{2 * terms.epsilon:g}, in each of ten {10 * terms.epsilon:g}; the study {limit}.",
        )
    leaves, twice = (f.exposed.mean for f in findings[:2] if f.exposed is not None)
    return (
        f"Set stream.epsilon: without noise {leaves:.0%} of the rows of a first window leave as "
        f"nodes, exactly, and {twice:.0%} of those of a second, of which nodes that moved tell "
        f"the rows they won.",
    )

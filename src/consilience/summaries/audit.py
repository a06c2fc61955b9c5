"""The audit of a summary: what it tells of one person, measured by playing the study many times."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

from consilience.messages import Summary
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.finding import Finding, estimate, find_links, not_run
from consilience.study.study import Study
from consilience.summaries.roles import summarise
from consilience.summaries.terms import Summaries, SummaryTerms
from consilience.summaries.units import units_of

__all__ = ["MeasuredEpsilon", "audit_summary", "measure_epsilon"]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

MIN_ROWS, MAX_ROWS = 40, 2_000
SHADOWS = 40
"""Studies played for each answer, with the person and without, in one repeat."""
CONFIDENCE = 0.95
ANALYST = "The analyst alone"


@dataclass(frozen=True)
class MeasuredEpsilon:
    """What an attack proves about epsilon.

    Parameters
    ----------
    lower : float
        With 95 % confidence the true epsilon, at the stated delta, is at least this.
    advantage : float
        How much more often the person is called a member when it is one.
    n_tests : int
        Studies judged, half of them with the person.
    """

    lower: float
    advantage: float
    n_tests: int


def audit_summary(
    study: Study,
    party: str,
    X: Array,
    codes: Codes | None = None,
    *,
    n_repeats: int = 5,
    seed: int | None = None,
) -> Audit:
    """Attack the summary a party would send.

    With noise: who knows every other row plays the study with and without the row farthest from
    all, and tells the two apart by the likelihood ratio of Gaussians fitted to what was sent
    (:func:`measure_epsilon`). Without noise: who knows all columns of everybody takes the nearest
    centre for that of a person, and one of its rows for the person's.

    Parameters
    ----------
    study : Study
    party : str
        Its place in the grid, ``"row/column"``.
    X : ndarray of shape (n_rows, n_features)
        Its table as the study's schema encodes it.
    codes : ndarray of shape (n_rows,), optional
        The class of each row, where the study has classes; -1 for none.
    n_repeats : int
        Each with other rows, at most 2,000.
    seed : int, optional
        From the operating system by default.
    """
    terms = study.of(Summaries).summaries
    plain = {"method": "summaries", "guarantee": terms.guarantee, "epsilon": terms.epsilon}
    if codes is not None:  # who has no class is not summarised
        X, codes = X[codes >= 0], codes[codes >= 0]
    least = max(MIN_ROWS, 2 * terms.min_rows * terms.rows_per_person)
    if len(X) < least:
        reason = f"the table has {len(X)} rows, an audit of a summary needs {least}."
        findings = (not_run("membership", ANALYST, "your summary", reason),)
        return Audit(findings, plain, len(X), X.shape[1], (reason,))
    rngs = np.random.default_rng(seed).spawn(n_repeats)
    chosen = [(rng, rng.permutation(len(X))[:MAX_ROWS]) for rng in rngs]
    samples = [(rng, X[rows]) for rng, rows in chosen]
    if terms.noisy:
        measured = [
            measure_epsilon(
                study, party, X[rows], rng, codes=None if codes is None else codes[rows]
            )
            for rng, rows in chosen
        ]
        found = _membership(measured, len(samples[0][1]))
        advice = _advice(terms, measured)
    else:
        links = [_recognise(study, party, rows) for _, rows in samples]
        chance = [1.0 / len(rows) for _, rows in samples]
        holds = "your summary, and all columns of everybody"
        found = find_links("recognition", ANALYST, holds, links, chance, len(samples[0][1]))
        advice = (
            "Means without noise do not hide that somebody took part: two summaries of nearly the "
            "same rows differ by the rows that came or went. Send one, or agree on noise.",
        )
    return Audit((found,), plain, len(X), X.shape[1], advice)


def measure_epsilon(
    study: Study,
    party: str,
    X: Array,
    rng: np.random.Generator,
    n_shadows: int = SHADOWS,
    codes: Codes | None = None,
) -> MeasuredEpsilon:
    """Play a study with and without one row, tell them apart, and bound epsilon from below.

    Half of the studies fit the attack: Gaussians of equal covariance to what was sent, so that
    their likelihood ratio is linear, and its threshold. The other half test it; the bound is by
    Clopper and Pearson, as :func:`_lower_bound` says.

    Parameters
    ----------
    study : Study
    party : str
    X : ndarray of shape (n_rows, n_features)
    rng : Generator
    n_shadows : int
        Studies of each kind.
    codes : ndarray of shape (n_rows,), optional
        The class of each row.
    """
    Z = units_of(study).scale(X)
    target = int(np.linalg.norm(Z - Z.mean(axis=0), axis=1).argmax())
    told = []
    for rows in (np.arange(len(X)), np.delete(np.arange(len(X)), target)):
        held = X[rows], None if codes is None else codes[rows]
        seeds = rng.integers(2**31, size=n_shadows)
        told.append(
            np.stack(
                [_features(study, _play(study, party, held, int(s)), Z[target]) for s in seeds]
            )
        )
    half = n_shadows // 2
    fit_in, fit_out = (t[:half] for t in told)
    direction = (fit_in.mean(axis=0) - fit_out.mean(axis=0)) / (
        (fit_in.var(axis=0) + fit_out.var(axis=0)) / 2 + 1e-12
    )
    scores_in, scores_out = (t @ direction for t in told)
    limits = np.concatenate([scores_in[:half], scores_out[:half]])
    gain = [np.mean(scores_in[:half] >= t) - np.mean(scores_out[:half] >= t) for t in limits]
    limit = limits[int(np.argmax(gain))]
    true, false = scores_in[half:] >= limit, scores_out[half:] >= limit
    delta = study.of(Summaries).summaries.delta
    lower = max(_lower_bound(true, false, delta), _lower_bound(~false, ~true, delta))
    return MeasuredEpsilon(lower, float(true.mean() - false.mean()), 2 * (n_shadows - half))


def _lower_bound(true: npt.NDArray[np.bool_], false: npt.NDArray[np.bool_], delta: float) -> float:
    """Return the least epsilon that allows so many true and so few false calls, with confidence.

    Both shares are bounded by Clopper and Pearson, at half of the allowed error each: an
    (epsilon, delta)-private release has TPR <= exp(epsilon) FPR + delta.
    """
    error = (1 - CONFIDENCE) / 2
    hits, n = int(true.sum()), len(true)
    misses, m = int(false.sum()), len(false)
    low = float(beta.ppf(error, hits, n - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - error, misses + 1, m - misses)) if misses < m else 1.0
    return log((low - delta) / high) if low - delta > high else 0.0


def _play(study: Study, party: str, held: tuple[Array, Codes | None], seed: int) -> Summary:
    [message] = summarise(study, party, *held, insecure_seed=seed)
    assert isinstance(message, Summary)
    return message


def _features(study: Study, sent: Summary, person: Array) -> Array:
    """Return what a summary says in as many numbers whatever its centres: about all, and nearby."""
    centers = units_of(study).scale(sent.centers)
    near = ((centers - person) ** 2).sum(axis=1).argmin()
    mean = np.average(centers, axis=0, weights=sent.weights)
    spread = np.average((centers - mean) ** 2, axis=0, weights=sent.weights)
    about = [sent.weights.sum(), sent.weights[near], *mean, *spread, *(centers[near] - person)]
    return np.array([*about, mean @ person])


def _recognise(study: Study, party: str, X: Array) -> float:
    """Return the share of rows recognised by who takes the nearest centre, and one of its rows."""
    sent = _play(study, party, (X, None), 0)
    return float(np.mean(1.0 / sent.weights[units_of(study).nearest(X, sent.centers)]))


def _membership(measured: list[MeasuredEpsilon], n_rows: int) -> Finding:
    nothing = estimate([0.0] * len(measured))
    return Finding(
        attack="membership",
        coalition=ANALYST,
        holds="your summary, and every row of your table but one",
        exposed=nothing,
        advantage=estimate([m.advantage for m in measured]),
        control_advantage=nothing,
        n_rows=n_rows,
        n_repeats=len(measured),
    )


def _advice(terms: SummaryTerms, measured: list[MeasuredEpsilon]) -> tuple[str, ...]:
    worst = max(m.lower for m in measured)
    played = sum(m.n_tests for m in measured)
    return (
        f"Measured epsilon: at least {worst:.2f}, by {played} studies that were told apart; "
        f"stated: {terms.epsilon:g}. Each repeat has a {1 - CONFIDENCE:.0%} chance to exceed "
        f"what is true.",
    )

"""The audit of a party of a study file: from the agreed terms to what an audit needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from consilience.collaboration.anchors import default_n_anchor
from consilience.collaboration.audit.contribution import audit_collaboration
from consilience.collaboration.audit.frontier import Frontier, draw_frontier, settings_to_try
from consilience.collaboration.audit.scene import Terms
from consilience.collaboration.roles import noise_of
from consilience.collaboration.selection import choose_kmeans
from consilience.exceptions import StudyError
from consilience.privacy.audits.audit import Audit
from consilience.privacy.noise import LaplaceNoise
from consilience.study.study import Study

__all__ = ["audit_party", "check_limit", "frontier_of_party", "terms_of"]

Array = npt.NDArray[np.float64]


def terms_of(study: Study, party: str, seed: int | None = None) -> Terms:
    """Return the terms of a study on which the audit of one party depends.

    The noise of a study is played with a seed, which is faster and protects nobody: nothing of an
    audit leaves.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> terms = terms_of(study, "north/lab")
    >>> terms.n_components, terms.anchor, terms.n_institutions
    (1, 'gaussian', 2)
    """
    if party not in study.grid.parties:
        raise StudyError(
            f"{party!r} is not a party of this study; the parties are {study.grid.parties}."
        )
    column = party.partition("/")[2]
    mates = [p for p in study.grid.parties if p.partition("/")[2] == column]
    noise = noise_of(study, party)
    return Terms(
        reducer=study.reduction.reducer,
        n_components=study.n_components(column),
        scaling=study.reduction.scaling,
        rotate=study.reduction.rotate,
        # Public rows are not needed to judge one: like a gaussian anchor, points between public
        # rows resist unmixing, and a colluder inverts the reduction with either.
        anchor="gaussian" if study.anchor.kind == "smote" else study.anchor.kind,
        n_anchor=study.anchor.n_rows or default_n_anchor(study.n_features),
        answer="labels" if study.answer == "labels" else "representation",
        n_institutions=len(mates),
        anchor_scope="all" if _all_hold_the_anchor(study) else "column",
        noise=None if noise is None else _played(noise, seed),
    )


def _all_hold_the_anchor(study: Study) -> bool:
    explained = study.learning is not None and study.learning.explain == "all"
    return explained or study.anchor.kind == "smote"


def _played(noise: LaplaceNoise, seed: int | None) -> Callable[[Array], Array]:
    """Return noise that is drawn afresh at every call, from one seed."""
    seeds = np.random.default_rng(seed)

    def add(X: Array) -> Array:
        return replace(noise, insecure_seed=int(seeds.integers(2**31))).apply(X)

    return add


def audit_party(
    study: Study,
    party: str,
    X: Array,
    *,
    quick: bool = False,
    n_repeats: int = 5,
    seed: int | None = None,
) -> Audit:
    """Attack what a party of a study is about to contribute.

    Parameters
    ----------
    study : Study
    party : str
        Its place in the grid, ``"row/column"``.
    X : ndarray of shape (n_rows, n_features)
        Its table as the study's schema encodes it.
    quick, n_repeats, seed
        As in :func:`~consilience.collaboration.audit.contribution.audit_collaboration`.
    """
    terms = terms_of(study, party, seed)
    column = party.partition("/")[2]
    schema = study.schema_of(column)
    audit = audit_collaboration(
        X,
        schema.bounds,
        terms,
        names=schema.feature_names,
        quick=quick,
        n_repeats=n_repeats,
        seed=seed,
    )
    if study.learning is None or study.learning.holder != column:
        return audit
    target = study.learning.target
    told = f"No attack is needed for the classes: {target!r} leaves as it is, for every row."
    return replace(audit, advice=(*audit.advice, told))


def frontier_of_party(
    study: Study,
    party: str,
    X: Array,
    *,
    epsilons: Sequence[float] = (),
    seed: int | None = None,
) -> Frontier:
    """Draw the frontier of a party of a study, around the terms of the study.

    Parameters
    ----------
    study, party, X
        As in :func:`audit_party`.
    epsilons : sequence of float
        Budgets per row of Laplace noise on the rows before they are reduced, to be tried too.
    seed : int, optional
    """
    terms = terms_of(study, party, seed)
    bounds = study.schema_of(party.partition("/")[2]).bounds
    lower, upper = bounds[0].tolist(), bounds[1].tolist()
    noises = {
        f"epsilon {e:g} per row": _played(LaplaceNoise(lower, upper, e), seed) for e in epsilons
    }
    n_clusters = study.clustering.n_clusters
    if not isinstance(n_clusters, int):
        n_clusters, _ = choose_kmeans(X, seed or 0)
    settings = settings_to_try(terms, X.shape[1], noises)
    return draw_frontier(X, bounds, settings, n_clusters, seed=seed)


def check_limit(study: Study, audit: Audit) -> str:
    """Return why a contribution may not leave by the limit of the study; empty if it may.

    An audit that could not be run exceeds every limit: nothing is known about it.
    """
    limit = study.max_reconstruction
    if limit is None:
        return ""
    if study.stream is not None:
        return (
            f"max_reconstruction = {limit:g} limits what is rebuilt, and the audit of a stream "
            f"measures who is known to have taken part. Leave it out of a continual study."
        )
    if audit.reconstruction is None:
        return (
            f"the study limits reconstruction to {limit:g}, but no attack could be run: "
            f"{audit.findings[0].reason}"
        )
    if audit.reconstruction <= limit:
        return ""
    worst = audit.worst
    assert worst is not None
    way_out = "Look for fewer clusters" if study.consensus else "Lower n_components in the study"
    return (
        f"the audit rebuilds a typical column to R2 {audit.reconstruction:.2f}, more than the "
        f"study's max_reconstruction = {limit:g}. {worst.coalition}, holding {worst.holds}, would "
        f"suffice. {way_out}, or raise the limit with everybody's consent."
    )

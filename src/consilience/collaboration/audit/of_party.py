"""The audit of a party of a study file: from the agreed terms to what an audit needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from consilience.collaboration.audit.contribution import MIN_ROWS, audit_collaboration
from consilience.collaboration.audit.frontier import Frontier, draw_frontier, settings_to_try
from consilience.collaboration.audit.rehearsal import in_units, play_study
from consilience.collaboration.audit.scene import Setting
from consilience.collaboration.reduction import Reduction
from consilience.collaboration.roles import category_groups, n_anchor_of, noise_of
from consilience.collaboration.selection import choose_kmeans
from consilience.collaboration.separation import tell_separation
from consilience.collaboration.terms import Reduced
from consilience.holdings import Place
from consilience.privacy.audits.audit import Audit
from consilience.privacy.noise import LaplaceNoise
from consilience.report.coincidence import tell_coincidence
from consilience.study.participant import Participant
from consilience.study.study import Study

__all__ = ["audit_leaving", "audit_party", "foresee", "frontier_of_party", "setting_of"]

Array = npt.NDArray[np.float64]


def setting_of(study: Study, party: str, seed: int | None = None) -> Setting:
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
    >>> setting = setting_of(study, "north/lab")
    >>> setting.n_components, setting.anchor, setting.n_institutions
    (1, 'gaussian', 2)
    """
    study.check_party(party)
    method, column = study.of(Reduced), Place.of(party).column
    noise = noise_of(study, party)
    return Setting(
        reducer=method.reduction.reducer,
        n_components=method.n_components(study, column),
        scaling=method.reduction.scaling,
        rotate=method.reduction.rotate,
        rounding=method.reduction.rounding,
        # Public rows are not needed to judge one: like a gaussian anchor, points between public
        # rows resist unmixing, and a colluder inverts the reduction with either.
        anchor="gaussian" if method.anchor.kind == "smote" else method.anchor.kind,
        n_anchor=n_anchor_of(study),
        target=method.alignment.target,
        answer="representation" if method.shares_coordinates else "labels",
        n_institutions=sum(Place.of(p).column == column for p in study.grid.parties),
        anchor_scope="all" if method.anchor_is_everywhere else "column",
        noise=None if noise is None else _played(noise, seed),
        ranges=method.ranges(study, column),
        groups=category_groups(study.schema_of(column)),
    )


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
    maps: Sequence[Reduction] = (),
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
    maps : sequence of Reduction
        Every map by which rows of this party have left, in any study with these columns, and last
        the one by which they are about to leave: ``maps=[*earlier, party.reduction]``. All that was
        ever sent is attacked together, as whoever received it can; the same map again adds
        nothing. Without any, one is fitted as the party would.
    """
    setting = setting_of(study, party, seed)
    schema = study.schema_of(Place.of(party).column)
    return audit_collaboration(
        X,
        schema.bounds,
        setting,
        names=schema.feature_names,
        quick=quick,
        n_repeats=n_repeats,
        seed=seed,
        maps=maps,
    )


def audit_leaving(me: Participant, X: Array, maps: Sequence[Reduction]) -> Audit:
    """Attack quickly what is about to leave, and alike whenever the same is about to leave.

    A party that was refused is not let pass because it tried again.
    """
    seed = int(me.draws("audit").integers(2**31))
    return audit_party(me.study, me.name, X, quick=True, maps=maps, seed=seed)


def frontier_of_party(
    study: Study,
    party: str,
    X: Array,
    *,
    n_clusters: int | None = None,
    epsilons: Sequence[float] = (),
    seed: int | None = None,
) -> Frontier:
    """Draw the frontier of a party of a study, around the terms of the study.

    Parameters
    ----------
    study, party, X
        As in :func:`audit_party`.
    n_clusters : int, optional
        What agreement is measured with; chosen from the rows if nothing is said.
    epsilons : sequence of float
        Budgets per row of Laplace noise on the rows before they are reduced, to be tried too.
    seed : int, optional
    """
    setting = setting_of(study, party, seed)
    bounds = study.schema_of(Place.of(party).column).bounds
    lower, upper = bounds[0].tolist(), bounds[1].tolist()
    noises = {
        f"epsilon {e:g} per row": _played(LaplaceNoise(lower, upper, e), seed) for e in epsilons
    }
    if n_clusters is None:
        n_clusters = max(2, choose_kmeans(X, seed or 0).n_clusters)
    settings = settings_to_try(setting, X.shape[1], noises)
    return draw_frontier(X, bounds, settings, n_clusters, seed=seed, present=setting)


def foresee(
    study: Study, party: str, X: Array, *, n_clusters: int | None = None, seed: int | None = None
) -> tuple[str, ...]:
    """Play the study with the rows of one party, and warn of clusters that say nothing new.

    Parameters
    ----------
    study, party, X
        As in :func:`audit_party`.
    n_clusters : int, optional
        Chosen from the rows if nothing is said.
    seed : int, optional

    Returns
    -------
    tuple of str
        Warnings: clusters that are almost a column of this party; clusters that tell institutions
        apart to whom these rows were dealt at random, which only a weak alignment can do.
    """
    if len(X) < MIN_ROWS:
        return ()
    setting, schema = setting_of(study, party, seed), study.schema_of(Place.of(party).column)
    if n_clusters is None:
        n_clusters = max(2, choose_kmeans(in_units(X, schema.bounds, setting), 0).n_clusters)
    played = play_study(X, schema.bounds, setting, n_clusters, np.random.default_rng(seed))
    counts = np.zeros((played.institutions.max() + 1, n_clusters), dtype=np.int64)
    np.add.at(counts, (played.institutions, played.together), 1)
    found = [*tell_coincidence(X[played.rows], schema, played.together), *tell_separation(counts)]
    return tuple(f"Clusters of your rows alone: {text[:1].lower()}{text[1:]}" for text in found)

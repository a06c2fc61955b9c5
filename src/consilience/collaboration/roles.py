"""From the terms of a study to its roles."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.anchors.keyed import default_n_anchor, draw_anchor
from consilience.collaboration.party import Party
from consilience.collaboration.plausible import limits_of
from consilience.collaboration.terms import Clusters, Reduced
from consilience.engines.engine import Engine
from consilience.holdings import Place
from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise
from consilience.privacy.release import Account
from consilience.study.ledger import Ledger
from consilience.study.schema import Categorical, Schema
from consilience.study.study import ANALYST, Study

__all__ = [
    "analyst_of",
    "category_groups",
    "gathering_settings",
    "n_anchor_of",
    "noise_of",
    "party_of",
    "party_settings",
    "past_without_noise",
]


def noise_of(study: Study, name: str, *, insecure_seed: int | None = None) -> LaplaceNoise | None:
    """Return the noise a party adds to its rows before it reduces them, or None.

    Parameters
    ----------
    study : Study
    name : str
        ``"row/column"``.
    insecure_seed : int, optional
        For an audit, of which nothing leaves; see
        :class:`~consilience.privacy.noise.LaplaceNoise`.
    """
    epsilon = study.of(Reduced).reduction.epsilon
    if epsilon is None:
        return None
    lower, upper = study.schema_of(Place.of(name).column).bounds
    return LaplaceNoise(lower.tolist(), upper.tolist(), epsilon, insecure_seed)


def past_without_noise(epsilon: float | None, ledger: Ledger) -> tuple[str, ...]:
    """Return a warning if a study asks for noise now, and rows left without it before.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> ledger = Ledger(Path(tempfile.mkdtemp()) / "ledger.jsonl")
    >>> ledger.add("contribution", rows=120)
    >>> past_without_noise(40.0, ledger)
    ('1 earlier contribution left without noise, the last on ... with 120 rows: noise does not...',)
    """
    if epsilon is None:
        return ()
    plain = [e for e in ledger.entries() if e["what"] == "contribution" and "epsilon" not in e]
    if not plain:
        return ()
    count = f"{len(plain)} earlier contribution" + ("s" if len(plain) > 1 else "")
    return (
        f"{count} left without noise, the last on {plain[-1]['when'][:10]} with "
        f"{plain[-1]['rows']} rows: noise does not protect what left before it. Whoever holds the "
        f"earlier file can do with it what the audit of a study without epsilon shows.",
    )


def party_of(
    study: Study,
    name: str,
    column_key: bytes,
    rng: np.random.Generator | None = None,
    budget: Account | None = None,
) -> Party:
    """Return a party of a study, with the anchor its column key fixes.

    Parameters
    ----------
    study : Study
    name : str
        ``"row/column"``.
    column_key : bytes
        Secret of the parties of this column group.
    rng : numpy.random.Generator, optional
        The party's own randomness; the operating system's by default.
    budget : Account, optional
        What noise is charged to, where the study asks for it; a fresh budget by default.
    """
    study.check_party(name)
    column = Place.of(name).column
    n_anchor = n_anchor_of(study)
    method, key = study.of(Reduced), study.own_key(column_key)
    anchor = draw_anchor(method.anchor.kind, key, *method.ranges(study, column), n_anchor)
    return Party(name, anchor, **party_settings(study, name, budget), rng=rng)


def party_settings(study: Study, name: str, budget: Account | None) -> dict[str, Any]:
    """Return what a study says of the reduction and the noise of a party."""
    method, column = study.of(Reduced), Place.of(name).column
    return {
        "reducer": method.reduction.reducer,
        "n_components": method.n_components(study, column),
        "scaling": method.reduction.scaling,
        "bounds": method.ranges(study, column),
        "rotate": method.reduction.rotate,
        "rounding": method.reduction.rounding,
        "groups": category_groups(study.schema_of(column)),
        "study": study.digest,
        "analyst": ANALYST,
        "noise": noise_of(study, name),
        "budget": Budget(method.reduction.budget) if budget is None else budget,
    }


def category_groups(schema: Schema) -> tuple[tuple[int, ...], ...]:
    """Return the places of columns of which one is 1 and the others are 0, in every row."""
    groups, start = [], 0
    for column in schema.columns.values():
        width = len(column.categories) if isinstance(column, Categorical) else 1
        if isinstance(column, Categorical) and column.missing != "fill":
            groups.append(tuple(range(start, start + width)))
        start += width
    return tuple(groups)


def n_anchor_of(study: Study) -> int:
    """Return how many rows the anchor of a study has."""
    return study.of(Reduced).anchor.n_rows or default_n_anchor(study.n_features)


def gathering_settings(study: Study) -> dict[str, Any]:
    """Return what a study says of gathering, joining and aligning."""
    method = study.of(Reduced)
    return {
        "absent": study.grid.absent,
        "n_components": {c: method.n_components(study, c) for c in study.grid.columns},
        "target": method.alignment.target,
        "affine": method.alignment.affine,
        "min_singular_value": method.alignment.min_singular_value,
        "unmatched": study.ids.unmatched,
        "limits": {column: limits_of(study, column) for column in study.grid.columns},
        "implausible": "refuse" if study.grid.missing_party == "refuse" else "leave out",
        "study": study.digest,
        "name": ANALYST,
    }


def analyst_of(
    study: Study,
    n_clusters: int | None = None,
    clusterer: str | None = None,
    engine: Engine | None = None,
) -> Analyst:
    """Return the analyst of a study; it needs no secret.

    Parameters
    ----------
    study : Study
    n_clusters, clusterer : optional
        What it chooses of what the study leaves to it; as the study has it by default.
    engine : Engine, optional
        Where rows lie; in memory by default.
    """
    method = study.of(Clusters)
    chosen, how = method.clustering.choose(n_clusters, clusterer)
    return Analyst(
        study.grid.rows,
        study.grid.columns,
        method=how,
        n_clusters=chosen,
        n_neighbors=method.clustering.n_neighbors,
        trim=method.clustering.trim,
        answer=method.answer,
        seed=method.clustering.seed,
        engine=engine,
        **gathering_settings(study),
    )

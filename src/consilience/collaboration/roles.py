"""From the terms of a study to its roles."""

from __future__ import annotations

import numpy as np

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.anchors import default_n_anchor, draw_anchor
from consilience.collaboration.party import Party
from consilience.exceptions import StudyError
from consilience.privacy.budget import Budget, Charge
from consilience.privacy.noise import LaplaceNoise
from consilience.study.ledger import Ledger
from consilience.study.study import ANALYST, Study

__all__ = ["analyst_of", "budget_of", "noise_of", "party_of", "past_without_noise"]


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
    epsilon = study.reduction.epsilon
    if epsilon is None:
        return None
    lower, upper = study.schema_of(name.partition("/")[2]).bounds
    return LaplaceNoise(lower.tolist(), upper.tolist(), epsilon, insecure_seed)


def budget_of(study: Study, ledger: Ledger) -> Budget:
    """Return the budget of a study, charged with every noisy contribution in a ledger.

    Contributions under other terms count as well: a person's record does not become another one
    when a term is changed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... reduction = {epsilon = 40.0, budget = 100.0}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> ledger = Ledger(Path(tempfile.mkdtemp()) / "ledger.jsonl")
    >>> ledger.add("contribution", study=study.digest, epsilon=40.0)
    >>> budget_of(study, ledger).remaining
    60.0
    """
    noisy = [e for e in ledger.entries() if e["what"] == "contribution" and "epsilon" in e]
    charges = [Charge(f"contribution of {e['when']}", float(e["epsilon"])) for e in noisy]
    learning = study.learning
    counted = learning is not None and learning.counts_alone
    limit = learning.budget if learning is not None and counted else study.reduction.budget
    return Budget(limit, charges)


def past_without_noise(study: Study, ledger: Ledger) -> tuple[str, ...]:
    """Return a warning if a study asks for noise now, and rows left without it before.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... reduction = {epsilon = 40.0}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> ledger = Ledger(Path(tempfile.mkdtemp()) / "ledger.jsonl")
    >>> ledger.add("contribution", rows=120)
    >>> past_without_noise(study, ledger)
    ('1 earlier contribution left without noise, the last on ... with 120 rows: noise does not...',)
    """
    if study.reduction.epsilon is None:
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
    budget: Budget | None = None,
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
    budget : Budget, optional
        What was spent before, where the study asks for noise; a fresh one by default.
    """
    if name not in study.grid.parties:
        raise StudyError(f"{name!r} is not a party of the study: {study.grid.parties}.")
    column = name.partition("/")[2]
    schema = study.schema_of(column)
    n_anchor = study.anchor.n_rows or default_n_anchor(study.n_features)
    return Party(
        name,
        draw_anchor(study.anchor.kind, column_key, *schema.bounds, n_anchor),
        reducer=study.reduction.reducer,
        n_components=study.n_components(column),
        scaling=study.reduction.scaling,
        bounds=schema.bounds,
        rotate=study.reduction.rotate,
        study=study.digest,
        analyst=ANALYST,
        noise=noise_of(study, name),
        budget=Budget(study.reduction.budget) if budget is None else budget,
        rng=rng,
    )


def analyst_of(study: Study) -> Analyst:
    """Return the analyst of a study; it needs no secret."""
    return Analyst(
        study.grid.rows,
        study.grid.columns,
        absent=study.grid.absent,
        method=study.clustering.method,
        n_clusters=study.clustering.n_clusters,
        n_neighbors=study.clustering.n_neighbors,
        target=study.alignment.target,
        affine=study.alignment.affine,
        unmatched=study.ids.unmatched,
        answer=study.answer,
        seed=study.clustering.seed,
        n_components={column: study.n_components(column) for column in study.grid.columns},
        study=study.digest,
        name=ANALYST,
    )

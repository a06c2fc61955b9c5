"""From the terms of a study to its roles."""

from __future__ import annotations

import numpy as np

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.anchors import default_n_anchor, draw_anchor
from consilience.collaboration.party import Party
from consilience.exceptions import StudyError
from consilience.study.study import ANALYST, Study

__all__ = ["analyst_of", "party_of"]


def party_of(
    study: Study, name: str, column_key: bytes, rng: np.random.Generator | None = None
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

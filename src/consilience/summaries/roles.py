"""The roles of a study of summaries, made from its terms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.mapped import Keep, in_memory
from consilience.messages import Message
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.study.study import ANALYST, Study
from consilience.summaries.analyst import Analyst
from consilience.summaries.classes import ClassAnalyst
from consilience.summaries.party import Party
from consilience.summaries.succession import Named
from consilience.summaries.terms import Summaries
from consilience.summaries.units import units_of

__all__ = ["analyst_of", "party_of", "summarise"]


def party_of(study: Study, name: str, *, insecure_seed: int | None = None) -> Party:
    """Make a party that does what the study says.

    Parameters
    ----------
    study : Study
    name : str
        Its place in the grid.
    insecure_seed : int, optional
        For an audit, of which nothing leaves.
    """
    study.check_party(name)
    terms = study.of(Summaries).summaries
    noise = None
    if terms.noisy:
        noise = ConcentratedNoise(terms.epsilon, terms.delta, insecure_seed)
    return Party(
        name,
        units_of(study),
        noise=noise,
        min_rows=terms.min_rows if terms.counted else None,
        rows_per_person=terms.rows_per_person,
        study=study.digest,
        analyst=ANALYST,
    )


def analyst_of(study: Study, former: Named | None = None) -> Analyst:
    """Make the analyst that does what the study says.

    Parameters
    ----------
    study : Study
    former : Named, optional
        Clusters of an earlier study, whose names go on.
    """
    terms = study.of(Summaries).summaries
    if terms.classes is not None:
        return ClassAnalyst(
            study.grid.parties,
            units_of(study),
            len(terms.classes),
            study=study.digest,
            name=ANALYST,
        )
    return Analyst(
        study.grid.parties,
        units_of(study),
        n_clusters=terms.n_clusters,
        mixture=bool(terms.mixture),
        former=former,
        seed=terms.seed,
        study=study.digest,
        name=ANALYST,
    )


def summarise(
    study: Study,
    name: str,
    X: npt.NDArray[np.float64],
    codes: npt.NDArray[np.int64] | None = None,
    *,
    keep: Keep = in_memory,
    insecure_seed: int | None = None,
) -> list[Message]:
    """Let a party summarise its rows; with classes those that have one.

    Parameters
    ----------
    study : Study
    name : str
        Its place in the grid.
    X : ndarray of shape (n_rows, n_features)
    codes : ndarray of shape (n_rows,), optional
        The class of each row, by its number in the study; -1 where it has none.
    keep : callable
        Where the rows of a class are put meanwhile; memory by default.
    insecure_seed : int, optional
        For an audit, of which nothing leaves.
    """
    party = party_of(study, name, insecure_seed=insecure_seed)
    classes = study.of(Summaries).summaries.classes
    if classes is None or codes is None:
        return party.begin(X)
    return party.begin(X, codes, len(classes), keep)

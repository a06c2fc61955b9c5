"""The roles of a study of summaries, made from its terms."""

from __future__ import annotations

from consilience.privacy.concentrated import ConcentratedNoise
from consilience.study.study import ANALYST, Study
from consilience.summaries.analyst import Analyst
from consilience.summaries.party import Party
from consilience.summaries.terms import Summaries
from consilience.summaries.units import units_of

__all__ = ["analyst_of", "party_of"]


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


def analyst_of(study: Study) -> Analyst:
    """Make the analyst that does what the study says."""
    terms = study.of(Summaries).summaries
    return Analyst(
        study.grid.parties,
        units_of(study),
        n_clusters=terms.n_clusters,
        seed=terms.seed,
        study=study.digest,
        name=ANALYST,
    )

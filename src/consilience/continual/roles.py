"""The roles of a continual study, made from its terms."""

from __future__ import annotations

from consilience.continual.analyst import Analyst
from consilience.continual.nodes.profile import find_profile
from consilience.continual.party import Party
from consilience.continual.terms import Stream
from consilience.continual.units import Units
from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise
from consilience.privacy.release import Account
from consilience.privacy.stand_ins import DELTA, StandIns
from consilience.study.study import Study

__all__ = ["analyst_of", "party_of"]


def party_of(
    study: Study, name: str, budget: Account | None = None, *, insecure_seed: int | None = None
) -> Party:
    """Make a party that does what the study says.

    Parameters
    ----------
    study : Study
    name : str
        Its place in the grid.
    budget : Budget or Accountant, optional
        What its noise is charged to; by default the study's budget, from nothing.
    insecure_seed : int, optional
        For an audit, of which nothing leaves; see
        :class:`~consilience.privacy.noise.LaplaceNoise`.
    """
    terms = study.of(Stream).stream
    study.check_party(name)
    lower, upper = study.schema_of(study.grid.columns[0]).bounds
    profile = find_profile(terms.profile)
    noise: LaplaceNoise | StandIns | None = None
    if terms.epsilon is not None:
        bounds = lower.tolist(), upper.tolist()
        if terms.noise == "centers":
            noise = StandIns(*bounds, terms.epsilon, terms.delta or DELTA, insecure_seed)
        else:
            noise = LaplaceNoise(*bounds, terms.epsilon, insecure_seed)
    return Party(
        name,
        study.n_features,
        profile=profile,
        noise=noise,
        budget=Budget(terms.budget) if budget is None else budget,
        units=Units(lower, upper) if profile.scale else None,
        seed=terms.seed,
        max_nodes=terms.max_nodes,
        study=study.digest,
    )


def analyst_of(study: Study) -> Analyst:
    """Make the analyst that does what the study says."""
    terms = study.of(Stream).stream
    return Analyst(
        study.grid.parties,
        study.n_features,
        profile=find_profile(terms.profile),
        seed=terms.seed,
        answer=terms.answer,
        min_cluster_size=terms.min_cluster_size,
        max_nodes=terms.max_nodes,
        study=study.digest,
    )

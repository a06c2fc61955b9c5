"""The terms of a study whose parties agree among themselves, without an analyst."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Consensus", "Place"]


class Place(BaseModel):
    """Where a peer is reached, and the key it proves there.

    Parameters
    ----------
    endpoint : str
        Such as ``"tcp://insurer.example:7700"``.
    curve : str
        Its public CURVE key, 40 characters; ``consilience keygen --endpoint`` adds it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    endpoint: Annotated[str, Field(pattern=r"^tcp://[^\s/]+:\d{1,5}$")]
    curve: Annotated[str, Field(pattern=r"^[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}$")]


class Consensus(BaseModel):
    """How the peers agree, see :class:`~consilience.consensus.Terms`.

    Parameters
    ----------
    seed, max_iter, ranking, max_candidates, veto, max_labels, max_singletons, when_guarded
        As there.
    when_absent : {"abort", "go on without"}
        The rule for a peer that does not answer in time. Dropping a peer removes its veto.
    timeout : float
        Seconds a peer waits before that rule applies.
    places : dict of str to Place
        By the name of the party. Not needed where messages travel as files.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    seed: int = Field(default=0, ge=0, lt=2**32)
    max_iter: int = Field(default=100, ge=1)
    ranking: Literal["sum", "median"] = "sum"
    max_candidates: int | None = Field(default=None, ge=1)
    veto: Literal["iteration", "persistent"] = "iteration"
    max_labels: int | None = Field(default=None, ge=1)
    max_singletons: float = Field(default=0.9, ge=0, le=1)
    when_guarded: Literal["refuse", "exclude"] = "refuse"
    when_absent: Literal["abort", "go on without"] = "abort"
    timeout: float = Field(default=60.0, gt=0)
    places: dict[str, Place] = {}

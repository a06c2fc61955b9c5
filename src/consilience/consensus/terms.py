"""What peers agree on, without an analyst."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from consilience.study.method import ANALYST, Method, Terms, Told
from consilience.study.study import Study

__all__ = ["METHOD", "Address", "ConsensusTerms", "Peers"]


class Address(Terms):
    """Where a peer is reached, and the key it proves there.

    Parameters
    ----------
    endpoint : str
        Such as ``"tcp://insurer.example:7700"``.
    curve : str
        Its public CURVE key, 40 characters; ``consilience keygen --endpoint`` adds it.
    """

    endpoint: Annotated[str, Field(pattern=r"^tcp://[^\s/]+:\d{1,5}$")]
    curve: Annotated[str, Field(pattern=r"^[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}$")]


class ConsensusTerms(Terms):
    """How the peers agree: the same at every peer, or their states would differ.

    Parameters
    ----------
    seed : int, default=0
        In [0, 2**32).
    max_iter : int, default=100
    ranking : {"sum", "median"}, default="sum"
        How ranks elect a medoid.
    max_candidates : int or None, default=None
        N_s, candidates per cluster; None ranks every member.
    veto : {"iteration", "persistent"}, default="iteration"
        Whether rows a peer once separated may meet later through other medoids. Property 3.4 holds
        for each iteration; ``"persistent"`` makes it hold for good, see
        :func:`~consilience.consensus.protocol.shared_state.is_final`.
    max_labels : int or None, default=None
        Labels a peer may send in the first iteration.
    max_singletons : float, default=0.9
        Share of the rows a peer may leave alone in the first iteration.
    when_guarded : {"refuse", "exclude"}, default="refuse"
        Stop with the culprit's name, or go on without its labels and ranks.
    when_absent : {"abort", "go on without"}, default="abort"
        The rule for a peer that does not answer in time. Dropping a peer removes its veto.
    timeout : float, default=60.0
        Seconds without a sign of life of a peer after which that rule applies. A peer that is
        there and takes its time is not absent.
    rule : {"veto", "votes"} or None, default=None
        Whether rows stay together where no peer separates them, as in the paper, which is also
        what None means; or where most votes are for it, see :mod:`~consilience.consensus.votes`.
    profile : {"steady", "paper"} or None, default=None
        What a peer does that chooses nothing itself, see
        :func:`~consilience.consensus.local_step.profiled`. None, as in studies drafted before there
        was a choice, is the paper's.
    deadline : float or None, default=None
        Seconds after which a run ends whoever is still at work; None means a day.
    places : dict of str to Address
        By the name of the party. Not needed where messages travel as files.
    """

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
    rule: Literal["veto", "votes"] | None = None
    profile: Literal["steady", "paper"] | None = None
    deadline: float | None = Field(default=None, gt=0)
    places: dict[str, Address] = Field(default_factory=dict)


class Peers(Method):
    """A study of peers: they exchange labels and ranks of rows all of them hold."""

    kind: ClassVar[str] = "peers"
    told: ClassVar[Told] = Told(
        "Which rows are alike, without an analyst?",
        "Clusters and ranks of rows that all of you hold.",
        "The clusters that all peers agree on.",
    )
    verb: ClassVar[str] = "peer"

    consensus: ConsensusTerms = ConsensusTerms()

    def check(self, study: Study) -> None:
        """Refuse rows that are split, and addresses of strangers."""
        if len(study.grid.rows) > 1:
            raise ValueError(
                f"consensus needs one row institution, the grid has {list(study.grid.rows)}"
            )
        if study.ids.unmatched == "keep":
            raise ValueError(
                "ids.unmatched == 'keep', must be 'drop' or 'refuse': peers cluster the rows that "
                "all of them hold"
            )
        unknown = sorted(set(self.consensus.places) - set(study.grid.parties))
        if unknown:
            raise ValueError(f"consensus.places names {unknown}, which are no parties")

    def senders_to(self, name: str, study: Study) -> list[str]:
        """Return whose letters a peer waits for: those of all others. Nobody is in charge."""
        return [party for party in study.grid.parties if party != name and name != ANALYST]


METHOD = Peers

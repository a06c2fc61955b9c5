"""What the peers have agreed on before they start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Terms"]


@dataclass(frozen=True)
class Terms:
    """The public terms of a consensus: the same at every peer, or their states would differ.

    Parameters
    ----------
    peers : tuple of str
        Names of the peers; kept in ascending order.
    seed : int, default=0
        In [0, 2**32).
    max_iter : int, default=100
    ranking : {"sum", "median"}, default="sum"
        How ranks elect a medoid.
    max_candidates : int or None, default=None
        N_s, candidates per cluster; None ranks every member.
    veto : {"iteration", "persistent"}, default="iteration"
        Whether rows a peer once separated may meet later through other medoids. Property 3.4 holds
        for each iteration; ``"persistent"`` makes it hold for good, see :func:`is_final`.
    max_labels : int or None, default=None
        Labels a peer may send in the first iteration.
    max_singletons : float, default=0.9
        Share of the rows a peer may leave alone in the first iteration.
    when_guarded : {"refuse", "exclude"}, default="refuse"
        Stop with the culprit's name, or go on without its labels and ranks.
    when_absent : {"abort", "go on without"}, default="abort"
        What to do about a peer that does not answer in time.
    """

    peers: tuple[str, ...]
    seed: int = 0
    max_iter: int = 100
    ranking: Literal["sum", "median"] = "sum"
    max_candidates: int | None = None
    veto: Literal["iteration", "persistent"] = "iteration"
    max_labels: int | None = None
    max_singletons: float = 0.9
    when_guarded: Literal["refuse", "exclude"] = "refuse"
    when_absent: Literal["abort", "go on without"] = "abort"

    def __post_init__(self) -> None:
        object.__setattr__(self, "peers", tuple(sorted(self.peers)))
        if len(set(self.peers)) != len(self.peers) or not self.peers:
            raise ValueError(f"peers == {self.peers}, must be at least one name, each once.")
        if any("," in name or not name for name in self.peers):
            raise ValueError(f"peers == {self.peers}: a name is not empty and has no comma.")
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed == {self.seed}, must be in [0, 2**32).")
        if self.max_iter < 1:
            raise ValueError(f"max_iter == {self.max_iter}, must be >= 1.")
        for field in ("max_candidates", "max_labels"):
            value = getattr(self, field)
            if value is not None and value < 1:
                raise ValueError(f"{field} == {value}, must be >= 1 or None.")
        if not 0 <= self.max_singletons <= 1:
            raise ValueError(f"max_singletons == {self.max_singletons}, must be in [0, 1].")
        choices = {
            "ranking": ("sum", "median"),
            "veto": ("iteration", "persistent"),
            "when_guarded": ("refuse", "exclude"),
            "when_absent": ("abort", "go on without"),
        }
        for field, allowed in choices.items():
            if getattr(self, field) not in allowed:
                raise ValueError(f"{field} == {getattr(self, field)!r}, must be one of {allowed}.")

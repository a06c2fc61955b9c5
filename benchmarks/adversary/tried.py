"""What a campaign tells: what it tried, how often, and how often the package failed."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Tried", "share_of"]


class Tried(NamedTuple):
    """One kind of attempt of a campaign.

    Attributes
    ----------
    what : str
        What was attempted and what would have been a failure, as a reader of the table sees it.
    tries, failures : int
    """

    what: str
    tries: int
    failures: int


def share_of(tries: int, share: float) -> int:
    """Return how many of the tries of a whole campaign a share of it makes: at least one.

    Examples
    --------
    >>> share_of(200, 0.1), share_of(3, 0.1)
    (20, 1)
    """
    return max(1, round(tries * share))

"""The choices on which the paper, its published program and this package differ."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PROFILES", "Profile", "find_profile"]


@dataclass(frozen=True)
class Profile:
    """One consistent set of choices for the resonance network and what is fed to it.

    Parameters
    ----------
    name : str
        What users type.
    whisker : float
        Weight of the interquartile range in the edge deletion threshold, Eq. (28).
    recount : bool
        Whether the number of active nodes is estimated again after a deletion leaves too few
        nodes (Section III-D1), or kept.
    shuffle : bool
        Whether a party presents the rows of a window in random order.

    Examples
    --------
    >>> find_profile("paper").whisker
    1.0
    """

    name: str
    whisker: float
    recount: bool
    shuffle: bool


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("reference", whisker=0.1, recount=False, shuffle=False),
        Profile("paper", whisker=1.0, recount=True, shuffle=True),
    )
}
"""``reference`` gives the paper's tables, ``paper`` follows its text."""


def find_profile(name: str) -> Profile:
    """Return the profile of that name.

    Parameters
    ----------
    name : str
        A key of ``PROFILES``.

    Returns
    -------
    Profile
        The choices.

    Raises
    ------
    ValueError
        If there is no such profile.

    Examples
    --------
    >>> find_profile("fast")
    Traceback (most recent call last):
        ...
    ValueError: profile == 'fast', must be one of: paper, reference.
    """
    if name not in PROFILES:
        known = ", ".join(sorted(PROFILES))
        raise ValueError(f"profile == {name!r}, must be one of: {known}.")
    return PROFILES[name]

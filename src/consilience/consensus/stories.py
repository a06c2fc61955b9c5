"""Catching a peer that tells different peers different things."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.exceptions import PeerError

__all__ = ["PHASES", "compare_stories", "list_commitments"]

Bytes = npt.NDArray[np.uint8]
PHASES = ("labels", "ranking")


def list_commitments(heard: dict[tuple[str, str], Bytes], members: tuple[str, ...]) -> Bytes:
    """List what each member committed to, as one peer heard it.

    Parameters
    ----------
    heard : dict of (name, phase) to ndarray of shape (32,), uint8
    members : tuple of str

    Returns
    -------
    ndarray of shape (n_members, 2, 32), uint8
        Zeros where nothing was heard.
    """
    nothing = np.zeros(32, dtype=np.uint8)
    return np.array([[heard.get((m, phase), nothing) for phase in PHASES] for m in members])


def compare_stories(
    own: Bytes, other: Bytes, members: tuple[str, ...], name: str, sender: str, iteration: int
) -> None:
    """Raise if a member committed to one thing towards one peer and another towards the next.

    Parameters
    ----------
    own, other : ndarray of shape (n_members, 2, 32), uint8
        From :func:`list_commitments`, here and at the sender.
    members : tuple of str
    name, sender : str
    iteration : int

    Raises
    ------
    PeerError
        With the names of the members that told two stories.
    """
    if own.shape != other.shape:
        return
    both = own.any(axis=2) & other.any(axis=2)
    differ = (both & (own != other).any(axis=2)).any(axis=1)
    culprits = tuple(m for m, found in zip(members, differ, strict=True) if found)
    if culprits:
        raise PeerError(
            f"{', '.join(culprits)} told {name} and {sender} different stories in iteration "
            f"{iteration}, or {sender} says so. Nothing after iteration {iteration - 1} can be "
            f"trusted.",
            culprits,
        )

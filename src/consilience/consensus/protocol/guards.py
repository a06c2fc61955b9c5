"""Guards against a peer whose labels would leave nothing of the consensus."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.consensus.protocol.terms import Terms
from consilience.exceptions import PeerError

__all__ = ["GUARDED_ROWS", "fault", "offenders"]

GUARDED_ROWS = 50
"""Smaller tables are not guarded: leaving most of a few rows alone is an honest answer there."""


def fault(labels: npt.NDArray[np.int64], iteration: int, terms: Terms) -> str | None:
    """Say what is wrong with a peer's labels, or None.

    Consensus is a veto: a single peer that gives every row a label of its own leaves everyone
    with as many clusters as rows. Only the first iteration is guarded. Later ones act on medoids,
    where "they are all different" is how an honest peer ends the consensus, and where a liar can
    at most end it early.

    Parameters
    ----------
    labels : ndarray of shape (n_active,), int64
    iteration : int
    terms : Terms

    Examples
    --------
    >>> fault(np.arange(100), 1, Terms(("a", "b")))
    'leaves 100 of 100 rows alone, more than the share of 0.9 the terms allow'
    """
    if iteration != 1 or len(labels) <= GUARDED_ROWS:
        return None
    sizes = np.bincount(labels)
    if terms.max_labels is not None and len(sizes) > terms.max_labels:
        return f"sends {len(sizes)} labels, more than the {terms.max_labels} the terms allow"
    alone = int((sizes == 1).sum())
    if alone > terms.max_singletons * len(labels):
        return (
            f"leaves {alone} of {len(labels)} rows alone, more than the share of "
            f"{terms.max_singletons:g} the terms allow"
        )
    return None


def offenders(
    labels: dict[str, npt.NDArray[np.int64]], iteration: int, terms: Terms
) -> dict[str, str]:
    """Name the peers that break a guard, each with what is wrong.

    Raises
    ------
    PeerError
        If there are any and the terms refuse to go on, or if nobody would be left.
    """
    if len(labels) == 1:
        return {}
    found = {name: fault(own, iteration, terms) for name, own in labels.items()}
    faults = {name: what for name, what in found.items() if what is not None}
    if faults and terms.when_guarded == "refuse":
        name, what = next(iter(faults.items()))
        raise PeerError(
            f"{name} {what}. With its veto little would be left of the clusters. Check its base "
            f"clusterer, or leave the peer out.",
            tuple(faults),
        )
    if len(faults) == len(labels):
        raise PeerError("every peer breaks the guards of the terms.", tuple(faults))
    return faults

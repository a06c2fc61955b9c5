"""One iteration as a peer computes it: own labels, consensus, own ranking, medoids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from consilience.consensus.codes import unanimous
from consilience.consensus.local_step import LocalStep, cluster_views, local_labels
from consilience.consensus.medoids import (
    candidates,
    draw_lots,
    elect,
    rank_members,
    rank_positions,
    total_similarity,
)
from consilience.consensus.protocol.shared_state import SharedState, attach
from consilience.consensus.terms import ConsensusTerms
from consilience.consensus.votes import N_VOTES, majority
from consilience.exceptions import PeerError

__all__ = ["GUARDED_ROWS", "Deliberation", "fault", "offenders"]

Labels = npt.NDArray[np.int64]
GUARDED_ROWS = 50
"""Fewer rows are not guarded: leaving most of them alone is an honest answer there."""
MIN_COMPANY, MIN_TOGETHER = 2.5, 0.005
"""Rows in the group of a row on average, at least so many, and so large a share of all rows."""


class Deliberation:
    """The loop body of Alg. 1 of [Belucci2026]_, without the messages.

    Parameters
    ----------
    name : str
        The peer.
    peers : tuple of str
        The names of all peers, ascending.
    X : ndarray of shape (n_active, n_features)
        The peer's columns of the active rows.
    terms : ConsensusTerms
    step : LocalStep
    state : SharedState
        What all peers agreed on before.

    Attributes
    ----------
    labels : ndarray of shape (n_active,), int64
        The peer's own labels (``GetClusters``); of shape (n_active, n_votes) where peers vote.
    n_votes : int or None
    consensus : ndarray of shape (n_active,), int64
        Set by :meth:`agree`.
    rows : ndarray of int64
        Candidates of the elections; empty when every cluster has one member.
    ranking : ndarray of int64
        The peer's own order of the candidates, set by :meth:`rank`.
    faults : dict of str to str
        Peers that broke a guard in this iteration.
    """

    def __init__(
        self,
        name: str,
        peers: tuple[str, ...],
        X: npt.NDArray[np.float64],
        terms: ConsensusTerms,
        step: LocalStep,
        state: SharedState,
    ) -> None:
        self._X, self._step, self._terms, self._name = X, step, terms, name
        self._state = state
        self.iteration = state.iteration + 1
        self._weights = state.weights if step.weighted else None
        place = {"seed": terms.seed, "peer": peers.index(name), "iteration": self.iteration}
        self.n_votes: int | None = None
        if terms.rule == "votes":
            self.n_votes = N_VOTES
            voted = replace(step, n_repeats=N_VOTES)
            votes = cluster_views(X, voted, **place, weights=self._weights)
            self.labels = np.column_stack([unanimous(own[:, None]) for own in votes.T])
        else:
            self.labels = local_labels(X, step, **place, weights=self._weights)
        self.faults: dict[str, str] = {}

    def agree(self, labels: dict[str, Labels]) -> None:
        """Phase 1: keep together what no peer separates, after the guards; or what most join."""
        everyone = {**labels, self._name: self.labels}
        everyone = {name: everyone[name] for name in sorted(everyone)}
        n_active, terms = len(self.labels), self._terms
        self.faults = {} if self.n_votes else offenders(everyone, self.iteration, terms)
        self._excluded = tuple(sorted({*self._state.excluded, *self.faults}))
        counted = [own for name, own in everyone.items() if name not in self._excluded]
        lots = None
        if self.n_votes or terms.max_candidates is not None:
            lots = draw_lots(terms.seed, self.iteration, n_active)
        if self.n_votes and lots is not None:
            self.consensus = majority(counted, lots)
        else:
            self.consensus = unanimous(np.column_stack(counted))
        self.rows = candidates(self.consensus, terms.max_candidates, lots)

    def rank(self) -> Labels:
        """Order the candidates of each cluster by the peer's own columns (``MedSort``)."""
        similarity, weights = self._step.similarity, self._weights
        scores = total_similarity(self._X, self.consensus, self.rows, similarity, weights)
        self.ranking = rank_members(scores, self.consensus, self.rows)
        return self.ranking

    def conclude(self, rankings: dict[str, Labels]) -> SharedState:
        """Phase 2: elect the medoids and attach the others to them."""
        medoids = np.arange(len(self.consensus), dtype=np.int64)
        if len(self.rows):
            everyone = {**rankings, self._name: self.ranking}
            ranks = [
                rank_positions(everyone[name], self.consensus, self.rows)
                for name in sorted(everyone)
                if name not in self._excluded
            ]
            medoids = elect(np.array(ranks), self.consensus, self.rows, self._terms.ranking)
        state = attach(self._state, self.consensus, medoids)
        return replace(state, excluded=self._excluded)


def fault(labels: Labels, iteration: int, terms: ConsensusTerms) -> str | None:
    r"""Say what is wrong with a peer's labels, or None.

    Consensus is a veto: a single peer that gives every row a label of its own, or every pair of
    rows, leaves everyone with as many clusters. So rows alone are counted, and so is the size of
    the group in which a row finds itself, :math:`n \sum_g s_g^2` with the groups' shares s. Honest
    peers have rows alone (noise), but groups beside them.

    Only the first iteration is guarded. Later ones act on medoids and on rows that were left alone,
    where "they are all different" is how an honest peer ends the consensus, and where a liar can at
    most end it early.

    Parameters
    ----------
    labels : ndarray of shape (n_active,), int64
    iteration : int
    terms : ConsensusTerms

    Examples
    --------
    >>> fault(np.arange(100), 1, ConsensusTerms())
    'leaves 100 of 100 rows alone, more than the share of 0.9 the terms allow'
    >>> fault(np.arange(100) // 2, 1, ConsensusTerms())
    'has 2.0 rows in the group of a row on average, fewer than the 2.5 that are asked for'
    """
    n_rows = len(labels)
    if iteration != 1 or n_rows <= GUARDED_ROWS:
        return None
    sizes = np.bincount(labels)
    if terms.max_labels is not None and len(sizes) > terms.max_labels:
        return f"sends {len(sizes)} labels, more than the {terms.max_labels} the terms allow"
    alone = int((sizes == 1).sum())
    if alone > terms.max_singletons * n_rows:
        return (
            f"leaves {alone} of {n_rows} rows alone, more than the share of "
            f"{terms.max_singletons:g} the terms allow"
        )
    company, wanted = float(sizes @ sizes) / n_rows, max(MIN_COMPANY, MIN_TOGETHER * n_rows)
    if company < wanted and terms.max_singletons < 1:
        return (
            f"has {company:.1f} rows in the group of a row on average, fewer than the "
            f"{wanted:.1f} that are asked for"
        )
    return None


def offenders(labels: dict[str, Labels], iteration: int, terms: ConsensusTerms) -> dict[str, str]:
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

"""One iteration as a peer computes it: own labels, consensus, own ranking, medoids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from consilience.consensus.codes import unanimous
from consilience.consensus.local_step import LocalStep, local_labels
from consilience.consensus.medoids import (
    candidates,
    elect,
    rank_members,
    rank_positions,
    total_similarity,
)
from consilience.consensus.protocol.guards import offenders
from consilience.consensus.protocol.state import State, attach
from consilience.consensus.protocol.terms import Terms
from consilience.consensus.seeds import draw_lots

__all__ = ["Deliberation"]

Labels = npt.NDArray[np.int64]


class Deliberation:
    """The loop body of Alg. 1 of [Belucci2026]_, without the messages.

    Parameters
    ----------
    X : ndarray of shape (n_active, n_features)
        The peer's columns of the active rows.
    step : LocalStep
    terms : Terms
    name : str
        The peer.
    state : State
        What all peers agreed on before.

    Attributes
    ----------
    labels : ndarray of shape (n_active,), int64
        The peer's own labels (``GetClusters``).
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
        X: npt.NDArray[np.float64],
        step: LocalStep,
        terms: Terms,
        name: str,
        state: State,
    ) -> None:
        self._X, self._step, self._terms, self._name = X, step, terms, name
        self._state = state
        self.iteration = state.iteration + 1
        self.labels = local_labels(
            X, step, seed=terms.seed, peer=terms.peers.index(name), iteration=self.iteration
        )
        self.faults: dict[str, str] = {}

    def agree(self, labels: dict[str, Labels]) -> None:
        """Phase 1: keep together what no peer separates, after the guards."""
        everyone = {**labels, self._name: self.labels}
        everyone = {name: everyone[name] for name in sorted(everyone)}
        self.faults = offenders(everyone, self.iteration, self._terms)
        self._excluded = tuple(sorted({*self._state.excluded, *self.faults}))
        self.consensus = unanimous(
            np.column_stack([own for name, own in everyone.items() if name not in self._excluded])
        )
        lots = None
        if self._terms.max_candidates is not None:
            lots = draw_lots(self._terms.seed, self.iteration, len(self.consensus))
        self.rows = candidates(self.consensus, self._terms.max_candidates, lots)

    def rank(self) -> Labels:
        """Order the candidates of each cluster by the peer's own columns (``MedSort``)."""
        scores = total_similarity(self._X, self.consensus, self.rows, self._step.similarity)
        self.ranking = rank_members(scores, self.consensus, self.rows)
        return self.ranking

    def conclude(self, rankings: dict[str, Labels]) -> State:
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

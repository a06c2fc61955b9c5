"""Figure 1 of VertCoHiRF: what one lying peer can do to the election of medoids."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.problems import Array, Cells, Labels
from benchmarks.vertcohirf.tuning import Range, Trial, search
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.deliberation import Deliberation
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.protocol.shared_state import SharedState
from consilience.consensus.terms import ConsensusTerms
from consilience.datasets import simplex
from consilience.transports import deliver

Attack = Literal["none", "random", "worst first"]
Rule = Literal["sum", "median"]
STDS, N_PEERS, N_FRESH = (0.1, 0.2, 0.4, 1.0), 3, 10
ARMS: tuple[tuple[Attack, Rule], ...] = (
    ("none", "sum"),
    ("random", "sum"),
    ("worst first", "sum"),
    ("worst first", "median"),
)
SPACE: dict[str, Range] = {
    "n_clusters": (2, 30),
    "n_repeats": (2, 10),
    "feature_fraction": (0.1, 1.0),
}


class RankAttacker(Peer):
    """A peer that clusters honestly and lies about its ranks.

    Parameters
    ----------
    attack : {"random", "worst first"}
        Submit a random order of the members of each cluster, or the reverse of the honest one.
    """

    attack: Attack = "random"

    def _deliberate(self, state: SharedState) -> Deliberation:
        own = super()._deliberate(state)
        own.rank = self._lie(own)  # type: ignore[method-assign]
        return own

    def _lie(self, own: Deliberation) -> Any:
        honest = own.rank

        def rank() -> Labels:
            order = honest()
            keys = -np.arange(len(order))
            if self.attack == "random":
                rng = np.random.default_rng((self.terms.seed, self.iteration))
                keys = rng.permutation(len(order))
            own.ranking = order[np.lexsort((keys, own.consensus[order]))]
            return own.ranking

        return rank


def agree(
    X: Array,
    parameters: dict[str, Any],
    seed: int,
    attack: Attack,
    ranking: Rule,
) -> Labels:
    """Run three peers, the last of which attacks, and return an honest peer's labels."""
    names = tuple(f"peer-{k}" for k in range(N_PEERS))
    terms = ConsensusTerms(seed=seed, ranking=ranking, max_singletons=1.0)
    step = LocalStep(
        KMeans(parameters["n_clusters"]),
        n_repeats=parameters["n_repeats"],
        feature_fraction=parameters["feature_fraction"],
    )
    half = X.shape[1] // 2
    roles: dict[str, Peer] = {}
    for k, name in enumerate(names):
        # One informative column and one of noise each.
        view = np.ascontiguousarray(X[:, [k, half + k]])
        last = k == N_PEERS - 1 and attack != "none"
        roles[name] = (RankAttacker if last else Peer)(name, names, view, terms, step)
        if last:
            roles[name].attack = attack  # type: ignore[attr-defined]
    deliver([m for role in roles.values() for m in role.begin()], roles)
    return roles[names[0]].labels


def attack_scores(std: float, seed: int, trials: int) -> Cells:
    """Yield (cell, ARI) for each attack and rule on one drawn data set, in two ways.

    As published, the best of runs whose settings are tuned under each attack anew, with the same
    budget. And the mean of ten seeds, the same for all, with the settings of the honest run: tuning
    under an attack looks for settings that do not mind it, and the best of many runs is a lucky
    one; here nothing changes but the attack.
    """
    X, y = simplex(std, random_state=seed)
    tuned = {arm: _tune(X, y, seed, trials, arm) for arm in ARMS}
    kept = tuned[ARMS[0]].parameters
    for arm, best in tuned.items():
        cell = ("simplex", f"std {std:g}", _name(arm), "ARI")
        yield ("Figure 1", *cell), best.score
        scores = [adjusted_rand_score(y, agree(X, kept, own, *arm)) for own in range(N_FRESH)]
        yield ("Figure 1, settings kept", *cell), float(np.mean(scores))


def _tune(X: Any, y: Any, seed: int, trials: int, arm: tuple[Attack, Rule]) -> Trial:
    def evaluate(p: dict[str, Any], own: int) -> float:
        return float(adjusted_rand_score(y, agree(X, p, own, *arm)))

    return search(evaluate, SPACE, trials, seed)[0]


def _name(arm: tuple[Attack, Rule]) -> str:
    attack, rule = arm
    return f"attack: {attack}" + (", median ranks" if rule == "median" else "")

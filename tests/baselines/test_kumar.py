import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from consilience.baselines import KumarKMeans
from consilience.baselines.kumar import average_centres, lloyd
from consilience.datasets import split_columns, split_rows
from consilience.metrics import agreement, score


def test_one_round_worked_by_hand():
    X = np.array([[0.0], [2.0], [10.0], [4.0], [12.0], [14.0]])
    model = KumarKMeans(2, n_rounds=1, n_local_steps=1, init=[[1.0], [11.0]])
    model.fit(X, parties=list("aaabbb"))
    # a: means 1 (2 rows) and 10 (1 row); b: 4 (1 row) and 13 (2 rows).
    assert model.cluster_centers_.ravel().tolist() == [2.0, 12.0]
    assert model.labels_.tolist() == [0, 0, 1, 0, 1, 1]


def test_lloyd_keeps_a_centre_without_rows():
    centres, counts = lloyd(np.array([[0.0], [2.0]]), np.array([[0.5], [50.0]]), 3)
    assert centres.ravel().tolist() == [1.0, 50.0]
    assert counts.tolist() == [2, 0]


def test_a_party_without_rows_of_a_cluster_does_not_move_its_centre():
    a = np.array([[1.0], [7.0]]), np.array([4, 0])
    b = np.array([[5.0], [9.0]]), np.array([4, 2])
    assert average_centres([a, b], np.zeros((2, 1))).ravel().tolist() == [3.0, 9.0]


@settings(deadline=None)
@given(st.integers(0, 100))
def test_one_lloyd_step_over_parties_is_one_over_the_pooled_rows(seed):
    rng = np.random.default_rng(seed)
    X, start = rng.normal(size=(40, 3)), rng.normal(size=(4, 3))
    model = KumarKMeans(4, n_rounds=5, n_local_steps=1, init=start)
    model.fit(X, parties=split_rows(40, 5, random_state=rng))
    pooled, _ = lloyd(X, start, 5)
    assert model.cluster_centers_ == pytest.approx(pooled)


def test_one_party_is_plain_kmeans_from_the_same_start():
    X = load_iris().data
    model = KumarKMeans(3, random_state=0).fit(X)
    pooled = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    assert agreement(model.labels_, pooled) == 1
    assert (model.predict(X) == model.labels_).all()


def test_iris_halves_come_near_the_published_figures():
    # Published .735 (.105), .737, .893 over 100 trials; 40 here, so 4 standard errors.
    X, y = load_iris(return_X_y=True)
    scores = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        parties = split_rows(150, 10, random_state=rng)
        columns = split_columns(4, 2, random_state=rng)[0]
        model = KumarKMeans(3, random_state=seed)
        scores.append(score(y, model.fit_predict(X[:, columns], parties=parties)))
    assert np.mean(scores, axis=0) == pytest.approx([0.735, 0.737, 0.893], abs=0.07)


def test_tiny_parties_take_part():
    X = np.arange(8.0).reshape(-1, 1)
    labels = KumarKMeans(2, random_state=0).fit_predict(X, parties=[0, 0, 0, 0, 0, 1, 2, 3])
    assert len(np.unique(labels)) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_clusters": 4}, "n_clusters == 4, must be <= 3: the party with the most rows"),
        ({"init": "random"}, "init == 'random', must be 'party' or an array"),
        ({"init": [[1.0]]}, r"init has shape \(1, 1\), must be \(2, 1\)"),
        ({"n_rounds": 0}, "n_rounds == 0, must be >= 1"),
        ({"n_local_steps": 0}, "n_local_steps == 0, must be >= 1"),
    ],
)
def test_fit_names_value_and_rule(change, message):
    model = KumarKMeans(**{"n_clusters": 2, **change})
    with pytest.raises(ValueError, match=message):
        model.fit(np.arange(6.0).reshape(-1, 1), parties=list("aaabbb"))

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from consilience.baselines import CoresetKMeans, DistributedKMeans
from consilience.baselines.huang import sensitivities


def test_a_lonely_row_matters_more_than_the_rows_of_a_large_cluster():
    X = np.r_[np.zeros(99), 50.0][:, None]
    labels = np.r_[np.zeros(99, dtype=int), 1]
    scores = sensitivities(X, labels, np.array([[0.0], [50.0]]))
    assert scores[-1] == pytest.approx(400)
    assert scores[0] == pytest.approx(400 / 99)


def test_each_party_labels_by_its_own_columns():
    X, truth = make_blobs(300, n_features=6, centers=3, cluster_std=0.3, random_state=1)
    noise = np.random.default_rng(0).normal(size=(300, 2))
    table = np.hstack([X, noise])
    model = CoresetKMeans(3, columns=[list(range(6)), [6, 7]], random_state=0).fit(table)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    assert adjusted_rand_score(truth, model.peer_labels_[0]) == 1.0
    assert adjusted_rand_score(truth, model.peer_labels_[1]) < 0.1


def test_coreset_size_below_one_is_refused():
    with pytest.raises(ValueError, match="coreset_size == 0"):
        CoresetKMeans(2, coreset_size=0).fit(np.eye(4))


def test_parties_are_taken_and_change_nothing():
    X = np.array([[0.0, 0], [1, 1], [20, 20], [21, 21]]).repeat(10, axis=0)
    for model in (CoresetKMeans(2, random_state=0), DistributedKMeans(2, random_state=0)):
        alone = model.fit(X).labels_
        np.testing.assert_array_equal(model.fit(X, parties=np.arange(40) % 3).labels_, alone)
        with pytest.raises(ValueError, match="inconsistent"):
            model.fit(X, parties=[1, 2])

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from consilience.baselines import LocalClustering
from consilience.metrics import agreement


@parametrize_with_checks([LocalClustering(method="spectral")])
def test_the_contract_of_scikit_learn_holds_for_spectral_too(estimator, check):
    check(estimator)


def test_labels_differ_between_parties_worked_by_hand():
    X = np.array([[0.0], [9.0], [0.1], [9.1], [0.2], [9.2]])
    model = LocalClustering(2, random_state=0).fit(X, parties=[1, 1, 1, 0, 0, 0])
    assert model.parties_ == [0, 1]
    assert model.n_clusters_ == 4
    assert model.labels_.tolist() == [2, 3, 2, 0, 1, 0]


def test_scores_are_of_each_party_s_rows_only():
    X = np.array([[0.0], [0.1], [9.0], [9.1], [0.0], [0.1], [9.0], [9.1]])
    model = LocalClustering(2, random_state=0).fit(X, parties=list("aaaabbbb"))
    scores = model.score_parties([0, 0, 1, 1, 0, 1, 0, 1])
    assert list(scores) == ["a", "b"]
    assert scores["a"] == (1, 1, 1)
    assert scores["b"].acc == 0.5


def test_without_parties_it_is_the_pooled_clustering():
    X = load_iris().data
    pooled = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    assert agreement(LocalClustering(3, random_state=0).fit_predict(X), pooled) == 1


def test_a_party_with_few_rows_gives_each_its_own_cluster():
    X = np.arange(9.0).reshape(-1, 1)
    model = LocalClustering(3, random_state=0).fit(X, parties=[0] * 6 + [1, 2, 2])
    assert model.n_clusters_ == 6
    assert model.labels_[6:].tolist() == [3, 4, 5]


def test_a_clusterer_of_the_user_s_decides_itself_and_noise_stays_noise():
    X = np.array([[0.0], [0.1], [50.0], [0.0], [0.1], [7.0], [7.1]])
    model = LocalClustering(method=DBSCAN(eps=1, min_samples=2))
    assert model.fit_predict(X, parties=list("aaabbbb")).tolist() == [0, 0, -1, 1, 1, 2, 2]
    kmeans = LocalClustering(method=KMeans(2, n_init=1))
    assert len(np.unique(kmeans.fit_predict(X, parties=list("aaaaaab")))) == 3


def test_a_party_that_is_all_noise_adds_no_cluster():
    X = np.array([[0.0], [50.0], [0.0], [0.1]])
    model = LocalClustering(method=DBSCAN(eps=1, min_samples=2))
    assert model.fit_predict(X, parties=list("aabb")).tolist() == [-1, -1, 0, 0]
    assert model.n_clusters_ == 1


def test_what_cannot_be_is_refused():
    X = np.arange(4.0).reshape(-1, 1)
    with pytest.raises(ValueError, match="n_clusters == 8, must be <= 4, the number of rows"):
        LocalClustering().fit(X)
    with pytest.raises(ValueError, match="n_clusters == 0, must be >= 1"):
        LocalClustering(0).fit(X)
    with pytest.raises(ValueError, match=r"y has shape \(2,\), must be \(4,\)"):
        LocalClustering(2).fit(X).score_parties([0, 1])
    with pytest.raises(NotFittedError):
        LocalClustering().score_parties([0])

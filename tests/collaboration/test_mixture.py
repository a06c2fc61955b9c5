import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import scale

from consilience import CollaborationClustering
from consilience.collaboration.mixture import OrderedMixture, fit_mixture


def test_rows_in_the_middle_belong_to_both():
    X = np.array([[0.0], [0.2], [-0.2], [5.0], [5.2], [4.8], [2.5]])
    mixture = fit_mixture(X, np.array([[0.0], [5.0]]), seed=0)
    shares = OrderedMixture(mixture, np.array([1, 0])).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares[:3, 1].min() > 0.9
    assert shares[3:6, 0].min() > 0.9


def test_the_order_decides_the_numbers():
    X = np.array([[0.0], [0.2], [5.0], [5.2]])
    mixture = fit_mixture(X, np.array([[0.0], [5.0]]), seed=0)
    assert OrderedMixture(mixture, np.array([1, 0])).predict(X).tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_clusters_are_not_the_institutions(seed):
    X = scale(load_breast_cancer().data)
    parties = np.random.default_rng(seed).integers(5, size=len(X))
    groups = [list(range(15)), list(range(15, 30))]
    model = CollaborationClustering(
        2, method="mixture", columns=groups, n_components=[8, 8], random_state=seed
    ).fit(X, parties=parties)
    assert normalized_mutual_info_score(model.labels_, parties) < 0.03
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)

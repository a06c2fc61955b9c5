import numpy as np
import pytest
from sklearn.cluster import HDBSCAN, KMeans

from consilience.consensus.choice import DensityGroups, OwnChoice

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("k", [2, 4, 6])
def test_the_number_of_touching_piles_is_found(k):
    centers = 5 * np.column_stack([np.arange(k) % 3, np.arange(k) // 3])
    X = RNG.normal(0, 1.1, (60 * k, 2)) + np.repeat(centers, 60, axis=0)
    chosen = OwnChoice(max_noise=0.0).choose(X)
    assert isinstance(chosen, KMeans)
    assert chosen.n_clusters == k


def test_the_same_rows_give_the_same_choice():
    X = RNG.normal(size=(3000, 3))
    assert repr(OwnChoice().choose(X)) == repr(OwnChoice().choose(X.copy()))


def test_nearly_everything_in_one_group_is_no_grouping():
    X = np.vstack([RNG.normal(0, 0.1, (950, 2)), RNG.normal(9, 0.1, (50, 2))])
    assert not isinstance(OwnChoice().choose(X), HDBSCAN)


@pytest.mark.parametrize("X", [np.ones((1, 2)), np.ones((50, 2)), np.eye(3)])
def test_few_or_equal_rows_have_an_answer(X):
    assert OwnChoice().choose(X).n_clusters >= 1


def test_noise_belongs_to_the_nearest_group():
    ring = np.linspace(0, 1, 50)[:, None]
    X = np.vstack([ring, ring + 9, [[3.0], [6.5]]])
    labels = DensityGroups(min_cluster_size=10, copy=True).fit_predict(X)
    assert labels[-2] == labels[0]
    assert labels[-1] == labels[50]

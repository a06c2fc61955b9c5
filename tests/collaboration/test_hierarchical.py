import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from consilience.collaboration.hierarchical import (
    cut_tree,
    grow_tree,
    ward_clusters,
)
from consilience.collaboration.landmarks import MAX_LANDMARKS


@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), m=st.integers(1, 4))
@settings(deadline=None, max_examples=40)
def test_the_tree_is_that_of_scipy(seed, n, m):
    X = np.random.default_rng(seed).normal(size=(n, m))
    ours, theirs = grow_tree(X, np.ones(n)), linkage(X, "ward")
    np.testing.assert_allclose(ours[:, 2:], theirs[:, 2:], rtol=1e-8)
    for k in {2, n // 2 + 1, n}:
        cut = hierarchy.cut_tree(theirs, k).ravel()  # fcluster of SciPy 1.13 cuts wrongly
        assert adjusted_rand_score(cut_tree(ours, k)[0], cut) == pytest.approx(1)


def test_a_leaf_that_counts_three_times_is_three_leaves():
    X = np.array([[0.0], [1.0], [4.0], [9.0]])
    weights = np.array([3.0, 1.0, 2.0, 1.0])
    few, many = grow_tree(X, weights), grow_tree(np.repeat(X, [3, 1, 2, 1], axis=0), np.ones(7))
    np.testing.assert_allclose(few[:, 2:], many[-3:, 2:])


def test_equal_rows_join_at_nothing():
    tree = grow_tree(np.zeros((5, 2)), np.ones(5))
    assert tree[:, 2].tolist() == [0.0] * 4
    assert sorted(cut_tree(tree, 3)[0].tolist()) != [0] * 5


def test_the_top_of_a_cut_joins_every_cluster_once():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for k in (1, 2, 7, 40):
        labels, top = cut_tree(grow_tree(X, np.ones(40)), k)
        assert sorted(set(labels)) == list(range(k))
        assert sorted(top[:, :2].ravel().tolist()) == list(range(2 * (k - 1)))


def test_many_rows_go_through_leaves_and_keep_their_label():
    X, y = make_blobs(3 * MAX_LANDMARKS, centers=5, n_features=4, random_state=3)
    labels, top, rule = ward_clusters(X, 5, seed=0)
    assert adjusted_rand_score(labels, y) > 0.98
    assert top[-1, 3] == len(X)
    np.testing.assert_array_equal(rule.predict(X), labels)

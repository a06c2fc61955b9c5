import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from consilience.collaboration.exploration import SAMPLE_ROWS, exploration_table, explore


@pytest.fixture
def blobs():
    centers = [[0, 0], [9, 0], [0, 9], [9, 9]]
    return make_blobs(400, centers=centers, random_state=0)[0]


def test_the_true_number_is_the_stable_one(blobs):
    found = explore(blobs, range(1, 7), ["kmeans"], seed=0)
    assert [tried.n_clusters for tried in found] == [1, 2, 3, 4, 5, 6]
    best = max(found[1:], key=lambda tried: tried.stability)
    assert best.n_clusters == 4
    assert best.stability == pytest.approx(1)
    assert best.silhouette == max(tried.silhouette for tried in found[1:])
    assert sum(best.sizes) == 400
    assert (found[0].silhouette, found[0].stability) == (None, None)


def test_methods_are_compared_with_each_other(blobs):
    moons = make_moons(300, noise=0.05, random_state=0)[0]
    for X, alike in ((blobs, True), (moons, False)):
        k = 4 if alike else 2
        one, two = explore(X, [k], ["kmeans", "spectral"], seed=0)
        assert one.agreement["spectral"] == two.agreement["kmeans"]
        assert (one.agreement["spectral"] > 0.95) == alike
    header = exploration_table([one, two]).header
    assert "agreement of methods" in header
    assert "agreement of methods" not in exploration_table([one]).header


def test_large_tables_are_sampled_and_small_ones_not_asked_too_much(blobs):
    many = np.vstack([blobs] * 6)
    [tried] = explore(many, [2], ["kmeans"], seed=0)
    assert sum(tried.sizes) == SAMPLE_ROWS
    few = explore(blobs[:10], range(2, 11), ["kmeans"], seed=0)
    assert [tried.n_clusters for tried in few] == [2, 3, 4, 5, 6, 7]


def test_rows_are_left_as_they_are(blobs):
    before = blobs.copy()
    explore(blobs, [2, 3], ["kmeans"], seed=0)
    np.testing.assert_array_equal(blobs, before)

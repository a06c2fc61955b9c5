import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consilience.baselines.fedfcm import FedFCM, fuzzy_c_means


def test_one_fuzzy_step_by_hand():
    X, centres = np.array([[0.0], [3.0]]), np.array([[1.0], [2.0]])
    # squared distances 1 4 / 4 1, so memberships .8 .2 / .2 .8
    moved, support = fuzzy_c_means(X, centres, 1, 0.0)
    expected = 3 * 0.2**2 / (0.8**2 + 0.2**2)
    np.testing.assert_allclose(moved.ravel(), [expected, 3 - expected])
    np.testing.assert_allclose(support, [1.0, 1.0])


def test_row_on_a_centre_belongs_to_it():
    centres, support = fuzzy_c_means(np.array([[0.0], [5.0]]), np.array([[0.0], [5.0]]), 50, 1e-9)
    np.testing.assert_allclose(centres.ravel(), [0.0, 5.0], atol=1e-12)
    np.testing.assert_allclose(support, [1.0, 1.0])


def test_well_apart_blobs_are_found_whatever_the_split():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = rng.normal(size=(300, 2)) + np.array([[0, 0], [20, 0], [0, 20]])[y]
    model = FedFCM(3, random_state=0).fit(X, parties=rng.integers(5, size=300))
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.n_iter_ < 100


def test_seed_repeats_the_result():
    X = np.random.default_rng(1).normal(size=(100, 3))
    one, two = (FedFCM(4, random_state=4).fit(X, parties=np.arange(100) % 3) for _ in range(2))
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)


@pytest.mark.parametrize("n", [1, 2])
def test_tiny_clients_and_duplicates_do_no_harm(n):
    X = np.repeat(np.arange(4.0), n)[:, None]
    model = FedFCM(3, random_state=0).fit(X, parties=np.arange(4 * n))
    assert np.isfinite(model.cluster_centers_).all()
    assert len(set(FedFCM(3, random_state=0).fit(np.ones((6, 2))).labels_)) == 1

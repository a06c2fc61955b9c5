import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience import kmeans as module
from consilience.kmeans import N_INIT, choose_start, kmeans


def rows_of(n_rows, n_centers, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_centers, 5)) * 3
    return centers[rng.integers(n_centers, size=n_rows)] + rng.normal(size=(n_rows, 5))


def test_few_rows_are_clustered_from_ten_starts_with_all_of_them():
    X = rows_of(500, 7)
    labels, centers = kmeans(X.copy(), 7, seed=3)
    model = KMeans(7, n_init=N_INIT, random_state=3).fit(X)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_allclose(centers, model.cluster_centers_, atol=1e-12)


@pytest.fixture
def small_samples(monkeypatch):
    for name, value in (
        ("SAMPLED_ABOVE", 2_000),
        ("ROWS_TRIED", 400),
        ("ROWS_OF_FINALISTS", 1_000),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(module, "ROWS_PER_CLUSTER", 20)


@pytest.mark.usefixtures("small_samples")
@pytest.mark.parametrize("seed", range(3))
def test_sampled_starts_lose_no_more_than_a_thousandth(seed):
    X = rows_of(20_000, 12, seed)
    labels, centers = kmeans(X.copy(), 8, seed)
    ten = KMeans(8, n_init=10, random_state=seed).fit(X).inertia_
    assert ((X - centers[labels]) ** 2).sum() <= 1.001 * ten


@pytest.mark.usefixtures("small_samples")
def test_sampled_starts_repeat_and_leave_the_rows_as_they_were():
    X = rows_of(5_000, 4)
    given = X.copy()
    first, again = kmeans(given, 4, seed=1), kmeans(X.copy(), 4, seed=1)
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_allclose(given, X, atol=1e-12)


@pytest.mark.usefixtures("small_samples")
def test_a_cluster_of_one_row_in_two_hundred_is_found_on_the_sample():
    X = np.vstack([rows_of(9_950, 3), np.full((50, 5), 40.0)])
    centers = choose_start(X, 4, seed=0)
    assert np.abs(centers - 40).max(axis=1).min() < 1


def test_sample_grows_with_the_number_of_clusters(monkeypatch):
    seen = []
    take = module._sample
    monkeypatch.setattr(
        module, "_sample", lambda X, n, rng: seen.append(n) or take(X[:300], n, rng)
    )
    choose_start(rows_of(1_000, 3), 100, seed=0)
    assert seen == [40_000, 100_000]

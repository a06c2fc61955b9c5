import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience import kmeans as module
from consilience.engines import engine
from consilience.engines.in_memory import as_rows
from consilience.engines.on_disk import OnDisk
from consilience.kmeans import N_INIT, choose_start, kmeans, lloyd


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
        ("ROWS_TRIED", 1_200),
        ("ROWS_OF_FINALISTS", 2_400),
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


def test_starts_that_agree_end_the_search(monkeypatch):
    monkeypatch.setattr(module, "SAMPLED_ABOVE", 2_000)
    fitted = []
    fit = KMeans.fit
    monkeypatch.setattr(KMeans, "fit", lambda *a, **k: fitted.append(len(a[1])) or fit(*a, **k))
    rng = np.random.default_rng(0)
    apart = rng.normal(size=(20_000, 2)) + np.repeat([[0, 0], [50, 0]], 10_000, axis=0)
    choose_start(apart, 2, seed=0)
    assert len(fitted) == 3 + 1
    fitted.clear()
    choose_start(rng.uniform(size=(20_000, 9)), 9, seed=0)
    # Ten starts, at least the three runs of each breath of the best three, and these to the end.
    assert len(fitted) >= 10 + 3 * 3 + 3


def test_long_tails_are_in_every_sample():
    X = np.random.default_rng(0).lognormal(sigma=1.5, size=(120_000, 4))
    labels, centers = kmeans(X, 5, seed=0)
    ten = KMeans(5, n_init=10, random_state=0).fit(X).inertia_
    assert ((X - centers[labels]) ** 2).sum() <= 1.01 * ten


def test_what_is_drawn_more_often_counts_less(monkeypatch):
    monkeypatch.setattr(engine, "BLOCK_BYTES", 700 * 2 * 8)
    X = np.random.default_rng(0).lognormal(size=(20_000, 2))
    rows, rng = as_rows(X), np.random.default_rng(1)
    drawn = [module._sample_far(rows, 4_000, rng) for _ in range(50)]
    totals = np.mean([weights.sum() for _, weights in drawn])
    means = np.mean([weights @ sample / len(X) for sample, weights in drawn], axis=0)
    assert totals == pytest.approx(20_000, rel=0.01)
    np.testing.assert_allclose(means, X.mean(axis=0), rtol=0.01)


def test_rows_on_one_place_are_sampled_evenly():
    sample, weights = module._sample_far(
        as_rows(np.ones((5_000, 2))), 100, np.random.default_rng(0)
    )
    assert sample.shape == (100, 2)
    assert weights.sum() == pytest.approx(5_000)


@pytest.mark.usefixtures("small_samples")
def test_a_cluster_of_one_row_in_two_hundred_is_found_on_the_sample():
    X = np.vstack([rows_of(9_950, 3), np.full((50, 5), 40.0)])
    centers = choose_start(X, 4, seed=0)
    assert np.abs(centers - 40).max(axis=1).min() < 1


def test_sample_grows_with_the_number_of_clusters(monkeypatch):
    seen = []
    draw = module._sample_far
    monkeypatch.setattr(
        module, "_sample_far", lambda rows, n, rng: seen.append(n) or draw(rows, 300, rng)
    )
    choose_start(rows_of(1_000, 3), 200, seed=0)
    assert seen == [133_333]


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_lloyd_by_blocks_is_that_of_scikit_learn(far, monkeypatch):
    monkeypatch.setattr(module, "PIECE_ROWS", 700)
    monkeypatch.setattr(engine, "BLOCK_BYTES", 2_000 * 5 * 8)
    X = rows_of(5_000, 9, seed=2) + far
    start = X[:6].copy()
    labels, centers = lloyd(X, start)
    model = KMeans(6, init=start, n_init=1).fit(X)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_allclose(centers, model.cluster_centers_, rtol=0, atol=1e-7)


def test_rows_on_disk_have_the_labels_of_rows_in_memory_to_the_last_bit(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SAMPLED_ABOVE", 10_000)
    monkeypatch.setattr(engine, "BLOCK_BYTES", 3_000 * 5 * 8)
    X = rows_of(40_000, 9)
    rows = OnDisk(tmp_path).rows("rows", X.shape, lambda: np.array_split(X, 7))
    for of_memory, of_file in zip(kmeans(X, 5, 0), kmeans(rows, 5, 0), strict=True):
        np.testing.assert_array_equal(of_memory, of_file)


def test_killed_run_goes_on_from_its_last_step(tmp_path):
    X = rows_of(40_000, 9)
    engine = OnDisk(tmp_path, "what arrived")
    rows = engine.rows("rows", X.shape, lambda: [X])
    whole = lloyd(rows, X[:5])
    n_steps = len(list(tmp_path.glob("*.means")))
    steps = []
    again = OnDisk(tmp_path, "what arrived", tell=lambda doing, *_: steps.append(doing))
    records = sorted(tmp_path.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    records[-1].unlink()  # the last step was not finished
    lost = again.rows("rows", X.shape, lambda: pytest.fail("the rows are there"))
    for one, two in zip(whole, lloyd(lost, X[:5]), strict=True):
        np.testing.assert_array_equal(one, two)
    assert n_steps > 3
    assert set(steps) == {f"k-means, step {n_steps}", "labels"}


def test_centre_that_is_nearest_to_no_row_stays():
    X = np.array([[0.0], [1.0], [2.0]])
    labels, centers = lloyd(X, np.array([[1.0], [50.0]]))
    assert labels.tolist() == [0, 0, 0]
    assert centers.ravel().tolist() == [1, 50]


@pytest.mark.usefixtures("small_samples")
def test_rows_on_fewer_places_than_clusters_are_no_error():
    labels, _ = kmeans(np.repeat([[0.0], [1.0]], 1_500, axis=0), 3, seed=0)
    assert len(set(labels.tolist())) == 2

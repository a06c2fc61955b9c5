import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consilience.baselines.mufc import MUFC, resample


def test_points_stay_in_their_cells_and_counts_are_kept():
    cells, counts = np.array([[0.0, 5.0], [9.0, 9.0]]), np.array([3, 4])
    points = resample(cells, counts, np.random.RandomState(0))
    assert np.round(points).tolist() == [[0.0, 5.0]] * 3 + [[9.0, 9.0]] * 4


@pytest.mark.parametrize("lloyd", [False, True])
def test_well_apart_blobs_are_found_whatever_the_split(lloyd):
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    X = rng.normal(size=(600, 2)) + np.array([[0, 0], [40, 0], [0, 40]])[y]
    model = MUFC(3, lloyd=lloyd, random_state=0).fit(X, parties=rng.integers(5, size=600))
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_seed_repeats_the_result():
    X = np.random.default_rng(1).normal(size=(100, 3))
    one, two = (MUFC(4, random_state=4).fit(X, parties=np.arange(100) % 3) for _ in range(2))
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)


@pytest.mark.parametrize("n", [1, 2])
def test_tiny_clients_and_duplicates_do_no_harm(n):
    X = np.repeat(np.arange(4.0), n)[:, None]
    model = MUFC(3, random_state=0).fit(X, parties=np.arange(4 * n))
    assert np.isfinite(model.cluster_centers_).all()
    assert len(MUFC(3, random_state=0).fit(np.zeros((6, 2))).labels_) == 6

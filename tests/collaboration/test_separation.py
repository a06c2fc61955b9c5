import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from consilience.collaboration.separation import separation


def test_it_is_the_mutual_information_of_the_labels():
    counts = np.array([[7, 1, 2], [0, 4, 6]])
    institutions = np.repeat([0, 1], counts.sum(axis=1))
    clusters = np.concatenate([np.repeat([0, 1, 2], n) for n in counts])
    expected = normalized_mutual_info_score(institutions, clusters)
    assert separation(counts).nmi == pytest.approx(expected)


@pytest.mark.parametrize("n_rows", [40, 400, 40_000])
def test_rows_split_at_random_are_not_told_apart(n_rows):
    # The chance that one of 20 draws exceeds all of 200 by 0.05 is below 1 %.
    rng = np.random.default_rng(0)
    for _ in range(20):
        counts = np.histogram2d(rng.integers(5, size=n_rows), rng.integers(4, size=n_rows), (5, 4))
        assert not separation(counts[0].astype(np.int64)).noticeable


def test_institutions_that_share_clusters_unevenly_are_told_apart():
    assert separation(np.array([[90, 10], [10, 90]])).noticeable


def test_one_institution_or_one_cluster_tells_nothing():
    for counts in ([[3, 4]], [[3], [4]], [[3, 0], [4, 0]], [[0, 0]]):
        assert separation(np.array(counts)) == (0.0, 0.0)

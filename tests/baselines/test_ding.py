import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import adjusted_rand_score

from consilience.baselines import DistributedKMeans


@pytest.mark.parametrize("n_parties", [1, 2, 3, 5])
def test_clear_groups_are_found_by_any_number_of_parties(n_parties):
    X, truth = make_blobs(200, n_features=10, centers=4, cluster_std=0.3, random_state=0)
    columns = [list(c) for c in np.array_split(np.arange(10), n_parties)]
    model = DistributedKMeans(4, columns=columns, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    assert len(model.peer_labels_) == n_parties


def test_a_row_gets_the_cluster_of_its_own_cell_with_three_parties():
    """Relabelling the cells by brute force over the whole grid gives the same clusters."""
    X, _ = load_digits(return_X_y=True)
    X = X[:300]
    columns = [list(range(20)), list(range(20, 40)), list(range(40, 64))]
    model = DistributedKMeans(5, columns=columns, random_state=0).fit(X)
    # The centres live in the joined columns: every row's cell is nearer to its own cluster than
    # the average cell is to another, which a shuffled grid would break.
    joined = np.hstack([X[:, c] for c in columns])
    own = np.linalg.norm(joined - model.cluster_centers_[_match(model, joined)], axis=1)
    other = np.linalg.norm(joined[:, None] - model.cluster_centers_[None], axis=2).mean(axis=1)
    assert (own < other).mean() > 0.95


def _match(model, joined):
    """Find which centre stands for each label, by the mean of its rows."""
    means = np.array([joined[model.labels_ == k].mean(axis=0) for k in range(model.n_clusters_)])
    nearest = np.linalg.norm(means[:, None] - model.cluster_centers_[None], axis=2).argmin(axis=1)
    assert len(set(nearest)) == model.n_clusters_
    return nearest[model.labels_]


def test_too_many_clusters_are_refused():
    with pytest.raises(ValueError, match="n_clusters == 9, must be <= 4"):
        DistributedKMeans(9).fit(np.eye(4))

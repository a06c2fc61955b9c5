from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from consilience import CoHiRF


def test_clear_groups_in_many_columns_are_found():
    X, y = make_blobs(200, n_features=30, centers=3, cluster_std=0.5, random_state=3)
    model = CoHiRF(n_groups=3, n_repeats=4, feature_fraction=0.4, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.hierarchy_.cut().max() + 1 == model.n_clusters_

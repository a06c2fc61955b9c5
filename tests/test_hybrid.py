import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score

from consilience import ConsensusClustering
from consilience.datasets import multimodal, split_rows
from consilience.hybrid import HybridConsensusClustering

COLUMNS = [[0, 1, 2], [3, 4]]
BASES = [DBSCAN(eps=2.0), KMeans(3)]


@pytest.mark.parametrize("n_parties", [1, 2, 5])
def test_rows_at_several_institutions_give_the_result_of_rows_at_one(n_parties):
    X, y = multimodal(random_state=0)
    parties = split_rows(len(X), n_parties, random_state=1)
    model = HybridConsensusClustering(BASES, columns=COLUMNS, random_state=0)
    labels = model.fit_predict(X, parties=parties)
    together = ConsensusClustering(BASES, columns=COLUMNS, random_state=0).fit_predict(X)
    assert adjusted_rand_score(together, labels) == 1.0
    assert adjusted_rand_score(y, labels) == 1.0


def test_dropping_a_dimension_of_the_spheres_is_felt():
    X, y = multimodal(random_state=0)
    parties = split_rows(len(X), 3, random_state=1)
    model = HybridConsensusClustering(BASES, columns=COLUMNS, n_components=[2, 2], random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(X, parties=parties)) < 0.7


def test_a_wrong_number_of_components_is_named():
    with pytest.raises(ValueError, match="n_components has 3 entries"):
        HybridConsensusClustering(columns=COLUMNS, n_components=[1, 1, 1]).fit(np.eye(5))

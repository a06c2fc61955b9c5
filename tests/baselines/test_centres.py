"""What the methods with common centres share."""

import numpy as np
import pytest

from consilience.baselines import MUFC, FedFCM, KFed, KumarKMeans

METHODS = [KFed, FedFCM, MUFC, KumarKMeans]


@pytest.fixture
def rows():
    middles = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 40, axis=0)
    return middles + np.random.default_rng(0).normal(size=(120, 2))


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_the_nearest_centres_and_parties_are_named(method, rows):
    model = method(3, random_state=0).fit(rows, parties=np.array(["b", "a"])[np.arange(120) % 2])
    distances = np.linalg.norm(rows[:, None] - model.cluster_centers_, axis=2)
    assert (model.labels_ == distances.argmin(axis=1)).all()
    assert (model.predict(rows) == model.labels_).all()
    assert list(model.parties_) == ["a", "b"]
    assert model.n_clusters_ == 3


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_decides(method, rows):
    parties = np.arange(120) % 4
    once, again = (method(3, random_state=5).fit(rows, parties=parties) for _ in range(2))
    assert (once.cluster_centers_ == again.cluster_centers_).all()


@pytest.mark.parametrize("method", METHODS)
def test_no_clusters_are_refused(method, rows):
    with pytest.raises(ValueError, match="n_clusters == 0"):
        method(0).fit(rows)

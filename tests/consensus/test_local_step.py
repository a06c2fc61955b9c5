from typing import ClassVar

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.random_projection import GaussianRandomProjection

from consilience.consensus.local_step import LocalStep, cluster_views, local_generator, local_labels

X = np.random.default_rng(0).normal(size=(50, 10))


class Witness(KMeans):
    """Remembers the width of the tables it was given."""

    seen: ClassVar[list[int]] = []

    def fit(self, X, y=None, sample_weight=None):
        Witness.seen.append(X.shape[1])
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("fraction", "width"), [(0.3, 3), (0.39, 3), (0.01, 1), (1.0, 10)])
def test_each_repetition_sees_the_stated_share_of_columns(fraction, width):
    Witness.seen = []
    step = LocalStep(Witness(2, n_init=1), n_repeats=4, feature_fraction=fraction)
    cluster_views(X, step, seed=0, peer=0, iteration=1)
    assert Witness.seen == [width] * 4


def test_seeds_depend_on_peer_iteration_and_repetition():
    step = LocalStep(KMeans(5, n_init=1), n_repeats=2, feature_fraction=0.5)

    def labels(**changes):
        return cluster_views(X, step, **{"seed": 0, "peer": 0, "iteration": 1, **changes})

    same = labels()
    np.testing.assert_array_equal(same, labels())
    assert not np.array_equal(same[:, 0], same[:, 1])
    for change in ({"seed": 1}, {"peer": 1}, {"iteration": 2}):
        assert not np.array_equal(same, labels(**change))


@pytest.mark.parametrize("projection", [PCA(2), GaussianRandomProjection(3)])
def test_a_projection_is_fitted_on_the_columns_of_the_repetition(projection):
    Witness.seen = []
    step = LocalStep(Witness(2, n_init=1), feature_fraction=0.5, projection=projection)
    one = local_labels(X, step, seed=0, peer=0, iteration=1)
    two = local_labels(X, step, seed=0, peer=0, iteration=1)
    np.testing.assert_array_equal(one, two)
    assert set(Witness.seen) == {projection.n_components}


def test_generators_differ_in_each_coordinate():
    streams = {
        tuple(local_generator(*key).integers(2**30, size=3))
        for key in [(0, 0, 1, 0), (1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 2, 0), (0, 0, 1, 1)]
    }
    assert len(streams) == 5

import itertools

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from consilience.baselines import dpfmps
from consilience.baselines.flajolet_martin import PhantomSettings, sketch_memberships
from consilience.baselines.li import _cells, _two_way_weights, share_budget

NONE = PhantomSettings(0, 0)


@pytest.mark.parametrize("n_parties", [1, 2, 5])
@pytest.mark.parametrize("for_size", [0.05, 0.02])
def test_the_shares_of_the_budget_add_up(n_parties, for_size):
    shares = share_budget(0.7, n_parties, for_size)
    total = shares["size"] + n_parties * (shares["centres"] + shares["sketches"])
    assert total == pytest.approx(0.7)


def true_counts(labels, k):
    counts = np.zeros((k,) * len(labels))
    np.add.at(counts, tuple(labels), 1)
    return counts


@pytest.mark.parametrize("n_parties", [2, 3])
def test_cells_are_estimated_without_noise(n_parties):
    rng = np.random.default_rng(0)
    base = rng.integers(3, size=4000)
    labels = [
        np.where(rng.random(4000) < 0.8, base, rng.integers(3, size=4000)) for _ in range(n_parties)
    ]
    sketches = [sketch_memberships(own, 3, 3000, 1, NONE, rng) for own in labels]
    truth = true_counts(labels, 3)
    assert np.abs(_cells(sketches, 4000, NONE) - truth).max() < 350
    fitted = _two_way_weights(sketches, 4000, NONE).reshape(truth.shape)
    assert np.abs(fitted - truth).max() < 350
    diagonal = [fitted[(k,) * n_parties] for k in range(3)]
    others = [fitted[c] for c in itertools.product(range(3), repeat=n_parties) if len(set(c)) > 1]
    assert min(diagonal) > max(others)


@pytest.mark.parametrize("weights", ["sketch", "two-way"])
def test_a_large_budget_finds_clear_groups(weights):
    X, truth = make_blobs(3000, n_features=6, centers=3, cluster_std=0.3, random_state=2)
    columns = [[0, 1], [2, 3], [4, 5]]
    scores = [
        np.mean(
            [
                adjusted_rand_score(truth, labels)
                for labels in dpfmps(
                    X, 3, columns=columns, epsilon=300, weights=weights, insecure_seed=seed
                ).peer_labels
            ]
        )
        for seed in range(4)
    ]
    assert max(scores) > 0.9


def test_noise_comes_from_the_operating_system_unless_seeded():
    X = np.random.default_rng(0).normal(size=(200, 4))
    settings = {"n_clusters": 2, "columns": [[0, 1], [2, 3]], "epsilon": 1.0}
    one, two = dpfmps(X, **settings), dpfmps(X, **settings)
    assert not np.array_equal(one.centres, two.centres)
    three, four = (dpfmps(X, insecure_seed=1, **settings) for _ in range(2))
    np.testing.assert_array_equal(three.centres, four.centres)


def test_impossible_requests_are_refused():
    with pytest.raises(ValueError, match="epsilon == 0, must be > 0"):
        dpfmps(np.eye(4), 2, epsilon=0)
    with pytest.raises(ValueError, match="a grid of 810000 cells"):
        dpfmps(np.eye(40), 30, columns=[[0], [1], [2], [3]])

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consilience.baselines.kfed import KFed, cluster_locally, merge_centres


def blobs(seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(300) % 3
    X = rng.normal(size=(300, 2)) + np.array([[0, 0], [20, 0], [0, 20]])[y]
    return X, y, rng.integers(5, size=300)


def test_centres_of_two_groups_by_hand():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    centres = cluster_locally(X, 2, 100, np.random.RandomState(0)).cluster_centers_
    assert sorted(centres.ravel()) == [0.5, 10.5]


def test_server_goes_from_the_first_client_to_the_farthest_centre():
    sent = [np.array([[0.0]]), np.array([[1.0], [8.0]]), np.array([[10.0]])]
    assert merge_centres(sent, 2).ravel().tolist() == [0.5, 9.0]


def test_server_goes_on_until_nothing_moves():
    sent = [np.array([[0.0], [2.0]]), np.array([[3.0], [4.0]]), np.array([[20.0], [21.0]])]
    # One step would leave 0 alone and put the others in one cluster, around 10.
    assert sorted(merge_centres(sent, 2).ravel()) == [2.25, 20.5]


def test_well_apart_blobs_are_found_whatever_the_split():
    X, y, parties = blobs()
    assert adjusted_rand_score(y, KFed(3, random_state=0).fit(X, parties=parties).labels_) == 1.0


def test_seed_repeats_the_result():
    X, _, parties = blobs()
    one, two = (KFed(3, random_state=4).fit(X, parties=parties) for _ in range(2))
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_clients_and_duplicates_do_no_harm(n):
    X = np.repeat(np.arange(4.0), n)[:, None]
    model = KFed(3, random_state=0).fit(X, parties=np.arange(4 * n))
    assert model.cluster_centers_.shape == (3, 1)
    assert len(set(KFed(3, random_state=0).fit(np.ones((6, 2))).labels_)) == 1

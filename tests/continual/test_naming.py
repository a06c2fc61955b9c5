import numpy as np

from consilience.continual.naming import Succession, name_clusters


def name(before, after, known, n_clusters=None, weights=None):
    before, after = np.array(before), np.array(after)
    weights = np.ones(len(before)) if weights is None else np.array(weights, float)
    n_clusters = int(after.max()) + 1 if n_clusters is None else n_clusters
    return name_clusters(
        before, after, weights, n_clusters, np.array(known), max(known, default=-1) + 1
    )


def test_unchanged_clusters_keep_their_names_whatever_their_numbers():
    succession = name([7, 7, 3, 3], [0, 0, 1, 1], [3, 7])
    assert succession.names == (7, 3)
    assert succession == Succession(names=(7, 3))


def test_first_round_is_all_births_heaviest_first():
    succession = name([-1, -1, -1], [1, 1, 0], [])
    assert succession.names == (1, 0)
    assert succession.births == (0, 1)


def test_merged_clusters_take_the_name_of_the_larger():
    succession = name([0, 0, 0, 1], [0, 0, 0, 0], [0, 1])
    assert succession.names == (0,)
    assert succession.merges == ((1, 0),)


def test_larger_part_of_a_split_keeps_the_name():
    succession = name([5, 5, 5], [1, 1, 0], [5])
    assert succession.names == (6, 5)
    assert succession.splits == ((6, 5),)


def test_weights_decide_not_numbers():
    succession = name([0, 0, 0], [0, 0, 1], [0], weights=[1, 1, 9])
    assert succession.names == (1, 0)


def test_cluster_without_points_left_is_dead_and_its_name_is_not_used_again():
    succession = name([0, -1], [0, 1], [0, 4])
    assert succession.deaths == (4,)
    assert succession.names == (0, 5)

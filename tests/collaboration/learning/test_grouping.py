"""Groups by label mix: distances by hand, diameters at most t, gaps and newcomers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.collaboration.learning.grouping import (
    gap_threshold,
    group_parties,
    label_distributions,
    merge_tree,
    nearest_group,
    total_variation,
)


def test_distances_by_hand():
    P = label_distributions([[5, 5, 0], [0, 5, 5], [10, 0, 0]])
    assert np.allclose(total_variation(P), [[0, 0.5, 0.5], [0.5, 0, 1], [0.5, 1, 0]])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=2, max_size=12
    ),
    st.integers(0, 10),
)
def test_no_group_is_wider_than_the_threshold(counts, tenths):
    P, t = label_distributions(counts), tenths / 10
    groups = group_parties(merge_tree(P), t)
    D = total_variation(P)
    for g in range(groups.max() + 1):
        inside = np.flatnonzero(groups == g)
        assert D[np.ix_(inside, inside)].max() <= t + 1e-8


def test_the_ends_of_the_threshold():
    P = label_distributions([[1, 0], [0, 1], [2, 0], [1, 1]])
    tree = merge_tree(P)
    assert group_parties(tree, 1.0).tolist() == [0, 0, 0, 0]
    assert group_parties(tree, 0.0).tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize("t", [-0.1, 1.1, float("nan")])
def test_a_threshold_that_is_no_distance_is_refused(t):
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        group_parties(merge_tree(np.eye(2)), t)


def test_the_gap_separates_what_is_separate():
    P = label_distributions([[9, 1, 0], [10, 0, 0], [0, 1, 9], [0, 0, 10]])
    tree = merge_tree(P)
    t = gap_threshold(tree)
    assert 0.1 < t < 0.9
    assert group_parties(tree, t).tolist() == [0, 0, 1, 1]


def test_one_institution_is_one_group():
    assert group_parties(np.empty((0, 4)), 0.3).tolist() == [0]
    assert 0 <= gap_threshold(np.empty((0, 4))) <= 1


def test_a_newcomer_joins_the_nearest_mix():
    P, groups = label_distributions([[9, 1], [8, 2], [1, 9]]), np.array([0, 0, 1])
    assert nearest_group(np.array([0.7, 0.3]), P, groups) == 0
    assert nearest_group(np.array([0.2, 0.8]), P, groups) == 1


def test_an_institution_without_labels_is_refused():
    with pytest.raises(ValueError, match="1 of 2 institutions have no labelled row"):
        label_distributions([[1, 0], [0, 0]])

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.metrics import (
    ClusterScores,
    agreement,
    clustering_accuracy,
    nmi,
    percent_difference,
    score,
)

labellings = st.lists(st.integers(0, 4), min_size=1, max_size=30)


def test_accuracy_of_a_case_worked_by_hand():
    # Cluster 7 matches class "a" (2 rows), 5 matches "b" (1 row), 6 finds no partner.
    assert clustering_accuracy(["a", "a", "a", "b"], [7, 7, 6, 5]) == 0.75


def test_accuracy_needs_the_matching_not_the_majority():
    # Both clusters are mostly class 0, and only one of them may be matched to it.
    assert clustering_accuracy([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 1]) == pytest.approx(4 / 6)


def test_accuracy_with_fewer_clusters_than_classes():
    assert clustering_accuracy([0, 1, 2, 2], [0, 0, 0, 0]) == 0.5


@given(labellings, st.permutations(range(5)))
def test_accuracy_ignores_the_names_of_clusters(y, names):
    assert clustering_accuracy(y, [names[k] for k in y]) == 1


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=30))
def test_accuracy_is_symmetric_and_at_least_the_largest_cell(pairs):
    y, labels = zip(*pairs, strict=True)
    accuracy = clustering_accuracy(y, labels)
    assert accuracy == pytest.approx(clustering_accuracy(labels, y))
    largest = max(pairs.count(pair) for pair in pairs)
    assert largest / len(pairs) <= accuracy + 1e-12 <= 1 + 1e-12


def test_accuracy_refuses_no_rows_and_unequal_rows():
    with pytest.raises(ValueError, match="y has 0 rows, must have >= 1"):
        clustering_accuracy([], [])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clustering_accuracy([0, 1], [0])


def test_nmi_takes_the_geometric_mean():
    # I = H(y) = log 2 and H(l) = 1.5 log 2, so I / sqrt(H(y) H(l)) = 1 / sqrt(1.5).
    assert nmi([0, 0, 1, 1], [0, 0, 1, 2]) == pytest.approx(1 / math.sqrt(1.5))


def test_score_names_the_three_in_the_order_of_the_tables():
    scores = score([0, 0, 1, 1], [0, 0, 1, 2])
    assert scores == ClusterScores(pytest.approx(4 / 7), pytest.approx(1 / math.sqrt(1.5)), 0.75)
    assert scores._fields == ("ari", "nmi", "acc")


@given(labellings, labellings)
def test_agreement_is_one_for_the_same_partition_and_symmetric(a, b):
    assert agreement(a, np.asarray(a) + 10) == 1
    n = min(len(a), len(b))
    assert agreement(a[:n], b[:n]) == pytest.approx(agreement(b[:n], a[:n]))


@pytest.mark.parametrize(
    ("value", "reference", "expected"),
    [(3.0, 2.0, 50.0), (1.0, -2.0, 150.0), (0.0, 0.0, 0.0), (0.1, 0.0, math.inf), (5, 5, 0)],
)
def test_percent_difference(value, reference, expected):
    assert percent_difference(value, reference) == expected

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel

from consilience.consensus.medoids import (
    candidates,
    draw_lots,
    elect,
    rank_members,
    rank_positions,
    total_similarity,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
LABELS = np.r_[np.arange(4), RNG.integers(4, size=56)]
ROWS = np.arange(60)


def naive(similarity):
    pairs = {
        "cosine": lambda a: cosine_similarity(a),
        "euclidean": lambda a: -np.linalg.norm(a[:, None] - a, axis=2),
        "rbf": lambda a: rbf_kernel(a, gamma=1 / a.shape[1]),
    }[similarity]
    scores = np.empty(len(X))
    for k in range(4):
        inside = np.flatnonzero(np.equal(LABELS, k))
        scores[inside] = pairs(X[inside]).mean(axis=1)
    return scores


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "rbf"])
def test_sums_equal_those_of_the_matrix_of_pairs(similarity):
    found = total_similarity(X, LABELS, ROWS, similarity)
    np.testing.assert_allclose(found, naive(similarity), atol=1e-10)


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "rbf"])
def test_a_subset_of_rows_is_scored_against_all_members(similarity):
    some = np.array([3, 10, 11, 40])
    found = total_similarity(X, LABELS, some, similarity)
    np.testing.assert_allclose(found, naive(similarity)[some], atol=1e-10)


def test_the_two_members_of_a_pair_always_tie():
    for seed in range(50):
        pair = np.random.default_rng(seed).normal(size=(2, 7))
        scores = total_similarity(pair, np.zeros(2, dtype=np.int64), np.arange(2))
        assert scores[0] == scores[1]


def test_a_row_of_zeros_has_similarity_zero():
    table = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    scores = total_similarity(table, np.zeros(3, dtype=np.int64), np.arange(3))
    np.testing.assert_allclose(scores, [0, 2 / 3, 2 / 3])


def test_rank_positions_invert_the_ranked_list():
    rows = candidates(LABELS)
    scores = total_similarity(X, LABELS, rows)
    order = rank_members(scores, LABELS, rows)
    ranks = rank_positions(order, LABELS, rows)
    for k in range(4):
        inside = rows[LABELS[rows] == k]
        best = sorted(inside, key=lambda i: (-scores[np.searchsorted(rows, i)], i))
        assert [best.index(i) for i in inside] == ranks[LABELS[rows] == k].tolist()


def test_the_lowest_sum_of_ranks_wins_not_the_sum_of_ranked_lists():
    """Adding up ranked lists instead of rank positions would elect row 0 here."""
    labels, rows = np.zeros(4, dtype=np.int64), np.arange(4)
    lists = np.array([[2, 0, 1, 3], [2, 1, 0, 3], [1, 2, 3, 0]])
    ranks = np.array([rank_positions(order, labels, rows) for order in lists])
    assert ranks.sum(axis=0).tolist() == [6, 3, 1, 8]
    assert elect(ranks, labels, rows).tolist() == [2]
    assert int(np.argmin(lists.sum(axis=0))) != 2


@pytest.mark.parametrize("rule", ["sum", "median"])
def test_ties_go_to_the_lowest_identifier(rule):
    ranks = np.array([[0, 1, 2], [1, 0, 2]])
    labels = np.zeros(3, dtype=np.int64)
    assert elect(ranks, labels, np.arange(3), rule).tolist() == [0]


def test_one_liar_moves_the_sum_but_not_the_median():
    labels, rows = np.zeros(5, dtype=np.int64), np.arange(5)
    honest = np.array([0, 1, 2, 3, 4])
    liar = np.array([4, 0, 1, 2, 3])
    ranks = np.array([honest, honest, liar])
    assert elect(ranks, labels, rows, "median").tolist() == [0]
    assert elect(ranks, labels, rows, "sum").tolist() == [1]


def test_singletons_are_their_own_medoids():
    assert candidates(np.arange(5)).size == 0
    none = np.zeros((2, 0), dtype=np.int64)
    assert elect(none, np.arange(5), np.zeros(0, dtype=np.int64)).tolist() == [0, 1, 2, 3, 4]


def test_the_cap_keeps_the_lowest_lots_of_each_cluster():
    lots = RNG.permutation(60).astype(np.uint64)
    rows = candidates(LABELS, 3, lots)
    for k in range(4):
        inside = np.flatnonzero(np.equal(LABELS, k))
        assert set(rows[LABELS[rows] == k]) == set(inside[np.argsort(lots[inside])[:3]])


def test_lots_are_the_same_bytes_everywhere():
    assert draw_lots(7, 2, 2).tolist() == [17931385354135485891, 1850640367576819524]
    assert not np.array_equal(draw_lots(7, 2, 5), draw_lots(7, 3, 5))

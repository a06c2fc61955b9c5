import numpy as np
import pytest

from consilience.consensus import votes
from consilience.consensus.medoids import draw_lots
from consilience.consensus.votes import agreement, majority

HALVES = np.repeat([[0, 0], [1, 1]], 4, axis=0)
APART = np.column_stack([np.arange(8)] * 2)
TOGETHER = np.zeros((8, 2), dtype=np.int64)
LOTS = draw_lots(0, 1, 8)


@pytest.mark.parametrize("liar", [APART, TOGETHER, APART[::-1]])
def test_one_of_three_neither_parts_nor_joins(liar):
    assert majority([HALVES, liar, HALVES], LOTS).tolist() == [0] * 4 + [1] * 4


def test_of_two_peers_half_of_the_votes_is_no_majority():
    quarters = np.repeat(np.arange(4), 2)[:, None]
    assert majority([HALVES, np.column_stack([quarters] * 2)], LOTS).max() == 3


def test_agreement_is_that_of_a_row_with_itself_at_most():
    rng = np.random.default_rng(0)
    many = [rng.integers(3, size=(20, 10)) for _ in range(4)]
    found = agreement(many, np.arange(20), np.arange(20))
    np.testing.assert_array_equal(np.diag(found), np.ones(20))
    np.testing.assert_array_equal(found, found.T)


def test_beyond_the_voters_rows_go_where_they_agree_most(monkeypatch):
    labels = np.random.default_rng(0).integers(3, size=200)
    own = [np.column_stack([labels] * 10)] * 3
    whole = majority(own, draw_lots(0, 1, 200))
    monkeypatch.setattr(votes, "MAX_VOTERS", 40)
    np.testing.assert_array_equal(majority(own, draw_lots(0, 1, 200)), whole)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows_have_an_answer(n_rows):
    own = [np.zeros((n_rows, 10), dtype=np.int64)] * 2
    assert majority(own, draw_lots(0, 1, n_rows)).tolist() == [0] * n_rows

import numpy as np

from consilience.collaboration.paging import BLOCK_ROWS, empty_pages, take_part


def test_part_is_what_indexing_gives_also_across_blocks():
    n = BLOCK_ROWS + 5
    X = np.random.default_rng(0).normal(size=(n, 4))
    rows, columns = np.arange(0, n, 2), np.array([3, 1])
    np.testing.assert_array_equal(take_part(X, rows, columns), X[np.ix_(rows, columns)])


def test_whole_table_is_not_copied():
    X = np.ones((3, 2))
    assert take_part(X, np.arange(3), np.arange(2)) is X


def test_pages_may_be_empty_and_written_to():
    assert empty_pages(0, 3).shape == (0, 3)
    pages = empty_pages(2, 2)
    pages += 1
    assert pages.sum() == 4

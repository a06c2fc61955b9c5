import numpy as np
import pytest

from consilience.datasets import share_columns


@pytest.mark.parametrize("n_peers", [1, 2, 4])
def test_every_column_is_held_and_sharing_is_bounded(n_peers):
    views = share_columns(200, n_peers, random_state=3)
    assert set(np.concatenate(views)) == set(range(200))
    dealt = 200 / n_peers
    assert all(len(v) <= 1.3 * dealt for v in views)
    if n_peers > 1:
        assert sum(map(len, views)) > 220


def test_the_same_seed_gives_the_same_views():
    for a, b in zip(*(share_columns(30, 3, random_state=1) for _ in range(2)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_columns_that_are_not_shuffled_stay_with_their_neighbours():
    views = share_columns(30, 3, shuffle=False, random_state=1)
    for peer, view in enumerate(views):
        assert set(range(10 * peer, 10 * peer + 10)) <= set(view)
        assert 10 < len(view) <= 13
    other = share_columns(30, 3, shuffle=False, random_state=2)
    assert any(set(a) != set(b) for a, b in zip(views, other, strict=True))

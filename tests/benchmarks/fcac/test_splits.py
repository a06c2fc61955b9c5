import numpy as np
import pytest

from benchmarks.fcac.splits import deal, split_by_class, split_by_dirichlet


@pytest.mark.parametrize("scenario", ["iid", "dirichlet"])
def test_every_row_is_dealt_once(scenario):
    y = np.random.default_rng(0).integers(3, size=500)
    rows, parties = deal(y, 5, scenario, seed=4)
    assert sorted(rows.tolist()) == list(range(500))
    assert (np.diff(parties) >= 0).all()


def test_shares_of_a_class_are_equal_and_the_last_party_takes_the_rest():
    parts = split_by_class(np.repeat([0, 1], [7, 5]), 3)
    assert [len(part) for part in parts] == [3, 3, 6]


def test_dirichlet_shares_are_unequal_but_never_too_small():
    sizes = [len(part) for part in split_by_dirichlet(np.arange(3000) % 10, 20)]
    assert min(sizes) >= 40
    assert max(sizes) > 2 * min(sizes)


def test_split_that_cannot_succeed_says_so_in_the_end():
    with pytest.raises(ValueError, match=r"1000 draws did not give each of 10 parties 14 of 150"):
        split_by_dirichlet(np.arange(150) % 3, 10, alpha=0.01, min_rows=14)

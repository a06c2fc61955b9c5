import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.datasets import split_columns, split_rows

seeds = st.integers(0, 2**32 - 1)


@given(st.integers(1, 200), st.integers(1, 20), seeds)
def test_iid_sizes_differ_by_at_most_one(n, n_parties, seed):
    parties = split_rows(n, n_parties, min_rows=0, random_state=seed)
    sizes = np.bincount(parties, minlength=n_parties)
    assert parties.shape == (n,)
    assert parties.dtype == np.int64
    assert len(sizes) == n_parties
    assert sizes.max() - sizes.min() <= 1


def test_iid_is_shuffled_and_repeatable():
    first = split_rows(100, 2, random_state=3)
    assert (first == split_rows(100, 2, random_state=3)).all()
    assert (first != split_rows(100, 2, random_state=4)).any()
    assert (first != np.arange(100) % 2).any()


def test_a_generator_moves_on_between_splits():
    rng = np.random.default_rng(0)
    assert (split_rows(50, 2, random_state=rng) != split_rows(50, 2, random_state=rng)).any()


@settings(deadline=None)
@given(st.floats(0.05, 10), st.integers(1, 6), seeds)
def test_dirichlet_gives_every_row_to_a_party_and_keeps_the_minimum(alpha, n_parties, seed):
    y = np.arange(120) % 3
    parties = split_rows(
        120, n_parties, "dirichlet", y=y, alpha=alpha, min_rows=0, random_state=seed
    )
    assert parties.min() >= 0
    assert parties.max() < n_parties
    kept = split_rows(
        120, 3, "dirichlet", y=y, alpha=5.0, min_rows=10, max_tries=1000, random_state=seed
    )
    assert np.bincount(kept).min() >= 10


def test_dirichlet_with_large_alpha_is_even_and_with_small_alpha_is_not():
    y = np.repeat([0, 1], 1000)
    even = split_rows(2000, 4, "dirichlet", y=y, alpha=1e6, random_state=0)
    assert np.bincount(even).tolist() == pytest.approx([500] * 4, abs=10)
    skewed = split_rows(2000, 4, "dirichlet", y=y, alpha=0.01, min_rows=0, random_state=0)
    assert max(np.bincount(skewed[y == 0])) > 700


def test_dirichlet_refuses_a_minimum_that_rows_cannot_meet():
    with pytest.raises(ValueError, match=r"min_rows == 40, must be <= 15: n == 150 rows"):
        split_rows(150, 10, "dirichlet", y=np.repeat([0, 1, 2], 50), min_rows=40)


def test_dirichlet_gives_up_after_the_tries_and_says_how_near_it_came():
    with pytest.raises(ValueError, match=r"max_tries == 5 draws: the best draw left \d+ rows"):
        split_rows(
            150, 10, "dirichlet", y=np.repeat([0, 1, 2], 50), alpha=0.1, min_rows=15, max_tries=5
        )


def test_classes_share_each_class_equally_among_its_owners():
    y = np.repeat([0, 1], 10)
    parties = split_rows(20, 2, "classes", y=y, classes_per_party=2, random_state=0)
    counts = [[int(((parties == i) & (y == k)).sum()) for k in (0, 1)] for i in (0, 1)]
    assert counts == [[5, 5], [5, 5]]


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 8), seeds)
def test_classes_cover_every_class_and_keep_the_number_per_party(
    n_parties, n_classes, classes_per_party, seed
):
    y = np.tile([f"class {k}" for k in range(n_classes)], 20)
    call = dict(y=y, classes_per_party=classes_per_party, random_state=seed)
    if classes_per_party > n_classes or classes_per_party * n_parties < n_classes:
        with pytest.raises(ValueError, match=r"classes_per_party == \d+, must be"):
            split_rows(len(y), n_parties, "classes", **call)
        return
    parties = split_rows(len(y), n_parties, "classes", **call)
    for i in range(n_parties):
        assert len(np.unique(y[parties == i])) == classes_per_party
    for k in np.unique(y):
        shares = np.bincount(parties[y == k], minlength=n_parties)
        owned = shares[shares > 0]
        assert owned.max() - owned.min() <= 1


def test_classes_say_when_a_class_is_too_small_for_its_owners():
    y = np.array([0] * 50 + [1])
    with pytest.raises(ValueError, match="a class had fewer rows than owners"):
        split_rows(51, 3, "classes", y=y, classes_per_party=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "n == 0, must be >= 1"),
        ({"n_parties": 0}, "n_parties == 0, must be >= 1"),
        ({"n_parties": 11}, "min_rows == 1, must be <= 0"),
        ({"how": "dir"}, "how == 'dir', must be 'iid', 'dirichlet' or 'classes'"),
        ({"how": "classes"}, "y is None, must be given with how == 'classes'"),
        ({"how": "dirichlet", "y": [0, 1]}, r"y has shape \(2,\), must be \(10,\)"),
        ({"how": "dirichlet", "y": [0] * 10, "alpha": 0}, "alpha == 0, must be > 0"),
        ({"min_rows": -1}, "min_rows == -1, must be >= 0"),
        ({"max_tries": 0}, "max_tries == 0, must be >= 1"),
    ],
)
def test_split_rows_names_value_and_rule(change, message):
    with pytest.raises(ValueError, match=message):
        split_rows(**{"n": 10, "n_parties": 2, **change})


@given(st.integers(1, 50), st.integers(1, 50), seeds)
def test_columns_are_shared_evenly_and_each_once(m, n_groups, seed):
    if n_groups > m:
        with pytest.raises(ValueError, match=rf"n_groups == {n_groups}, must be <= m == {m}"):
            split_columns(m, n_groups)
        return
    groups = split_columns(m, n_groups, random_state=seed)
    sizes = [len(group) for group in groups]
    assert sorted(np.concatenate(groups).tolist()) == list(range(m))
    assert max(sizes) - min(sizes) <= 1
    assert all((np.diff(group) > 0).all() for group in groups)


@pytest.mark.parametrize("seed", range(5))
def test_tiny_parties_of_a_dirichlet_split_are_topped_up_from_the_largest(seed):
    y = np.random.default_rng(seed).integers(5, size=3000)
    settings = {"y": y, "alpha": 0.1, "random_state": seed}
    drawn = split_rows(3000, 100, "dirichlet", min_rows=0, **settings)
    filled = split_rows(3000, 100, "dirichlet", min_rows=10, top_up=True, **settings)
    before, after = (np.bincount(p, minlength=100) for p in (drawn, filled))
    assert before.min() < 10
    assert after.min() == 10
    assert (after[before < 10] == 10).all()
    assert (after[before >= 10] <= before[before >= 10]).all()
    moved = drawn != filled
    assert (before[drawn[moved]] > np.median(before)).all()

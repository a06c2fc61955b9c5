import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from consilience.consensus.codes import _nested_rand, relax, unanimous


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=30))
def test_rows_share_a_code_exactly_when_they_are_equal(rows):
    labels = np.array(rows)
    codes = unanimous(labels)
    equal = (labels[:, None] == labels[None]).all(axis=2)
    np.testing.assert_array_equal(codes[:, None] == codes, equal)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_many_vectors_are_coded_as_few_are(kind):
    rng = np.random.default_rng(0)
    few = rng.integers(-1, 2, size=(60, 3)).astype(kind)
    many = np.tile(few, 30)
    if kind is np.float64:
        many[::2][many[::2] == 0] = -0.0
    np.testing.assert_array_equal(unanimous(many), unanimous(few))


def test_codes_are_numbered_by_first_appearance():
    codes = unanimous(np.array([[9], [4], [9], [0]]))
    assert codes.tolist() == [0, 1, 0, 2]


def test_many_wide_label_vectors_do_not_overflow():
    rng = np.random.default_rng(0)
    labels = rng.integers(2**40, size=(50, 40))
    assert unanimous(labels).tolist() == list(range(50))


def test_no_rows_give_no_codes():
    assert unanimous(np.zeros((0, 2), dtype=np.int64)).shape == (0,)


def test_relaxing_keeps_agreeing_repetitions():
    halves = np.repeat([0, 1], 30)
    labels = np.column_stack([halves, halves, halves])
    assert relax(labels).shape == (60, 3)


def test_relaxing_drops_the_odd_one_first():
    halves = np.repeat([0, 1], 30)
    odd = np.random.default_rng(1).integers(5, size=60)
    kept = relax(np.column_stack([halves, odd, halves]))
    np.testing.assert_array_equal(unanimous(kept), halves)


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_relaxing_leaves_at_least_one_repetition(threshold):
    labels = np.random.default_rng(2).integers(4, size=(40, 5))
    assert 1 <= relax(labels, threshold).shape[1] <= 5


def test_the_agreement_of_nested_codes_is_the_adjusted_rand_index():
    rng = np.random.default_rng(0)
    for n_groups in (1, 2, 5, 40):
        coarse = rng.integers(n_groups, size=40)
        fine = unanimous(np.column_stack([coarse, rng.integers(3, size=40)]))
        found = _nested_rand(fine, coarse)
        assert found == pytest.approx(adjusted_rand_score(fine, coarse))

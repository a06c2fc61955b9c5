import numpy as np
import pytest

from consilience.privacy.audits.capacity import count_values, surplus_bits
from consilience.privacy.audits.forward_map import ForwardMap, learn_forward_map

RNG = np.random.default_rng(0)
WHOLE = RNG.integers(64, size=(4000, 4)).astype(float)


def spare(X, n_kept, accuracy, **known):
    F = RNG.normal(size=(X.shape[1], n_kept))
    f = ForwardMap(F, np.zeros(n_kept), np.full(n_kept, accuracy))
    return surplus_bits(X @ F, f, X, **known)


def test_every_bit_of_accuracy_is_a_bit_for_each_coordinate():
    state = RNG.bit_generator.state
    coarse = spare(WHOLE, 2, 2.0**-20)
    RNG.bit_generator.state = state
    assert spare(WHOLE, 2, 2.0**-30) == pytest.approx(coarse + 20)


def test_columns_of_any_number_take_a_coordinate_each():
    loose = np.hstack([WHOLE, RNG.normal(size=(4000, 2)) * 20])
    assert spare(loose, 2, 2.0**-40) < 0 < spare(loose, 3, 2.0**-40) < 40


def test_curved_columns_of_few_values_are_no_protection():
    assert spare(np.log1p(WHOLE), 2, 2.0**-40) > 10


def test_categories_are_one_variable():
    codes = RNG.integers(8, size=4000)
    X = np.hstack([WHOLE, codes[:, None] == np.arange(8)]).astype(float)
    state = RNG.bit_generator.state
    one = spare(X, 2, 2.0**-40, groups=[tuple(range(4, 12))])
    RNG.bit_generator.state = state
    assert one == pytest.approx(spare(X, 2, 2.0**-40) + 8 - 3)


def test_noise_on_rows_leaves_no_room():
    assert spare(WHOLE, 2, 2.0**-40, noise=100 * np.eye(4)) < 0


def test_values_that_were_not_seen_are_counted():
    assert count_values(np.random.default_rng(0).integers(50, size=(40, 1))) > 30
    assert count_values(np.arange(9.0)[:, None]) == np.inf


def test_a_coordinate_the_map_is_blind_to_tells_nothing():
    # Rows lie so far apart in one column that steps are chosen in which the whole anchor is 0.
    known, F = RNG.normal(size=(50, 4)), np.eye(4)[:, :2]
    sent = np.rint(known @ F / [0.01, 100.0]) * [0.01, 100.0]
    assert not sent[:, 1].any()
    f = learn_forward_map(known, sent)
    rows = WHOLE * [1.0, 1e5, 1.0, 1.0]
    assert surplus_bits(rows @ F, f, rows) == surplus_bits(rows @ F * [1, 0], f, rows) < np.inf

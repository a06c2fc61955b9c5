import numpy as np
import pytest
from sklearn.datasets import load_wine

from consilience.collaboration.audit.scene import Setting, TooFewError, set_scene
from consilience.collaboration.audit.with_known_rows import (
    decode_from_known,
    know_rows,
    know_rows_of_mate,
    mispair,
)
from consilience.privacy.audits.scores import column_r2

X = load_wine().data


def scene_of(X, **terms):
    bounds = X.min(axis=0), X.max(axis=0)
    return set_scene(X, bounds, Setting(scaling="bounds", **terms), np.random.default_rng(0))


def test_one_more_row_than_columns_finds_the_others():
    rows, guess, *_ = decode_from_known(scene_of(X, n_components=7), True)
    assert len(rows) == len(X) // 2 - 14
    assert np.isclose(rows, guess, atol=1e-6).all(axis=1).mean() > 0.9


def test_rows_known_under_the_wrong_names_find_none():
    rows, guess, *_ = decode_from_known(scene_of(X, n_components=7), False)
    assert not np.isclose(rows, guess, atol=1e-6).all(axis=1).any()


def test_shared_coordinates_tell_as_much_as_a_contribution():
    for attack in (know_rows, know_rows_of_mate):
        assert np.median(column_r2(*attack(scene_of(X, n_components=12), True)[:2])) > 0.8


def test_too_few_rows_are_said():
    with pytest.raises(TooFewError, match="needs 24"):
        decode_from_known(scene_of(X[:40]), True)


def test_rows_are_mispaired_with_others():
    rng = np.random.default_rng(0)
    assert not np.isin(mispair(np.arange(3), np.arange(3, 9), rng), np.arange(3)).any()
    assert mispair(np.arange(3), np.arange(3, 4), rng).tolist() == [2, 0, 1]

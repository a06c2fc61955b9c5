"""Anchors from a key: the same at every party of a column, and hard to unmix."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA

from consilience.collaboration.anchors import ANCHORS, anchor_digest, default_n_anchor, draw_anchor

LOW, HIGH = np.array([0.0, -1.0, 5.0]), np.array([1.0, 1.0, 9.0])


@pytest.mark.parametrize("kind", sorted(ANCHORS))
def test_the_key_decides_the_anchor(kind):
    first = draw_anchor(kind, b"a" * 32, LOW, HIGH, 50)
    assert np.array_equal(first, draw_anchor(kind, b"a" * 32, LOW, HIGH, 50))
    assert not np.allclose(first, draw_anchor(kind, b"b" * 32, LOW, HIGH, 50))


@pytest.mark.parametrize("kind", ["uniform", "rotated"])
def test_bounded_anchors_stay_inside_the_public_bounds(kind):
    A = draw_anchor(kind, bytes(32), LOW, HIGH, 500)
    assert (A >= LOW).all()
    assert (A <= HIGH).all()
    assert (A.max(axis=0) - A.min(axis=0) > 0.5 * (HIGH - LOW)).all()


def test_gaussian_anchor_spans_the_bounds_with_four_deviations():
    A = draw_anchor("gaussian", bytes(32), LOW, HIGH, 4000)
    assert np.allclose(A.mean(axis=0), (LOW + HIGH) / 2, atol=0.05 * (HIGH - LOW))
    assert np.allclose(A.std(axis=0), (HIGH - LOW) / 4, rtol=0.05)


def test_a_constant_column_stays_constant():
    A = draw_anchor("rotated", bytes(32), np.array([0.0, 3.0]), np.array([1.0, 3.0]), 20)
    assert (A[:, 1] == 3.0).all()
    assert np.ptp(A[:, 0]) > 0


def test_one_column_can_be_rotated():
    assert draw_anchor("rotated", bytes(32), np.zeros(1), np.ones(1), 20).shape == (20, 1)


def _unmixed(A, rng):
    """Mean over features of the best correlation with a component found by ICA."""
    mixed = A @ rng.normal(size=(A.shape[1], A.shape[1]))
    found = FastICA(whiten="unit-variance", max_iter=1000, tol=1e-3, random_state=0)
    S = found.fit_transform(mixed)
    correlation = np.corrcoef(A.T, S.T)[: A.shape[1], A.shape[1] :]
    return np.abs(correlation).max(axis=1).mean()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rotation_hides_what_unmixing_finds_in_uniform_anchors():
    rng, low, high = np.random.default_rng(0), np.zeros(8), np.ones(8)
    uniform = _unmixed(draw_anchor("uniform", bytes(32), low, high, 2000), rng)
    rotated = _unmixed(draw_anchor("rotated", bytes(32), low, high, 2000), rng)
    assert uniform > 0.97
    assert rotated < 0.85


def test_unknown_kind_and_no_rows_are_refused():
    with pytest.raises(ValueError, match="anchor == 'cube', must be one of"):
        draw_anchor("cube", bytes(32), LOW, HIGH, 5)
    with pytest.raises(ValueError, match="n_anchor == 0, must be >= 1"):
        draw_anchor("uniform", bytes(32), LOW, HIGH, 0)


def test_digest_sees_values_and_shape():
    A = np.arange(6.0).reshape(2, 3)
    assert anchor_digest(A) != anchor_digest(A.reshape(3, 2))
    assert anchor_digest(A) == anchor_digest(np.asfortranarray(A))


def test_default_number_of_rows_grows_with_the_columns():
    assert (default_n_anchor(3), default_n_anchor(1000)) == (400, 4000)

import numpy as np
import pytest
from sklearn.decomposition import FastICA

from consilience.collaboration.anchors.keyed import (
    ANCHORS,
    anchor_digest,
    default_n_anchor,
    draw_anchor,
)

LOWER, UPPER = np.array([0.0, -5.0, 100.0]), np.array([1.0, 5.0, 300.0])


@pytest.mark.parametrize("kind", sorted(ANCHORS))
def test_same_key_gives_the_same_bytes_and_another_key_others(kind):
    first = draw_anchor(kind, bytes(32), LOWER, UPPER, 50)
    again = draw_anchor(kind, bytes(32), LOWER, UPPER, 50)
    other = draw_anchor(kind, bytes(31) + b"\1", LOWER, UPPER, 50)
    assert first.tobytes() == again.tobytes()
    assert anchor_digest(first) == anchor_digest(again) != anchor_digest(other)


def test_digests_of_the_anchors_are_pinned():
    # Parties run different versions on different machines: these bytes must never change.
    assert {
        kind: anchor_digest(draw_anchor(kind, bytes(range(32)), LOWER, UPPER, 40))[:16]
        for kind in ("gaussian", "uniform")
    } == {"gaussian": "9cd53f767119126d", "uniform": "138a3f69586cc96f"}


def test_uniform_anchor_fills_the_bounds():
    anchor = draw_anchor("uniform", bytes(32), LOWER, UPPER, 4000)
    assert (anchor >= LOWER).all()
    assert (anchor <= UPPER).all()
    # The mean of 4000 uniform numbers is within 6 standard errors but once in 5e8 draws.
    error = (UPPER - LOWER) / np.sqrt(12 * 4000)
    assert (np.abs(anchor.mean(axis=0) - (LOWER + UPPER) / 2) < 6 * error).all()


def test_gaussian_anchor_is_normal_around_the_middle_of_the_bounds():
    anchor = draw_anchor("gaussian", bytes(32), LOWER, UPPER, 4000)
    z = (anchor - (LOWER + UPPER) / 2) / ((UPPER - LOWER) / 4)
    # Kurtosis of a normal is 0 with standard error sqrt(24 / n): 6 of them is 0.46.
    kurtosis = (z**4).mean(axis=0) / (z**2).mean(axis=0) ** 2 - 3
    assert (np.abs(kurtosis) < 0.46).all()
    assert (np.abs((z**2).mean(axis=0) - 1) < 6 * np.sqrt(2 / 4000)).all()


def test_default_has_a_few_hundred_rows_and_four_a_column():
    assert default_n_anchor(10) == 400
    assert default_n_anchor(200) == 800


def test_unknown_kind_and_empty_anchor_are_refused():
    with pytest.raises(ValueError, match="anchor == 'cubic', must be one of"):
        draw_anchor("cubic", bytes(32), LOWER, UPPER, 5)
    with pytest.raises(ValueError, match="n_anchor == 0, must be >= 1"):
        draw_anchor("uniform", bytes(32), LOWER, UPPER, 0)


@pytest.mark.parametrize("kind", ["uniform", "rotated"])
def test_bounded_anchors_stay_inside_the_public_bounds(kind):
    A = draw_anchor(kind, bytes(32), LOWER, UPPER, 500)
    assert (A >= LOWER).all()
    assert (A <= UPPER).all()
    assert (A.max(axis=0) - A.min(axis=0) > 0.5 * (UPPER - LOWER)).all()


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


def test_digest_sees_values_and_shape():
    A = np.arange(6.0).reshape(2, 3)
    assert anchor_digest(A) != anchor_digest(A.reshape(3, 2))
    assert anchor_digest(A) == anchor_digest(np.asfortranarray(A))

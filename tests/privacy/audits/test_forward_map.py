import numpy as np
import pytest

from consilience.privacy.audits.forward_map import learn_forward_map


def test_one_row_more_than_columns_determines_the_map():
    rng = np.random.default_rng(0)
    X, F = rng.normal(size=(7, 6)), rng.normal(size=(6, 2))
    f = learn_forward_map(X, (X - 3) @ F)
    np.testing.assert_allclose(f.linear, F, atol=1e-10)
    np.testing.assert_allclose(f.offset, -3 * F.sum(axis=0), atol=1e-10)


def test_as_many_rows_as_columns_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="6 known rows, must be >= 7"):
        learn_forward_map(rng.normal(size=(6, 6)), rng.normal(size=(6, 2)))


def test_columns_that_do_not_vary_need_no_rows():
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(3, 2)), np.ones((3, 40))])
    learn_forward_map(X, X[:, :1])


def test_spare_rows_tell_the_noise():
    rng = np.random.default_rng(0)
    X, F = rng.normal(size=(2_000, 5)), rng.normal(size=(5, 2))
    f = learn_forward_map(X, X @ F + rng.normal(size=(2_000, 2)) * [0.1, 3.0])
    np.testing.assert_allclose(f.noise, [0.1, 3.0], rtol=0.1)


def test_the_accuracy_of_a_map_is_that_of_its_predictions():
    rng = np.random.default_rng(0)
    F, mean = rng.normal(size=(3, 1)), np.array([4.0, 0.0, 0.0])
    errors, told = [], []
    for _ in range(300):
        known = rng.normal(size=(10, 3))
        f = learn_forward_map(known, known @ F + rng.normal(size=(10, 1)), least_noise=1.0)
        rows = mean + rng.normal(size=(50, 3))
        errors.append((rows @ F + rng.normal(size=(50, 1)) - f.apply(rows)) ** 2)
        told.append(f.accuracy(mean, np.eye(3)) ** 2 / f.noise**2)
    assert np.mean(errors) == pytest.approx(np.mean(told), rel=0.15)

from itertools import product

import numpy as np

from consilience.privacy.audits.lattice import nearest_points, reduce_basis


def hidden_basis(m, seed):
    """A basis of nearly orthogonal rows, and the same lattice by rows that look random."""
    rng = np.random.default_rng(seed)
    short = np.diag(rng.uniform(1, 2, size=m)) + 0.05 * rng.normal(size=(m, m))
    mixed = np.eye(m, dtype=np.int64)
    for _ in range(4 * m):
        i, j = rng.permutation(m)[:2]
        mixed[i] += int(rng.integers(-2, 3)) * mixed[j]
    return short, mixed @ short


def test_short_rows_behind_long_ones_are_found():
    for seed in range(5):
        short, long = hidden_basis(12, seed)
        found = reduce_basis(long) @ long
        assert np.linalg.norm(long, axis=1).max() > 10 * np.linalg.norm(short, axis=1).max()
        np.testing.assert_allclose(
            np.sort(np.linalg.norm(found, axis=1)), np.sort(np.linalg.norm(short, axis=1))
        )


def test_the_lattice_stays_the_same():
    _, long = hidden_basis(8, 0)
    U = reduce_basis(long)
    assert U.dtype == np.int64
    assert round(abs(np.linalg.det(U.astype(float)))) == 1


def test_a_reduced_basis_leans_little_and_does_not_shrink_fast():
    rng = np.random.default_rng(0)
    B = np.hstack([1e5 * rng.normal(size=(10, 3)), np.eye(10)])
    R = np.linalg.qr((reduce_basis(B) @ B).T, mode="r")
    size = np.abs(np.diag(R))
    lean = np.abs(np.triu(R, 1)) / size[:, None]
    assert lean.max() <= 0.5 + 1e-6
    between = size[1:] ** 2 + np.diag(R, 1) ** 2
    assert (between >= 0.99 * size[:-1] ** 2 * (1 - 1e-9)).all()


def test_the_nearest_point_is_that_of_an_exhaustive_search():
    rng = np.random.default_rng(0)
    R = np.triu(rng.normal(size=(3, 3)), 1) * 0.3 + np.diag([1.0, 1.2, 0.9])
    targets = rng.uniform(-1, 1, size=(40, 3))
    grid = np.array(list(product(range(-4, 5), repeat=3)))
    all_points = grid @ R.T
    best = [grid[((all_points - y) ** 2).sum(axis=1).argmin()] for y in targets]
    found = nearest_points(R, targets, 8)
    assert found.shape == (40, 8, 3)
    np.testing.assert_array_equal(found[:, 0], best)


def test_points_come_in_order_and_once():
    R = np.diag([1.0, 1.1])
    found = nearest_points(R, np.array([[0.4, 0.3]]), 6)[0]
    distances = np.linalg.norm([0.4, 0.3] - found @ R.T, axis=1)
    assert (np.diff(distances) >= 0).all()
    assert len(np.unique(found, axis=0)) == 6


def test_a_target_beyond_all_integers_does_not_overflow():
    found = nearest_points(np.eye(2), np.array([[0.0, 1e30]]), 2)
    assert (np.abs(found) <= 2**54).all()

"""LFDA against its double sums, against Fisher, and where Fisher fails."""

import numpy as np
import pytest

from consilience.collaboration.axes import AXES
from consilience.collaboration.local_fisher import local_affinity, local_scatter


def _double_sums(X, y, affinity):
    """The definitions of S_b and S_w, pair by pair."""
    n, m = X.shape
    between, within = np.zeros((m, m)), np.zeros((m, m))
    for i in range(n):
        for j in range(n):
            outer = np.outer(X[i] - X[j], X[i] - X[j]) / 2
            if y[i] == y[j]:
                size = (y == y[i]).sum()
                within += affinity(i, j) / size * outer
                between += affinity(i, j) * (1 / n - 1 / size) * outer
            else:
                between += outer / n
    return between, within


def test_scatter_is_the_double_sum_of_the_paper():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 3)), np.array([0] * 5 + [1] * 4 + [2] * 3)
    tables = {c: local_affinity(X[y == c], 2) for c in (0, 1, 2)}
    place = {i: int((y[:i] == y[i]).sum()) for i in range(12)}
    expected = _double_sums(X, y, lambda i, j: tables[y[i]][place[i], place[j]])
    for found, right in zip(local_scatter(X, y, 2), expected, strict=True):
        assert np.allclose(found, right)


def test_affinity_by_hand():
    # Each row's nearest neighbour scales it: distances 1, 1, 2.
    A = local_affinity(np.array([[0.0], [1.0], [3.0]]), neighbor=1)
    assert np.allclose(A[0], [1.0, np.exp(-1.0), np.exp(-9.0 / 2)])
    assert np.allclose(A, A.T)


def test_with_far_neighbours_it_is_fishers_scatter(monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 3)), np.repeat([0, 1], 10)
    between, within = _double_sums(X, y, lambda i, j: 1.0)
    means = np.stack([X[y == c].mean(axis=0) for c in (0, 1)])
    assert np.allclose(within, (X - means[y]).T @ (X - means[y]))
    spread = means - X.mean(axis=0)
    assert np.allclose(between, 10 * spread.T @ spread)
    monkeypatch.setattr(
        "consilience.collaboration.local_fisher.local_affinity",
        lambda rows, neighbor: np.ones((len(rows), len(rows))),
    )
    for found, right in zip(local_scatter(X, y), (between, within), strict=True):
        assert np.allclose(found, right)


def test_it_keeps_a_class_of_two_clusters_apart_where_fisher_sees_nothing():
    # Class 0 lies left and right of class 1 along feature 0; class means coincide.
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 3)) * [0.3, 0.3, 3.0]
    y = np.repeat([0, 0, 1], 40)
    X[:40, 0] -= 4
    X[40:80, 0] += 4
    _, F = AXES["lfda"](X, 1, y, rng)
    assert abs(F[0, 0]) > 0.95


def test_twins_and_single_rows_are_finite():
    X = np.array([[0.0, 1.0]] * 9 + [[2.0, 3.0]])
    y = np.array([0] * 9 + [1])
    for part in local_scatter(X, y):
        assert np.isfinite(part).all()
    F = AXES["lfda"](X, 2, y, np.random.default_rng(0))[1]
    assert np.allclose(F.T @ F, np.eye(2))


def test_one_class_falls_back_to_principal_axes():
    X = np.random.default_rng(0).normal(size=(10, 3))
    found = AXES["lfda"](X, 2, np.zeros(10), np.random.default_rng(0))[1]
    assert found == pytest.approx(AXES["pca"](X, 2, None, np.random.default_rng(0))[1])

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import kneighbors_graph

from consilience.collaboration.axes import (
    AXES,
    discriminant_axes,
    locality_axes,
    principal_axes,
    singular_axes,
)

RNG = np.random.default_rng(0)


def overlap(F, H):
    """Smallest cosine between the spans of two matrices; 1 when they are the same."""
    Q, R = np.linalg.qr(F)[0], np.linalg.qr(H)[0]
    return np.linalg.svd(Q.T @ R, compute_uv=False).min()


def test_principal_axes_are_those_of_scikit_learn():
    X = RNG.normal(size=(50, 5)) * [5, 3, 2, 1, 0.5]
    mean, F = principal_axes(X, 3, None, RNG)
    np.testing.assert_allclose(mean, X.mean(axis=0))
    assert overlap(F, PCA(3).fit(X).components_.T) == pytest.approx(1)


def test_singular_axes_are_those_of_scikit_learn():
    X = RNG.normal(size=(50, 5)) + np.array([9, 1, 2, 1, 0.5])
    mean, F = singular_axes(X, 2, None, RNG)
    assert not mean.any()
    svd = TruncatedSVD(2, algorithm="arpack", random_state=0).fit(X)
    assert overlap(F, svd.components_.T) == pytest.approx(1)


def test_discriminant_axes_span_fishers_directions():
    X, y = load_iris(return_X_y=True)
    _, F = discriminant_axes(X, 2, y, RNG)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    assert overlap(F, lda.scalings_[:, :2]) == pytest.approx(1, abs=1e-6)


def test_discriminant_axes_of_one_class_are_principal():
    X = RNG.normal(size=(20, 3))
    _, F = discriminant_axes(X, 2, np.zeros(20), RNG)
    _, P = principal_axes(X, 2, None, RNG)
    np.testing.assert_allclose(F, P)


def test_locality_axes_minimise_the_stress_of_neighbours():
    X = RNG.normal(size=(60, 4))
    mean, F = locality_axes(X, 1, None, RNG)
    W = kneighbors_graph(X, 5).toarray()
    W = np.maximum(W, W.T)
    D = np.diag(W.sum(axis=1))
    C = X - mean

    def quotient(a):
        return (a @ C.T @ (D - W) @ C @ a) / (a @ C.T @ D @ C @ a)

    ours = quotient(F[:, 0])
    assert all(ours <= quotient(RNG.normal(size=4)) + 1e-9 for _ in range(200))


@pytest.mark.parametrize("name", sorted(AXES))
@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_party_with_few_rows_gets_a_full_basis(name, n):
    X, y = RNG.uniform(1, 2, size=(n, 6)), np.arange(n) % 2
    mean, F = AXES[name](X, 5, y, RNG)
    assert mean.shape == (6,)
    assert F.shape == (6, 5)
    assert np.linalg.matrix_rank(F) == 5


@pytest.mark.parametrize("name", sorted(set(AXES) - {"nmf"}))
def test_axes_are_orthonormal(name):
    X, y = RNG.normal(size=(40, 6)), np.arange(40) % 3
    _, F = AXES[name](X, 4, y, RNG)
    np.testing.assert_allclose(F.T @ F, np.eye(4), atol=1e-10)


@pytest.mark.parametrize("name", sorted(AXES))
def test_constant_column_is_served(name):
    X = np.hstack([RNG.uniform(size=(30, 3)), np.ones((30, 1))])
    _, F = AXES[name](X, 3, np.arange(30) % 2, RNG)
    assert np.isfinite(F).all()

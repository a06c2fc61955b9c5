import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.decomposition import KernelPCA

from consilience.collaboration.reduction import default_n_components, fit_reduction

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4)) * [1, 10, 100, 1000] + 7


def test_default_keeps_one_dimension_less_and_never_none():
    assert [default_n_components(m) for m in (1, 2, 5)] == [1, 1, 4]


def test_scaling_by_bounds_maps_the_bounds_to_the_unit_cube():
    bounds = np.full(4, -10.0), np.full(4, 30.0)
    f = fit_reduction(X, "svd", 4, scaling="bounds", bounds=bounds, rng=RNG)
    corners = np.vstack(bounds)
    # Orthonormal directions keep lengths: the diagonal of the unit cube has length 2.
    assert pdist(f.transform(corners)).item() == pytest.approx(2.0)


def test_local_scaling_gives_unit_variance():
    f = fit_reduction(X, "pca", 4, scaling="local", rng=RNG)
    assert f.transform(X).var(axis=0).sum() == pytest.approx(4.0)


def test_rotation_changes_coordinates_but_no_distance():
    plain = fit_reduction(X, "pca", 3, rng=RNG).transform(X)
    turned = fit_reduction(X, "pca", 3, rotate=True, rng=RNG).transform(X)
    assert not np.allclose(plain, turned)
    np.testing.assert_allclose(pdist(plain), pdist(turned))


def test_two_parties_draw_different_rotations():
    one = fit_reduction(X, "pca", 3, rotate=True, rng=np.random.default_rng(1)).transform(X)
    two = fit_reduction(X, "pca", 3, rotate=True, rng=np.random.default_rng(2)).transform(X)
    assert not np.allclose(one, two)


def test_any_transformer_serves_and_is_not_changed():
    transformer = KernelPCA(2, kernel="rbf")
    f = fit_reduction(X, transformer, scaling="local", rotate=True, rng=RNG)
    assert f.transform(X).shape == (40, 2)
    assert not hasattr(transformer, "eigenvalues_")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reducer": "magic"}, r"reducer == 'magic', must be one of"),
        ({"n_components": 5}, r"n_components == 5, must be between 1 and 4"),
        ({"n_components": 0}, r"n_components == 0, must be between 1 and 4"),
        ({"reducer": "lda"}, r"'lda' needs labels"),
        ({"scaling": "zscore"}, r"scaling == 'zscore', must be"),
        ({"scaling": "bounds"}, r"needs public bounds"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_reduction(X, rng=RNG, **arguments)


def test_spread_is_a_quarter_of_the_usual_range():
    ranges = np.full(4, -10.0), np.full(4, 30.0)
    f = fit_reduction(X, "svd", 4, scaling="spread", bounds=ranges, rng=RNG)
    assert pdist(f.transform(np.vstack(ranges))).item() == pytest.approx(8.0)

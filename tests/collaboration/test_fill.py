import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.collaboration.fill import Filling


def fill_missing(X):
    return Filling(np.array_split(X, 2)).apply(X)


def test_missing_coordinate_is_predicted_by_a_line():
    X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [4.0, np.nan], [np.nan, 3.0]])
    filled = fill_missing(X)
    assert np.allclose(filled[3], [4, 9], atol=1e-3)
    assert np.allclose(filled[4], [1, 3], atol=1e-3)
    assert np.isnan(X).sum() == 2


def test_rows_of_a_linear_space_are_restored():
    rng = np.random.default_rng(0)
    whole = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 7)) + rng.normal(size=7)
    X = whole.copy()
    X[:10, :3] = np.nan
    X[10:20, 3:] = np.nan
    assert np.allclose(fill_missing(X), whole, atol=1e-3)


def test_what_is_known_is_kept():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 4))
    X[::3, 2:] = np.nan
    filled = fill_missing(X)
    known = ~np.isnan(X)
    assert (filled[known] == X[known]).all()


@settings(max_examples=50)
@given(st.integers(1, 4), st.integers(1, 3), st.floats(0, 1e6))
def test_result_is_finite_with_few_or_constant_rows(n_complete, width, scale):
    rng = np.random.default_rng(n_complete)
    X = np.vstack([scale * np.ones((n_complete, 2 * width)), rng.normal(size=(2, 2 * width))])
    X[-1, :width] = np.nan
    X[-2, width:] = np.nan
    assert np.isfinite(fill_missing(X)).all()


def test_complete_rows_are_needed():
    with pytest.raises(ValueError, match="no row is complete"):
        fill_missing(np.array([[1.0, np.nan], [np.nan, 2.0]]))

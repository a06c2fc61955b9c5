"""SMOTE anchors: a case by hand, the paper's variance, and what is refused."""

import numpy as np
import pytest

from consilience.collaboration.anchors.smote import Smote
from consilience.exceptions import StudyError

KEY = b"k" * 32


def test_points_lie_on_lines_from_a_row_to_its_only_neighbour():
    public = np.array([[0.0, 0.0], [1.0, 0.0], [10.0, 10.0], [11.0, 10.0]])
    A = Smote(public, n_neighbors=1, alpha=1.0).draw(KEY, 8)
    origin, neighbor = np.repeat(public, 2, axis=0), np.repeat(public[[1, 0, 3, 2]], 2, axis=0)
    step = (A[:, 0] - origin[:, 0]) / (neighbor[:, 0] - origin[:, 0])
    assert ((step >= 0) & (step <= 1)).all()
    assert np.allclose(A, origin + step[:, None] * (neighbor - origin))


def test_alpha_above_one_reaches_beyond_the_neighbour():
    public = np.array([[0.0], [1.0]])
    A = Smote(public, alpha=1.5).draw(KEY, 400)
    assert A.max() > 1.2
    assert A.min() < -0.2
    assert A.max() <= 1.5
    assert A.min() >= -0.5


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 2.0])
def test_variance_follows_the_formula_of_the_paper(alpha):
    # All rows are neighbours of each other, as the derivation assumes (section 3.2).
    public = np.random.default_rng(0).normal(size=(1000, 1))
    A = Smote(public, n_neighbors=999, alpha=alpha).draw(KEY, 200_000)
    expected = (2 / 3 * alpha**2 - alpha + 1) * public.var()
    assert A.var() == pytest.approx(expected, rel=0.03)


def test_same_key_same_anchor_and_units_come_back():
    public = np.random.default_rng(1).normal(size=(30, 2)) * [1.0, 1000.0] + [0.0, 5000.0]
    A = Smote(public).draw(KEY, 60)
    assert np.array_equal(A, Smote(public).draw(KEY, 60))
    assert not np.array_equal(A, Smote(public).draw(b"x" * 32, 60))
    scaled = Smote(public * [1.0, 0.001]).draw(KEY, 60)
    assert np.allclose(A * [1.0, 0.001], scaled)


def test_rows_are_shared_out_when_the_number_is_no_multiple():
    public = np.array([[0.0], [100.0], [200.0]])
    assert Smote(public).draw(KEY, 7).shape == (7, 1)
    assert Smote(public).draw(KEY, 2).shape == (2, 1)


def test_constant_feature_and_twin_rows_are_harmless():
    public = np.array([[1.0, 3.0], [1.0, 3.0], [2.0, 3.0]])
    A = Smote(public, n_neighbors=1).draw(KEY, 30)
    assert np.isfinite(A).all()
    assert (A[:, 1] == 3.0).all()


def test_default_neighbours_are_99_or_all_others():
    rng = np.random.default_rng(0)
    for p, k in ((20, 19), (150, 99)):
        public = rng.normal(size=(p, 2))
        assert np.array_equal(
            Smote(public).draw(KEY, 40), Smote(public, n_neighbors=k).draw(KEY, 40)
        )


@pytest.mark.parametrize(
    ("anchor", "rule"),
    [
        (Smote(np.eye(5), n_neighbors=5), "n_neighbors == 5, must be between 1 and 4"),
        (Smote(np.eye(5), n_neighbors=0), "n_neighbors == 0"),
        (Smote(np.array([[1.0, np.nan], [0, 1], [2, 2]])), "1 of the 3 public rows have missing"),
        (Smote(np.ones((1, 3))), "there are 1 public rows"),
        (Smote(np.ones(3)), "must be a table"),
        (Smote(np.eye(5), alpha=0.0), "alpha == 0.0, must be > 0"),
    ],
)
def test_bad_public_rows_are_refused(anchor, rule):
    with pytest.raises(StudyError, match=rule):
        anchor.draw(KEY, 10)

"""A public set with private rows is a leak; chance twins are not."""

import numpy as np
import pytest

from consilience.collaboration.anchors.public import check_public_rows
from consilience.exceptions import StudyError


def test_one_private_row_among_measured_values_is_refused():
    rng = np.random.default_rng(0)
    private, public = rng.normal(size=(200, 3)), rng.normal(size=(20, 3))
    check_public_rows(public, private)
    public[7] = private[100]
    with pytest.raises(StudyError, match="1 of the 20 public rows are rows of this party"):
        check_public_rows(public, private)


def test_categories_coincide_by_chance():
    # Refused with probability 0.001 a time when both are drawn alike: 200 times, at most 4 here
    # with probability 1 - 3e-6.
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(200):
        try:
            check_public_rows(rng.integers(3, size=(40, 4)), rng.integers(3, size=(300, 4)))
        except StudyError:
            refused += 1
    assert refused <= 4


def test_a_set_of_private_rows_is_refused_where_some_have_twins():
    rng = np.random.default_rng(2)
    private = np.vstack([rng.normal(size=(95, 3)), np.zeros((5, 3))])
    with pytest.raises(StudyError, match="publishing them leaks"):
        check_public_rows(private[:30], private)


def test_negative_zero_is_zero():
    private = np.random.default_rng(5).normal(size=(100, 4))
    private[0, 0] = 0.0
    public = private[:1].copy()
    public[0, 0] = -0.0
    with pytest.raises(StudyError):
        check_public_rows(public, private)


def test_no_private_rows_can_leak_nothing():
    check_public_rows(np.eye(3), np.empty((0, 3)))


def test_two_rounded_columns_coincide_by_chance():
    # 200 rows on a grid of 100 x 100 have a twin among 50 others about every second time.
    rng = np.random.default_rng(3)
    for _ in range(50):
        check_public_rows(rng.integers(100, size=(50, 2)), rng.integers(100, size=(200, 2)))


def test_a_single_column_proves_nothing():
    private = np.random.default_rng(4).normal(size=(200, 1))
    check_public_rows(private[:1], private)

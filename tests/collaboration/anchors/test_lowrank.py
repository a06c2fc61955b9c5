"""Low-rank anchors: exact on a matrix of low rank, topped up in its span."""

import numpy as np
import pytest

from consilience.collaboration.anchors.lowrank import LowRank, approximate
from consilience.exceptions import StudyError


def test_best_approximation_of_the_rank():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5))
    values = np.linalg.svd(X, compute_uv=False)
    error = np.linalg.norm(X - approximate(X, 3, 0.0, rng))
    assert error == pytest.approx(np.sqrt((values[3:] ** 2).sum()))


def test_noise_is_scaled_by_the_whole_table():
    rng = np.random.default_rng(0)
    X = np.outer(rng.normal(size=4000), [1.0, 100.0])
    noise = approximate(X, 1, 0.1, rng) - X
    assert noise.std(axis=0) == pytest.approx([0.1 * X.std()] * 2, rel=0.05)


def test_rows_are_sampled_or_topped_up_between_two():
    rng = np.random.default_rng(0)
    blocks = [[np.arange(5.0)[:, None], 10 * np.arange(5.0)[:, None]]]
    few = LowRank(1, 0.0).draw(blocks, 3, rng)
    assert len(np.unique(few.round(6), axis=0)) == 3
    many = LowRank(1, 0.0).draw(blocks, 50, rng)
    assert np.allclose(many[:5], np.hstack(blocks[0]))
    assert np.allclose(many[:, 1], 10 * many[:, 0])
    assert (many[:, 0] >= -1e-9).all()
    assert (many[:, 0] <= 4 + 1e-9).all()


def test_none_keeps_one_less_than_the_columns():
    X = np.random.default_rng(0).normal(size=(9, 4))
    kept = approximate(X, None, 0.0, np.random.default_rng(0))
    assert np.linalg.matrix_rank(kept) == 3


@pytest.mark.parametrize("anchor", [LowRank(0), LowRank(2, -1.0)])
def test_nonsense_is_refused(anchor):
    with pytest.raises(StudyError, match="must be >="):
        anchor.draw([[np.eye(3)]], 2, np.random.default_rng(0))

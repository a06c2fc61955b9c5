"""The problems of DC-CFL are split as the paper says."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.dc_cfl.problems import SPLITS, draw_problem


@pytest.fixture
def folder(save):
    return save("dry_bean", 4000, 5, 6, same=3.0)


@pytest.mark.parametrize("split", SPLITS)
def test_a_hundred_institutions_learn_and_are_tested(folder, split):
    problem = draw_problem("dry bean", split, 0, folder)
    sizes, tests = np.bincount(problem.parties), np.bincount(problem.parties_test)
    assert len(sizes) == len(tests) == 100
    assert (sizes + tests >= 10).all()
    assert tests.sum() / (sizes + tests).sum() == pytest.approx(0.2, abs=0.01)
    everything = np.vstack([problem.X, problem.X_test])
    np.testing.assert_allclose(everything.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(everything.std(axis=0), [1] * 6 + [0])
    if split.startswith("C="):
        k = int(split[-1])
        for party in range(100):
            assert len(np.unique(problem.y[problem.parties == party])) == k


def test_seeds_repeat_and_differ(folder):
    one, again, other = (draw_problem("dry bean", "C=2", s, folder) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.parties, again.parties)
    assert one.parties.shape != other.parties.shape or (one.parties != other.parties).any()


def test_validation_rows_come_from_the_training_rows(folder):
    problem = draw_problem("dry bean", "C=3", 0, folder)
    judged = problem.validation()
    assert len(judged.X) + len(judged.X_test) == len(problem.X)
    both = np.vstack([judged.X, judged.X_test])
    assert {row.tobytes() for row in both} == {row.tobytes() for row in problem.X}


def test_accuracy_is_a_mean_over_institutions_not_over_rows(folder):
    problem = draw_problem("dry bean", "C=2", 0, folder)
    problem = replace(problem, parties_test=np.array([0, 0, 0, 7]), y_test=np.array([1, 1, 1, 0]))
    assert problem.mean_over_parties(np.array([1, 1, 1, 1])) == 0.5

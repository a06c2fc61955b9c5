import numpy as np
import pytest

from consilience.privacy.audits.columns import count_columns
from consilience.privacy.audits.scores import exact_rows, score, top1


def test_guessing_the_mean_scores_zero():
    X = np.random.default_rng(0).normal(size=(40, 3))
    scores = score(X, np.repeat(X.mean(axis=0)[None], 40, axis=0), count_columns(X))
    assert scores.r2 == pytest.approx((0, 0, 0), abs=1e-12)
    assert scores.relative_error == pytest.approx(1)
    assert scores.within_10_percent == 0


def test_exact_rows_score_one():
    X = np.random.default_rng(0).normal(size=(40, 3)) * [1, 100, 1e-4]
    scores = score(X, X, count_columns(X))
    assert scores.median_r2 == scores.worst_r2 == scores.top1 == scores.within_10_percent == 1
    assert scores.relative_error == 0


def test_duplicated_rows_do_not_hide_re_identification():
    rows = np.repeat([[0.0, 1.0], [4.0, 2.0]], 10, axis=0)
    assert top1(rows, rows) == 1


def test_median_is_not_fooled_by_copies_of_a_column_that_resists():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    resisting = X[:, 2:]
    wide = np.hstack([X, resisting * 2, resisting * 3, np.ones((100, 4))])
    guess = np.hstack([X[:, :2], np.zeros((100, 7))])
    assert score(wide, guess, count_columns(wide)).median_r2 == 1
    assert np.median([1, 1, 0, 0, 0]) == 0, "what a plain median would have said"


def test_a_rare_flag_is_reported_on_its_own():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[:, 2] = 0.0
    X[:3, 2] = 1.0
    guess = np.zeros_like(X)
    guess[:, 2] = X[:, 2]
    scores = score(X, guess, count_columns(X, ["a", "b", "illness"]))
    assert scores.median_r2 < 0.1
    assert (scores.rare_r2, scores.rare_feature) == (1.0, "illness")
    assert score(X[3:], guess[3:], count_columns(X)).rare_r2 is None


def test_rows_that_were_not_attacked_may_be_taken_for_those_that_were():
    rows = np.array([[0.0], [5.0]])
    assert top1(rows, rows + 0.4) == 1.0
    assert top1(rows, rows + 0.4, np.array([[0.5]])) == 0.5


def test_a_row_is_found_by_all_columns_of_which_values_come_again():
    rng = np.random.default_rng(0)
    answers, weight = rng.integers(5, size=(100, 6)), rng.normal(size=(100, 1))
    X = np.hstack([answers, weight])
    missed = np.hstack([answers, weight + 0.1])
    assert exact_rows(X, missed) == 1.0
    # One flag tells no rows from each other, however well it is known.
    flag = np.hstack([answers[:, :1] > 2, weight])
    assert exact_rows(flag, flag + np.array([0.0, 0.1])) == 0.0
    half = np.vstack([missed[:50], missed[50:] + 1])
    assert exact_rows(X, half) == 0.5

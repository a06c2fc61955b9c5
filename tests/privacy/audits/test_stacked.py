import numpy as np
from sklearn.datasets import load_diabetes

from consilience.privacy.audits.scores import column_r2
from consilience.privacy.audits.stacked import common_rows, rebuild_from_stack, stack_rank


def reduction(X, n_kept):
    mean = X.mean(axis=0)
    F = np.linalg.svd(X - mean, full_matrices=False)[2][:n_kept].T
    return lambda rows: (rows - mean) @ F


def scene():
    X = load_diabetes(scaled=False).data
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    return X, np.random.default_rng(0).uniform(size=(100, X.shape[1]))


def test_a_second_contribution_with_a_few_more_rows_gives_everything_away():
    X, A = scene()
    earlier, later = reduction(X[:300], 5), reduction(X[:330], 5)
    once = rebuild_from_stack(A, [earlier(A)], [earlier(X)])
    twice = rebuild_from_stack(A, [earlier(A), later(A)], [earlier(X), later(X)])
    assert np.median(column_r2(X, once)) < 0.8
    assert column_r2(X, twice).min() > 0.999
    assert stack_rank([earlier(A)]) == 5
    assert stack_rank([earlier(A), later(A)]) == 10


def test_the_same_reduction_again_tells_nothing_new():
    X, A = scene()
    f = reduction(X, 5)
    once = rebuild_from_stack(A, [f(A)], [f(X)])
    twice = rebuild_from_stack(A, [f(A), f(A)], [f(X), f(X)])
    np.testing.assert_allclose(twice, once, atol=1e-9)
    assert stack_rank([f(A), f(A)]) == 5


def test_what_rows_alike_show_completes_the_stack():
    X, A = scene()
    X, A = np.hstack([X, X[:, :1] + X[:, 1:2]]), np.hstack([A, A[::-1, :1]])
    earlier, later = reduction(X[:150], 5), reduction(X[:170], 5)
    parts = A, [earlier(A), later(A)], [earlier(X), later(X)]
    assert column_r2(X, rebuild_from_stack(*parts)).min() < 0.9
    assert column_r2(X, rebuild_from_stack(*parts, like=X[200:])).min() > 0.99


def test_rows_are_found_again_by_their_pseudonyms():
    rng = np.random.default_rng(0)
    names = rng.integers(256, size=(20, 16), dtype=np.uint8)
    first, second = names[:15], names[rng.permutation(20)][:18]
    here, there = common_rows([first, second])
    np.testing.assert_array_equal(first[here], second[there])
    known = {row.tobytes() for row in first} & {row.tobytes() for row in second}
    assert len(here) == len(known)

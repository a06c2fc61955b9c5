import numpy as np

from consilience.privacy.audits.collusion import invert_with_prior
from consilience.privacy.audits.completion import complete_rows
from consilience.privacy.audits.forward_map import ForwardMap, learn_forward_map

RNG = np.random.default_rng(0)
C = np.array([[2.0, 1.5, 0.3, 0.0], [1.5, 3.0, 0.0, 0.2], [0.3, 0, 1.0, 0], [0, 0.2, 0, 1.0]])
X = RNG.multivariate_normal(np.arange(4.0), C, size=200)
F = RNG.normal(size=(4, 2))


def complete(known, n_kept=2):
    f = ForwardMap(F[:, :n_kept], np.zeros(n_kept), np.full(n_kept, 1e-12))
    rows = np.where(known, X, np.nan_to_num(np.where(known, X, 0.0)))
    return complete_rows(rows, known, f.apply(X), f, np.arange(4.0), C)


def test_with_nothing_known_it_is_the_inverse_with_a_prior():
    found, precise = complete(np.zeros(X.shape, bool))
    anchor = RNG.normal(size=(20, 4))
    assert learn_forward_map(anchor, anchor @ F).noise.max() < 1e-12
    expected = invert_with_prior(anchor, anchor @ F, X @ F, np.arange(4.0), C)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert not precise.any()


def test_as_many_numbers_as_cells_are_missing_tell_them():
    known = np.ones(X.shape, bool)
    known[:100, [0, 2]] = False
    known[100:, [1, 3]] = False
    found, precise = complete(known)
    np.testing.assert_allclose(found, X, atol=1e-8)
    assert precise.all()


def test_known_cells_stay_and_help_the_others():
    known = np.zeros(X.shape, bool)
    plain, _ = complete(known, n_kept=1)
    known[:, 1] = True
    found, precise = complete(known, n_kept=1)
    np.testing.assert_array_equal(found[:, 1], X[:, 1])
    assert precise.tolist() == known.tolist()
    unknown = [0, 2, 3]
    assert ((found - X)[:, unknown] ** 2).sum() < ((plain - X)[:, unknown] ** 2).sum()


def test_a_coordinate_that_is_always_0_tells_nothing():
    f = ForwardMap(np.array([[1.0, 0.0], [1.0, 0.0]]), np.zeros(2), np.array([1e-12, 0.0]))
    rows, known = np.array([[3.0, 0.0]]), np.array([[True, False]])
    found, _ = complete_rows(rows, known, np.array([[7.5, 0.0]]), f, np.zeros(2), np.eye(2))
    np.testing.assert_allclose(found, [[3.0, 4.5]])

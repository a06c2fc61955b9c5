"""The noise is the one that was promised. Statistical tests state their false-alarm rate."""

import numpy as np
import pytest
from scipy import stats

from consilience.privacy.noise import CountNoise, LaplaceNoise

pytest.importorskip("opendp")

FALSE_ALARM = 1e-6
"""Each statistical test below fails a correct program about once in a million runs."""


def noise_of(noise, X):
    """Return the noise alone, as fractions of the range of each feature."""
    lower, upper = np.asarray(noise.lower), np.asarray(noise.upper)
    return (noise.apply(X) - np.clip(X, lower, upper)) / (upper - lower)


def test_noise_follows_the_laplace_law_of_the_stated_scale():
    # Kolmogorov-Smirnov against the exact law; p is uniform for a correct program.
    noise = LaplaceNoise([0, -5], [1, 5], epsilon=4.0)
    drawn = noise_of(noise, np.tile([0.3, 2.0], (2000, 1))).ravel()
    assert stats.kstest(drawn, "laplace", args=(0, 2 / 4.0)).pvalue > FALSE_ALARM


def test_noise_does_not_depend_on_the_value_it_hides():
    noise = LaplaceNoise([0.0], [1.0], epsilon=1.0)
    low = noise_of(noise, np.zeros((2000, 1))).ravel()
    high = noise_of(noise, np.ones((2000, 1))).ravel()
    assert stats.ks_2samp(low, high).pvalue > FALSE_ALARM


def test_constant_feature_is_hidden_as_well_as_any_other():
    # The published method reads the range from the rows and adds nothing here.
    noise = LaplaceNoise([0.0, 0.0], [1.0, 1.0], epsilon=2.0)
    drawn = noise_of(noise, np.full((1500, 2), 0.5))
    assert stats.ks_2samp(drawn[:, 0], drawn[:, 1]).pvalue > FALSE_ALARM
    assert (drawn != 0).mean() > 0.99


def test_two_parties_never_share_noise():
    X = np.full((1000, 1), 0.5)
    one, two = (LaplaceNoise([0.0], [1.0], epsilon=1.0) for _ in range(2))
    a, b = noise_of(one, X).ravel(), noise_of(two, X).ravel()
    assert not np.intersect1d(a, b).size  # a common value of 2**-40 steps: below 1e-6
    assert stats.spearmanr(a, b).pvalue > FALSE_ALARM


def test_noise_of_two_calls_differs_whatever_the_seed_of_numpy():
    X = np.full((50, 2), 0.5)
    noise = LaplaceNoise([0, 0], [1, 1], epsilon=1.0)
    np.random.seed(0)  # noqa: NPY002
    first = noise.apply(X)
    np.random.seed(0)  # noqa: NPY002
    assert not np.array_equal(first, noise.apply(X))


def test_whole_budget_covers_the_whole_row():
    opendp = pytest.importorskip("opendp.prelude")
    noise = LaplaceNoise([0.0] * 64, [1.0] * 64, epsilon=15.0)
    space = opendp.vector_domain(opendp.atom_domain(T=float, nan=False), size=64)
    mechanism = opendp.m.make_laplace(space, opendp.l1_distance(T=float), scale=noise.scale)
    assert mechanism.map(64.0) == pytest.approx(15.0)  # not 15 a feature, which would be 960


def test_values_outside_the_bounds_tell_no_more_than_the_bounds():
    noise = LaplaceNoise([0.0], [1.0], epsilon=1.0, insecure_seed=3)
    np.testing.assert_array_equal(
        noise.apply(np.array([[7.0], [-7.0]])), noise.apply(np.array([[1.0], [0.0]]))
    )


@pytest.mark.parametrize("epsilon", [0, 0.0, -1, float("inf"), float("nan")])
def test_epsilon_that_means_nothing_is_refused(epsilon):
    with pytest.raises(ValueError, match=r"epsilon == .*, must be finite and > 0"):
        LaplaceNoise([0.0], [1.0], epsilon)


@pytest.mark.parametrize("epsilon", [None, "1", True])
def test_epsilon_that_is_no_number_is_refused(epsilon):
    with pytest.raises(TypeError, match=r"epsilon == .*, must be a number"):
        LaplaceNoise([0.0], [1.0], epsilon)


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ([0, 0], [1], "equal length"),
        ([], [], "equal length"),
        ([0.0], [float("inf")], "finite"),
        ([0, 1], [1, 1], "feature 1"),
        ([2.0], [1.0], "feature 0"),
    ],
)
def test_bounds_that_bound_nothing_are_refused(lower, upper, message):
    with pytest.raises(ValueError, match=message):
        LaplaceNoise(lower, upper, 1.0)


@pytest.mark.parametrize("X", [np.array([[np.nan, 0.0]]), np.array([[np.inf, 0.0]])])
def test_rows_that_cannot_be_clipped_are_refused(X):
    with pytest.raises(ValueError, match="NaN or infinite"):
        LaplaceNoise([0, 0], [1, 1], 1.0).apply(X)


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match=r"must be \(n_rows, 2\)"):
        LaplaceNoise([0, 0], [1, 1], 1.0).apply(np.zeros((3, 3)))


def test_no_rows_need_no_noise():
    assert LaplaceNoise([0, 0], [1, 1], 1.0).apply(np.empty((0, 2))).shape == (0, 2)


def test_missing_library_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(ImportError, match=r"consilience\[dp\]"):
        LaplaceNoise([0], [1], 1.0).apply(np.zeros((1, 1)))


def test_noise_on_counts_follows_the_geometric_law_of_the_stated_scale():
    # Chi-square of 4000 draws against the exact law, tails pooled; p is uniform if all is right.
    noise = CountNoise(epsilon=2.0)
    assert noise.scale == 1.0
    drawn = noise.apply(np.full(4000, 100)) - 100
    q = np.exp(-1 / noise.scale)
    steps = np.arange(-4, 5)
    law = (1 - q) / (1 + q) * q ** np.abs(steps)
    tail = q**5 / (1 + q)
    expected = 4000 * np.r_[tail, law, tail]
    inside = [(drawn == k).sum() for k in steps]
    seen = np.array([(drawn < -4).sum(), *inside, (drawn > 4).sum()])
    assert stats.chisquare(seen, expected).pvalue > FALSE_ALARM


def test_one_record_more_or_less_changes_the_odds_of_any_answer_by_no_more_than_epsilon():
    # A record that changes its class: 2 counts move by 1. Each answer's share among n draws lies
    # within z standard deviations of its probability, z from the false-alarm rate over 18 answers.
    noise, n = CountNoise(epsilon=1.0), 4000
    z = stats.norm.isf(FALSE_ALARM / 36)
    a, b = (noise.apply(np.tile(c, n)).reshape(n, 2) for c in ([5, 5], [6, 4]))
    for k in range(3, 9):
        for j in range(3, 6):
            p, q = (((x == [k, j]).all(axis=1)).mean() for x in (a, b))
            slack = z * np.sqrt(max(p, q) / n) * (1 + np.e)
            assert p <= np.e * q + slack
            assert q <= np.e * p + slack


def test_counts_share_the_whole_budget():
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    noise = CountNoise(epsilon=3.0)
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l1_distance(T="i64")
    mechanism = opendp.m.make_laplace(*space, scale=noise.scale)
    assert mechanism.map(2) == pytest.approx(3.0)  # a record that changes its class
    assert mechanism.map(1) == pytest.approx(1.5)  # a record more


def test_a_fixed_seed_draws_the_same_law():
    drawn = CountNoise(epsilon=1.0, insecure_seed=0).apply(np.zeros(20000, dtype=np.int64))
    again = CountNoise(epsilon=1.0, insecure_seed=0).apply(np.zeros(20000, dtype=np.int64))
    assert np.array_equal(drawn, again)
    q = np.exp(-0.5)
    assert drawn.var() == pytest.approx(2 * q / (1 - q) ** 2, rel=0.1)


@pytest.mark.parametrize("epsilon", [0, -1.0, float("inf"), float("nan")])
def test_noise_on_counts_that_promises_nothing_is_refused(epsilon):
    with pytest.raises(ValueError, match=r"epsilon == .*, must be finite and > 0"):
        CountNoise(epsilon)

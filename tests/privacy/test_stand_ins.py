import numpy as np
import pytest

from consilience.privacy.noise import LaplaceNoise
from consilience.privacy.stand_ins import StandIns

pytest.importorskip("opendp")

LOWER, UPPER = [0.0, -10.0], [1.0, 30.0]


def rows(n=600, seed=0):
    rng = np.random.default_rng(seed)
    middle = np.array([[0.2, 0.0], [0.8, 20.0]])[rng.integers(2, size=n)]
    return middle + rng.normal(size=(n, 2)) * [0.03, 1.0]


def test_stand_ins_lie_where_the_rows_do_and_are_none_of_them():
    X = rows()
    made = StandIns(LOWER, UPPER, 4.0).apply(X)
    assert len(made) == pytest.approx(len(X), abs=60)
    near = np.abs((made[:, None] - [[0.2, 0.0], [0.8, 20.0]]) / [1.0, 40.0]).max(axis=2).min(axis=1)
    assert np.quantile(near, 0.9) < 0.2
    assert not np.isin(made, X).any()
    assert len(np.unique(made, axis=0)) < len(X) / 2


def test_at_the_same_epsilon_they_keep_what_noise_on_every_row_does_not():
    X = rows()
    kept = np.linalg.norm(StandIns(LOWER, UPPER, 2.0).apply(X).mean(axis=0) - X.mean(axis=0))
    noisy = LaplaceNoise(LOWER, UPPER, 2.0).apply(X)
    made = StandIns(LOWER, UPPER, 2.0).apply(X)
    assert made.std(axis=0)[0] < noisy.std(axis=0)[0] / 2
    assert kept < 5.0


def test_values_outside_the_bounds_count_as_the_bounds():
    X = rows()
    wild = X.copy()
    wild[0] = 1e300
    made = StandIns(LOWER, UPPER, 5.0, insecure_seed=1).apply(wild)
    assert np.abs(made[:, 1]).max() < 200


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"delta": 1.0}, "delta == 1.0"),
        ({"epsilon": 0.0}, "epsilon == 0.0"),
        ({"upper": [1, -10]}, "feature 1"),
    ],
)
def test_terms_that_promise_nothing_are_refused(change, reason):
    terms = {"lower": LOWER, "upper": UPPER, "epsilon": 1.0, **change}
    with pytest.raises(ValueError, match=reason):
        StandIns(**terms)
    with pytest.raises(ValueError, match="must be"):
        StandIns(LOWER, UPPER, 1.0).apply(np.full((3, 2), np.nan))

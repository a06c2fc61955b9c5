import numpy as np
import pytest

from benchmarks.attacks.defaults import DEFAULT, Deal, in_units, measure_defaults


def test_noise_lowers_what_is_rebuilt_and_is_that_of_a_contribution():
    y = np.repeat([0, 1], 100)
    deal = Deal(6.0 * y[:, None] + np.random.default_rng(0).normal(size=(200, 6)), 2, seed=0)
    plain, noisy = (dict(deal.measure(("D", "b", "s"), DEFAULT, [2, 2], e)) for e in (None, 3.0))
    r2, ari = ("best collusion", "median R2"), ("collaboration", "ARI with pooled")
    assert plain["D", "b", "s", *r2] > noisy["D", "b", "s", *r2] + 0.2
    assert plain["D", "b", "s", *ari] == 1


def test_a_set_gets_paper_mode_default_and_noise():
    settings = {cell[2] for cell, _ in measure_defaults("wine", None, seed=0)}
    assert {"paper mode", "default", "default, epsilon 100 per row, scaled by bounds"} <= settings


@pytest.mark.parametrize(("name", "shape", "k"), [("wine", (178, 13), 3), ("iris", (150, 4), 3)])
def test_a_table_comes_as_it_is_and_scaled_by_its_bounds(name, shape, k):
    (X, scaled), n_classes = in_units(name, None)
    assert (X.shape, scaled.shape, n_classes) == (shape, shape, k)
    assert (scaled.min(), scaled.max()) == (0, 1)

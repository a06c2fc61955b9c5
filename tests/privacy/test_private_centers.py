"""Private centres: what they cost, how sensitive each released number is, what they find."""

import tracemalloc

import numpy as np
import pytest

from consilience.privacy import private_centers as module
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.privacy.private_centers import GRID, SHARES, private_centers

RADIUS = 1.0
PLACES = np.array([[-0.5, -0.5], [0.5, -0.5], [0.0, 0.6]])


class Recorder:
    """Takes the place of the noise: adds none, and notes what it is told of sensitivity."""

    rho = 0.1

    def __init__(self):
        self.asked = []

    def scale(self, sensitivity, share):
        return sensitivity / np.sqrt(2 * self.rho * share)

    def add(self, values, *, sensitivity, share):
        self.asked.append((np.array(values), sensitivity, share))
        return values


def make_rows(n=600, seed=0):
    rng = np.random.default_rng(seed)
    return PLACES[rng.integers(3, size=n)] + rng.normal(size=(n, 2)) / 20


def test_the_shares_of_the_allowance_are_the_allowance():
    assert sum(SHARES.values()) == pytest.approx(1.0)
    noise = ConcentratedNoise(1.0, 1e-6, insecure_seed=0)
    private_centers(make_rows(), RADIUS, noise)
    assert noise.spent == pytest.approx(noise.rho, rel=1e-6)


@pytest.mark.parametrize("rows_per_person", [1, 3])
def test_one_person_moves_no_released_number_by_more_than_stated(rows_per_person):
    Z = make_rows()
    Z[:rows_per_person] = [0.6, 0.75]
    told = []
    for rows in (Z, Z[rows_per_person:]):
        recorder = Recorder()
        private = module._Rows(rows, np.asarray, RADIUS, recorder, rows_per_person)
        # The same questions to both: what is asked later depends on released numbers alone.
        private.count(0.1)
        private.total(RADIUS, 0.1)
        private.move(np.array([0.1, -0.2]))
        private.reach(600.0, 2 * RADIUS, 0.1)
        private.moments(0.7, 0.1)
        private.cells(PLACES, 0.3, 0.1)
        told.append(recorder.asked)
    moved = [np.linalg.norm(a - b) for (a, *_), (b, *_) in zip(*told, strict=True)]
    stated = [sensitivity for _, sensitivity, _ in told[0]]
    assert len(moved) == 6
    assert all(m <= s for m, s in zip(moved, stated, strict=True))
    # And the bound is nearly met where a row lies at the end of its reach.
    assert moved[4] > 0.99 * stated[4]


def test_no_row_is_longer_than_its_reach():
    whole = np.rint(np.random.default_rng(0).normal(size=(500, 7)) * GRID)
    short = module._shorten(whole, GRID // 2)
    np.testing.assert_array_equal(short, short.astype(np.int64))
    assert (short**2).sum(axis=1).max() <= (GRID // 2) ** 2
    assert (short**2).sum(axis=1).min() > 0


def test_places_of_many_rows_are_found_through_the_noise():
    found = private_centers(make_rows(20_000), RADIUS, ConcentratedNoise(4.0, 1e-6))
    gaps = np.linalg.norm(found.centers[:, None] - PLACES, axis=2)
    assert gaps.min(axis=0).max() < 0.1
    assert found.weights.sum() == pytest.approx(20_000, rel=0.02)
    # Centres of weight lie at a place: between the places there are no rows.
    assert np.average(gaps.min(axis=1) < 0.2, weights=found.weights) > 0.9


def test_few_rows_leave_one_centre_that_stands_for_all():
    found = private_centers(make_rows(5), RADIUS, ConcentratedNoise(0.1, 1e-6))
    assert len(found.centers) >= 1
    assert found.weights.min() > 0


def test_no_centre_that_may_stand_for_too_few_rows_leaves():
    Z = make_rows(20_000)
    for seed in range(3):
        noise = ConcentratedNoise(1.0, 1e-6, insecure_seed=seed)
        found = private_centers(Z, RADIUS, noise, min_rows=300)
        nearest = ((Z[:, None] - found.centers) ** 2).sum(axis=2).argmin(axis=1)
        assert np.bincount(nearest, minlength=len(found.centers)).min() >= 300


def test_rows_that_are_all_the_same_are_no_trouble():
    Z = np.full((300, 2), 0.25)
    found = private_centers(Z, RADIUS, ConcentratedNoise(10.0, 1e-6, insecure_seed=0))
    mean = np.average(found.centers, axis=0, weights=found.weights)
    np.testing.assert_allclose(mean, [0.25, 0.25], atol=0.1)


def test_centres_are_no_more_than_asked_for():
    noise = ConcentratedNoise(10.0, 1e-6, insecure_seed=0)
    assert len(private_centers(make_rows(5000), RADIUS, noise, n_most=7).centers) <= 7


def test_few_rows_are_summarised_by_numbers_of_the_kind_a_summary_holds():
    found = private_centers(make_rows(3), RADIUS, ConcentratedNoise(0.1, 1e-6, insecure_seed=0))
    assert found.weights.dtype == np.float64


def test_rows_are_brought_to_their_units_block_by_block():
    X = 10 * make_rows(9_000) + 3
    noise, again = (ConcentratedNoise(1.0, 1e-6, insecure_seed=0) for _ in range(2))
    before = private_centers((X - 3) / 10, RADIUS, noise)
    found = private_centers(X, RADIUS, again, scale=lambda block: (block - 3) / 10)
    np.testing.assert_array_equal(found.centers, before.centers)
    np.testing.assert_array_equal(found.weights, before.weights)


def test_no_copy_of_the_rows_is_made():
    X = np.random.default_rng(0).uniform(-1, 1, size=(300_000, 12))
    noise = ConcentratedNoise(0.1, 1e-6, insecure_seed=0)
    tracemalloc.start()
    private_centers(X, 4.0, noise, scale=lambda block: block / 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from consilience.collaboration.axes import principal_axes
from consilience.collaboration.few_rows import directions_of_rows, means_of_few
from consilience.collaboration.population import estimate_population
from consilience.collaboration.sights import look


def reduced(X, parties, k, rng):
    """What institutions send that keep k principal directions of their own, and the anchor's."""
    A = rng.normal(size=(X.shape[1] + 100, X.shape[1]))
    rows, anchors = [], []
    for i in np.unique(parties):
        mean, F = principal_axes(X[parties == i], k, None, rng)
        rows.append((X[parties == i] - mean) @ F)
        anchors.append((A - mean) @ F)
    return rows, anchors


def test_a_wide_table_keeps_the_distances_of_its_few_rows():
    rng = np.random.default_rng(0)
    X, parties = rng.normal(size=(40, 300)) * rng.uniform(0, 3, 300), np.arange(40) // 20
    rows, anchors = reduced(X, parties, 150, rng)
    sights = [sight for i, part in enumerate(rows) for sight in look(i, [part])]
    population = estimate_population(anchors, sights)
    assert len(population.mean) <= 84  # as many as rows and means, twice: not 300
    own = population.place(0, rows[0])
    np.testing.assert_allclose(pdist(own), pdist(X[:20]), rtol=0.15)
    whole = np.vstack([own, population.place(1, rows[1])])
    assert np.corrcoef(pdist(whole), pdist(X))[0, 1] > 0.9


def test_rows_differ_by_what_was_seen_of_them_and_nothing_else():
    rng = np.random.default_rng(0)
    X, parties = rng.normal(size=(24, 30)), np.arange(24) // 8
    rows, anchors = reduced(X, parties, 15, rng)
    sights = [sight for i, part in enumerate(rows) for sight in look(i, [part])]
    population = estimate_population(anchors, sights)
    assert sorted(population.few) == [0, 1, 2]
    for i, part in enumerate(rows):
        placed = population.place(i, part) / population.units
        H = population.views[i]
        np.testing.assert_allclose(placed @ H + population.middles[i], part, atol=1e-5)
        away = placed - placed.mean(axis=0)
        unseen = away - away @ H @ np.linalg.pinv(H)
        np.testing.assert_allclose(unseen, 0, atol=1e-5)


@pytest.mark.parametrize(("n_rows", "counts"), [(3, True), (4, True), (5, False)])
def test_as_many_rows_as_coordinates_are_few(n_rows, counts):
    X = np.random.default_rng(0).normal(size=(n_rows, 4))
    assert (0 in means_of_few(look(0, [X]))) is counts


def test_an_institution_with_rows_sent_in_part_is_not_taken_for_one_that_dropped_nothing():
    X = np.full((3, 8), np.nan)
    X[:, :4] = np.random.default_rng(0).normal(size=(3, 4))
    sights = look(0, [X])
    assert means_of_few(sights) == {}
    zero, one = np.zeros(8), np.ones(8)
    [B] = directions_of_rows([np.random.default_rng(1).normal(size=(20, 8))], [zero], [one], sights)
    np.testing.assert_array_equal(B, np.eye(8))

import numpy as np

from consilience.baselines.flajolet_martin import (
    PhantomSettings,
    estimate_size,
    phantom_settings,
    sketch_memberships,
)

NONE = PhantomSettings(0, 0)


def test_sizes_of_sets_are_estimated_within_a_few_percent():
    labels = np.repeat([0, 1, 2], [3000, 1000, 200])
    sketches = sketch_memberships(labels, 3, 2000, 5, NONE, np.random.default_rng(0))
    np.testing.assert_allclose(estimate_size(sketches), [3000, 1000, 200], rtol=0.1)


def test_the_maximum_of_sketches_is_the_sketch_of_the_union():
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=2000)
    parts = sketch_memberships(labels, 4, 300, 9, NONE, rng)
    whole = sketch_memberships(np.zeros(2000, dtype=np.int64), 1, 300, 9, NONE, rng)
    np.testing.assert_array_equal(parts.max(axis=1), whole[:, 0])


def test_phantoms_are_counted_like_elements():
    settings = PhantomSettings(500, 0)
    labels = np.zeros(1000, dtype=np.int64)
    sketches = sketch_memberships(labels, 1, 3000, 1, settings, np.random.default_rng(0))
    np.testing.assert_allclose(estimate_size(sketches), 1500, rtol=0.1)


def test_less_budget_means_more_phantoms():
    loose, tight = phantom_settings(10, 1e-3, 100), phantom_settings(0.1, 1e-3, 100)
    assert tight.n_phantoms > loose.n_phantoms
    assert tight.least >= loose.least

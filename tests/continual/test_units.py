import numpy as np

from consilience.continual.units import Units


def test_without_bounds_nothing_changes():
    X = np.ones((2, 3))
    assert Units().scale(X) is X
    assert Units().restore(X) is X


def test_restoring_undoes_scaling():
    X = np.random.default_rng(0).normal(size=(5, 3))
    units = Units(np.array([-9.0, 0.0, 2.0]), np.array([9.0, 1.0, 100.0]))
    np.testing.assert_allclose(units.restore(units.scale(X)), X)

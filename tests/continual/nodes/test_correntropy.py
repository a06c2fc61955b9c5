import numpy as np

from consilience.continual.nodes.correntropy import cim, correntropy


def test_value_worked_by_hand():
    x, Y = np.array([0.0, 3.0]), np.array([[0.0, 3.0], [2.0, 3.0]])
    expected = [1.0, (np.exp(-4 / 2) + 1.0) / 2]
    np.testing.assert_allclose(correntropy(x, Y, 1.0), expected)
    np.testing.assert_allclose(cim(x, Y, 1.0), np.sqrt(1 - np.array(expected)))


def test_metric_stays_in_its_range_however_far_the_points_are():
    Y = np.array([[0.0, 0.0], [1e8, 1e8]])
    np.testing.assert_array_equal(cim(Y[0], Y, 1e-6), [0.0, 1.0])


def test_bandwidth_is_in_the_units_of_the_features():
    rng = np.random.default_rng(0)
    x, Y = rng.normal(size=3), rng.normal(size=(5, 3))
    np.testing.assert_allclose(cim(x, Y, 0.7), cim(1000 * x, 1000 * Y, 700.0))

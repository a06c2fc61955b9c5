import numpy as np
import pytest

from consilience.continual.nodes.correntropy import correntropy, to_distance

compiled = pytest.importorskip(
    "consilience.continual.nodes.kernels.correntropy", exc_type=ImportError
)


@pytest.mark.parametrize("sigma", [1e-6, 0.7, 1e6])
@pytest.mark.parametrize("d", [1, 5, 64, 70])
def test_compiled_correntropy_is_the_plain_one(sigma, d):
    rng = np.random.default_rng(0)
    x, Y = rng.normal(size=d), rng.normal(size=(9, d))
    found = [compiled.alike(x, y, compiled.HALF_LIFE / sigma) for y in Y]
    np.testing.assert_allclose(found, correntropy(x, Y, sigma), rtol=1e-13, atol=1e-15)


def test_compiled_metric_is_the_plain_one_and_zero_for_equal_points():
    c = np.array([1.0, 1.0 - 1e-15, 0.75, 0.0])
    assert [compiled.to_distance(value) for value in c] == to_distance(c).tolist()
    x = np.random.default_rng(0).normal(size=64)
    assert compiled.to_distance(compiled.alike(x, x, 1.3)) == 0.0

import numpy as np
import pytest

from consilience.continual.nodes.correntropy import cim

compiled = pytest.importorskip(
    "consilience.continual.nodes.kernels.correntropy", exc_type=ImportError
)


@pytest.mark.parametrize("sigma", [1e-6, 0.7, 1e6])
def test_compiled_metric_is_the_plain_one_and_writes_no_further_than_told(sigma):
    rng = np.random.default_rng(0)
    x, nodes, out = rng.normal(size=5), rng.normal(size=(9, 5)), np.full(9, -1.0)
    nodes[2] = x
    compiled.cim(x, np.asfortranarray(nodes), 7, sigma, out)
    np.testing.assert_allclose(out[:7], cim(x, nodes[:7], sigma), rtol=1e-7, atol=1e-7)
    assert out[2] == 0.0
    assert (out[7:] == -1.0).all()

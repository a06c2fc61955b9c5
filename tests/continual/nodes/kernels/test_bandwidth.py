import numpy as np
import pytest

from consilience.continual.nodes.bandwidth import bandwidth

compiled = pytest.importorskip(
    "consilience.continual.nodes.kernels.bandwidth", exc_type=ImportError
)


@pytest.mark.parametrize(("n", "d"), [(1, 3), (2, 1), (10, 4), (33, 7)])
def test_compiled_bandwidth_is_that_of_the_nodes_chosen(n, d):
    nodes = np.random.default_rng(n).normal(size=(50, d)) * np.arange(d)  # the first is constant
    chosen = np.random.default_rng(d).permutation(50)[:n]
    found = compiled.bandwidth(nodes, chosen)
    assert found == pytest.approx(bandwidth(nodes[chosen]), rel=1e-12)

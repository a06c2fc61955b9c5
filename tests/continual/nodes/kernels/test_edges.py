import numpy as np
import pytest

from consilience.continual.nodes.edges import deletion_threshold

compiled = pytest.importorskip("consilience.continual.nodes.kernels.edges", exc_type=ImportError)


def test_compiled_threshold_is_the_plain_one():
    rng = np.random.default_rng(0)
    for n in range(40):
        ages = rng.integers(1, 9, size=n)
        arguments = ages, 3.5, n, 0.1 * (n % 3)
        assert compiled.deletion_threshold(*arguments) == deletion_threshold(*arguments)

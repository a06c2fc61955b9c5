import numpy as np
import pytest

from consilience.continual.nodes.vigilance import similarity_threshold

compiled = pytest.importorskip(
    "consilience.continual.nodes.kernels.vigilance", exc_type=ImportError
)


@pytest.mark.parametrize("n", [1, 2, 20])
def test_compiled_threshold_is_the_plain_one(n):
    A = np.random.default_rng(n).normal(size=(n, 3))
    A[n // 2] = A[0]  # an equal pair, which counts for nothing
    found = compiled.similarity_threshold(np.asfortranarray(A), n, 0.9)
    assert found == pytest.approx(similarity_threshold(A, 0.9), rel=1e-9)

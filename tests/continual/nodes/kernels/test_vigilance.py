import numpy as np
import pytest

from consilience.continual.nodes.vigilance import similarity_threshold

compiled = pytest.importorskip(
    "consilience.continual.nodes.kernels.vigilance", exc_type=ImportError
)
search = pytest.importorskip("consilience.continual.nodes.kernels.search", exc_type=ImportError)


@pytest.mark.parametrize("n", [1, 2, 20])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_compiled_threshold_is_the_plain_one(n, offset):
    A = np.random.default_rng(n).normal(size=(n, 3)) + offset
    A[n // 2] = A[0]  # an equal pair, which counts for nothing
    found = compiled.similarity_threshold(A, n, 0.9, search.draw(A, n, A[0]))
    assert found == pytest.approx(similarity_threshold(A, 0.9), rel=1e-9)

import numpy as np
import pytest

from consilience.continual.nodes.diversity import similarity_row

compiled = pytest.importorskip(
    "consilience.continual.nodes.kernels.diversity", exc_type=ImportError
)


@pytest.mark.parametrize("similarity", ["correntropy", "cim"])
def test_determinant_is_the_direct_one_wherever_the_estimate_was_left(similarity):
    Y = np.random.default_rng(1).normal(size=(12, 3))
    R = np.empty((12, 12))
    for k in range(12):
        R[k, : k + 1] = R[: k + 1, k] = similarity_row(Y, k, 0.8, similarity)
    L, so_far = np.zeros((12, 12)), (0, 0.0)
    for n in (5, 12):
        so_far = compiled.measure_diversity(Y, L, n, 0.8, so_far, similarity == "cim")
        assert so_far == (n, pytest.approx(np.linalg.slogdet(R[:n, :n])[1]))


def test_nothing_comes_back_from_a_determinant_of_zero():
    Y, L = np.zeros((4, 2)), np.zeros((4, 4))
    n, found = compiled.measure_diversity(Y, L, 4, 1.0, (0, 0.0), False)
    assert found < np.log(1e-12)
    assert n <= 4

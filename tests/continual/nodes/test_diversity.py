import numpy as np
import pytest

from consilience.continual.nodes.diversity import append_node, similarity_row


@pytest.mark.parametrize("similarity", ["correntropy", "cim"])
def test_incremental_determinant_equals_the_direct_one(similarity):
    Y = np.random.default_rng(1).normal(size=(12, 3))
    R, L, product = np.empty((12, 12)), np.zeros((12, 12)), 1.0
    for k in range(12):
        row = similarity_row(Y, k, 0.8, similarity)
        R[k, : k + 1] = R[: k + 1, k] = row
        product *= append_node(L, k, row)
        assert product == pytest.approx(np.linalg.det(R[: k + 1, : k + 1]), rel=1e-9)


def test_definitions_of_the_two_similarities():
    Y = np.array([[0.0], [1.0]])
    c = np.exp(-0.5)
    assert similarity_row(Y, 1, 1.0, "correntropy")[0] == pytest.approx(np.exp(c))
    assert similarity_row(Y, 1, 1.0, "cim")[0] == pytest.approx(np.exp(1 - np.sqrt(1 - c)))


def test_duplicate_node_brings_the_determinant_to_zero():
    Y = np.zeros((2, 3))
    L = np.zeros((2, 2))
    append_node(L, 0, similarity_row(Y, 0, 1.0, "correntropy"))
    assert append_node(L, 1, similarity_row(Y, 1, 1.0, "correntropy")) < 1e-12

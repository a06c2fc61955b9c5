import numpy as np
import pytest

from consilience.privacy.audits.membership import infer_membership, nearest_rows


def test_nodes_that_are_rows_give_their_owners_away():
    rows = np.random.default_rng(0).normal(size=(200, 3))
    told = infer_membership(rows[:50], members=rows[:100], others=rows[100:])
    assert told.copied == 1
    assert told.exposed == 0.5
    assert told.advantage > 0.45


def test_nodes_of_other_rows_tell_nothing():
    rng = np.random.default_rng(0)
    nodes, members, others = rng.normal(size=(3, 300, 3))
    told = infer_membership(nodes, members, others)
    assert told.copied == told.exposed == 0
    # With 300 + 300 candidates an AUC beyond 0.5 +- 0.09 has probability below 1e-4.
    assert abs(told.auc - 0.5) < 0.09


def test_a_moved_node_is_not_a_copy():
    rows = np.arange(12.0).reshape(4, 3)
    assert infer_membership(rows + 1e-12, rows, rows + 9).copied == 0


def test_nothing_to_compare_is_refused():
    rows = np.ones((2, 2))
    with pytest.raises(ValueError, match="each must be >= 1"):
        infer_membership(rows, rows, rows[:0])


def test_nearest_row_is_measured_in_standard_deviations():
    rows = np.array([[0.0, 0.0], [1000.0, 1.0]])
    assert nearest_rows(np.array([[400.0, 0.9]]), rows).tolist() == [[1000.0, 1.0]]

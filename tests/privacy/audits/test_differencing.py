import numpy as np

from consilience.continual.party import Party
from consilience.privacy.audits.differencing import difference_nodes


def between(first, second):
    return difference_nodes(
        first.ids, first.nodes, first.counts, second.ids, second.nodes, second.counts
    )


def test_a_row_that_moved_one_node_is_rebuilt_from_two_releases():
    rng = np.random.default_rng(0)
    party = Party("clinic", 3)
    (first,) = party.begin(rng.normal(size=(300, 3)))
    row = first.nodes[:1] + 1e-3
    (second,) = party.begin(row)
    assert second.ids[0] in first.ids, "the row moved a node and made none"
    apart = np.abs(between(first, second) - row).max(axis=1)
    assert apart.min() < 1e-9


def test_order_of_the_ids_does_not_matter_and_unmoved_nodes_say_nothing():
    ids, nodes, counts = np.array([7, 3]), np.array([[0.0], [10.0]]), np.array([1, 4])
    told = difference_nodes(ids, nodes, counts, np.array([3]), np.array([[8.0]]), np.array([5]))
    assert told.tolist() == [[0.0]]
    # Moved by a row it nearly won: no row of its own in between.
    assert not len(difference_nodes(ids, nodes, counts, ids[:1], nodes[:1] + 0.1, counts[:1]))

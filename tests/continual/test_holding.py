import numpy as np

from consilience.continual.holding import Holding
from consilience.messages import NodeUpdate


def update(window, ids):
    ids = np.array(ids, dtype=np.int64)
    nodes = ids[:, None] + 0.5 + 10.0 * window
    return NodeUpdate(
        study="", sender="a", recipient="b", window=window, nodes=nodes, counts=ids + 1, ids=ids
    )


def test_moved_nodes_are_replaced_and_keep_their_label():
    holding = Holding.empty(1)
    holding.merge(update(0, [0, 1, 2]))
    holding.labels = np.array([4, 5, 6])
    holding.merge(update(1, [3, 1]))
    assert holding.ids.tolist() == [0, 1, 2, 3]
    assert holding.nodes.ravel().tolist() == [0.5, 11.5, 2.5, 13.5]
    assert holding.labels.tolist() == [4, 5, 6, -1]


def test_update_without_nodes_changes_nothing():
    holding = Holding.empty(1)
    holding.merge(update(0, [0, 1]))
    holding.merge(update(1, []))
    assert holding.ids.tolist() == [0, 1]

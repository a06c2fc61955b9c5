import numpy as np

from consilience.continual.received import Received
from consilience.messages import NodeUpdate


def update(window, ids):
    ids = np.array(ids, dtype=np.int64)
    nodes = ids[:, None] + 0.5 + 10.0 * window
    return NodeUpdate(
        study="", sender="a", recipient="b", window=window, nodes=nodes, counts=ids + 1, ids=ids
    )


def take(received, message):
    received.take(message)
    received.merge()


def test_moved_nodes_are_replaced_and_keep_their_label():
    received = Received(np.empty((0, 1)))
    take(received, update(0, [0, 1, 2]))
    received.labels = np.array([4, 5, 6])
    take(received, update(1, [3, 1]))
    assert received.ids.tolist() == [0, 1, 2, 3]
    assert received.nodes.ravel().tolist() == [0.5, 11.5, 2.5, 13.5]
    assert received.labels.tolist() == [4, 5, 6, -1]


def test_update_without_nodes_changes_nothing():
    received = Received(np.empty((0, 1)))
    take(received, update(0, [0, 1]))
    take(received, update(1, []))
    assert received.ids.tolist() == [0, 1]

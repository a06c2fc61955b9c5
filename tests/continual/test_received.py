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
    received.merge(most=5)


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


def test_of_more_nodes_than_a_party_holds_those_sent_longest_ago_go():
    received = Received(np.empty((0, 1)))
    take(received, update(0, [0, 1, 2, 3]))
    take(received, update(1, [1, 7, 8]))
    assert received.ids.tolist() == [1, 2, 3, 7, 8]
    again = Received.from_state(received.state())
    assert again.touched.tolist() == [1, 0, 0, 1, 1]


def test_state_of_an_earlier_version_counts_all_nodes_as_sent_at_once():
    received = Received(np.empty((0, 1)))
    take(received, update(0, [0, 1]))
    state = dict(received.state())
    del state["touched"]
    assert Received.from_state(state).touched.tolist() == [0, 0]

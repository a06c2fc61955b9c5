import numpy as np

from consilience.continual.history import MAX_SNAPSHOTS, History
from consilience.continual.naming import Succession
from consilience.continual.nodes.network import Network
from consilience.continual.nodes.profile import find_profile
from consilience.continual.state import load_state, save_state


def grow(n_rounds):
    network = Network(2, find_profile("reference"))
    history = History()
    for number in range(1, n_rounds + 1):
        network.add(np.array([number, 0.0]), 0.5)
        labels = np.zeros(number, dtype=np.int64)
        news = Succession((0,), merges=((number, 0),))
        history.add(number, {"a": 1, "b": 2}, network, labels, news)
    return history


def test_counts_stay_and_only_the_last_pictures():
    history = grow(MAX_SNAPSHOTS + 2)
    assert [r.n_nodes for r in history.rounds] == list(range(1, MAX_SNAPSHOTS + 3))
    assert [s.number for s in history.snapshots] == list(range(3, MAX_SNAPSHOTS + 3))
    assert history.rounds[0].n_received == 3


def test_history_survives_the_trip_through_a_file(tmp_path):
    history = grow(3)
    save_state(tmp_path / "s", "history", history.state())
    again = History.from_state(load_state(tmp_path / "s", "history"))
    assert again.rounds == history.rounds
    np.testing.assert_array_equal(again.snapshots[-1].nodes, history.snapshots[-1].nodes)

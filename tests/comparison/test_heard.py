import numpy as np

from consilience import ConsensusClustering, SummaryClustering
from consilience.comparison.heard import read_messages
from consilience.transports import overhear

X = np.random.default_rng(0).normal(size=(120, 4)) + np.repeat([[0] * 4, [9] * 4], 60, axis=0)


def test_the_words_of_the_analyst_are_no_words_of_an_institution():
    with overhear() as heard:
        SummaryClustering(2, epsilon=None, random_state=0).fit(X, parties=np.arange(120) % 2)
    held = read_messages(heard, lambda m: (np.arange(60) * 2 + int(m.sender), np.arange(4)))
    assert [len(h.sent.points) for h in held] == [1, 1]
    assert all(h.sent.n_bytes > h.sent.points[0].nbytes for h in held)


def test_labels_and_ranks_of_peers_are_read_back():
    views = [[0, 1], [2, 3]]
    with overhear() as heard:
        model = ConsensusClustering(columns=views, random_state=0).fit(X)
    rows = np.arange(120)
    held = read_messages(heard, lambda m: (rows, np.array(views[int(m.sender[-1]) - 1])))
    labels, places = held[0].sent.of_rows
    assert labels.shape == places.shape == (120,)
    assert len(np.unique(places)) == 120
    assert len(np.unique(labels)) >= model.n_clusters_ // 2

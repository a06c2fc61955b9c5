from copy import deepcopy

import numpy as np

from consilience.continual.lasting import LastingClusters
from consilience.continual.nodes.profile import find_profile
from consilience.continual.panel import Panel
from consilience.continual.received import Received
from consilience.messages import NodeUpdate


def party(name, centre, n=40):
    nodes = np.random.default_rng(ord(name)).normal(size=(n, 2)) + centre
    received = Received(np.empty((0, 2)))
    ids, counts = np.arange(n), np.ones(n, dtype=np.int64)
    update = NodeUpdate(
        study="", sender=name, recipient="b", window=0, nodes=nodes, counts=counts, ids=ids
    )
    received.take(update)
    received.merge(most=n)
    return received


def learnt(parties):
    clusters = LastingClusters(Panel(2, find_profile("reference")))
    clusters.panel.learn([p.nodes for p in parties], [p.counts for p in parties])
    clusters.name(parties)
    return clusters


def test_every_node_of_every_party_gets_the_name_of_its_cluster():
    parties = [party("a", 0.0), party("b", 30.0)]
    clusters = learnt(parties)
    for each in parties:
        assert set(each.labels) <= set(clusters.node_labels)
    assert not set(parties[0].labels) & set(parties[1].labels)


def test_names_of_what_is_gone_are_never_given_again():
    parties = [party("a", 0.0), party("b", 30.0)]
    clusters = learnt(parties)
    gone, stays = set(parties[1].labels), set(parties[0].labels)
    clusters.rebuild(parties[:1])
    assert gone <= set(clusters.succession.deaths)
    clusters.rebuild([parties[0], party("c", -30.0)])
    assert not gone & set(clusters.node_labels)
    assert stays & set(clusters.node_labels)


def test_nothing_is_left_where_nobody_has_nodes():
    clusters = learnt([party("a", 0.0)])
    clusters.rebuild([Received(np.empty((0, 2)))])
    assert clusters.n_clusters == clusters.network.n_nodes == 0


def test_names_go_on_from_a_state():
    parties = [party("a", 0.0), party("b", 30.0)]
    clusters = learnt(parties)
    again = LastingClusters(Panel(2, find_profile("reference")))
    again.restore(clusters.state())
    late = party("c", -30.0)
    for each in (clusters, again):
        each.panel.learn([late.nodes], [late.counts])
        each.name(deepcopy([*parties, late]))
    assert again.succession == clusters.succession
    assert again.succession.births

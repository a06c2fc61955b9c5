import numpy as np
import pytest

from consilience.continual.analyst import Analyst
from consilience.continual.party import Party
from consilience.exceptions import MessageError, StudyError
from consilience.messages import Failure

CENTRES = {"a": [0, 0], "b": [30, 0], "c": [0, 30]}


def rows(name, seed, n=400):
    rng = np.random.default_rng([seed, ord(name)])
    return rng.normal(size=(n, 2)) + CENTRES[name]


def study(names="ab", rounds=1, **options):
    analyst = Analyst(list(names), 2, **options)
    parties = {name: Party(name, 2) for name in names}
    for number in range(rounds):
        play(analyst, parties, number)
    return analyst, parties


def play(analyst, parties, number):
    for name, party in parties.items():
        for message in party.begin(rows(name, number)):
            assert analyst.receive(message) == []
    for answer in analyst.solve():
        parties[answer.recipient].receive(answer)


def main_cluster(party, name):
    labels = party.label(rows(name, 99))
    return int(np.bincount(labels).argmax())


def test_parties_apart_get_clusters_of_their_own():
    _, parties = study("abc", answer="nodes")
    assert len({main_cluster(parties[name], name) for name in "abc"}) == 3


def test_names_of_clusters_last_from_round_to_round():
    analyst, parties = study("abc", answer="nodes")
    names = {name: main_cluster(parties[name], name) for name in "abc"}
    for number in range(1, 4):
        play(analyst, parties, number)
        assert {name: main_cluster(parties[name], name) for name in "abc"} == names
    assert analyst.rounds == 4


def test_window_that_arrives_twice_counts_once():
    analyst, parties = study("a")
    seen = analyst.network.n_seen
    (message,) = parties["a"].begin(rows("a", 1))
    analyst.receive(message)
    analyst.receive(message)
    analyst.solve()
    analyst.receive(message)
    assert analyst.network.n_seen == seen + len(message.nodes)
    assert analyst.waiting == []
    with pytest.raises(MessageError, match="nothing to merge"):
        analyst.solve()


def test_window_again_with_other_nodes_is_refused():
    analyst, _ = study("a")
    (forged,) = Party("a", 2).begin(rows("a", 5))
    with pytest.raises(MessageError, match="window 0 again with other nodes"):
        analyst.receive(forged)


def test_window_out_of_order_is_refused():
    analyst, parties = study("a")
    parties["a"].begin(rows("a", 1))
    (late,) = parties["a"].begin(rows("a", 2))
    with pytest.raises(MessageError, match="window 2, but window 1 has not arrived"):
        analyst.receive(late)


def test_second_window_waits_until_the_first_is_merged():
    analyst, parties = study("a")
    analyst.receive(*parties["a"].begin(rows("a", 1)))
    with pytest.raises(MessageError, match="Conclude the round first"):
        analyst.receive(*parties["a"].begin(rows("a", 2)))


def test_order_of_arrival_does_not_matter():
    results = []
    for order in ("ab", "ba"):
        analyst = Analyst(["a", "b"], 2)
        for name in order:
            analyst.receive(*Party(name, 2).begin(rows(name, 0)))
        analyst.solve()
        results.append(analyst.network.positions.copy())
    np.testing.assert_array_equal(*results)


def test_party_may_join_later():
    analyst, parties = study("ab", answer="nodes")
    late = Party("c", 2)
    (update,) = late.begin(rows("c", 0))
    with pytest.raises(MessageError, match="'c' does not take part"):
        analyst.receive(update)
    analyst.join("c")
    analyst.receive(update)
    for answer in analyst.solve():
        {**parties, "c": late}[answer.recipient].receive(answer)
    assert main_cluster(late, "c") in analyst.clusters.succession.births
    with pytest.raises(StudyError, match="takes part already"):
        analyst.join("c")


def test_party_may_leave_and_what_was_learnt_stays():
    analyst, _ = study("ab")
    before = analyst.network.positions.copy()
    analyst.leave("b")
    assert list(analyst.received) == ["a"]
    np.testing.assert_array_equal(before, analyst.network.positions)


def test_party_may_withdraw_what_it_sent():
    analyst, parties = study("abc", answer="nodes")
    gone = main_cluster(parties["b"], "b")
    analyst.leave("b", withdraw=True)
    assert (analyst.network.positions[:, 0] < 20).all()
    assert gone in analyst.clusters.succession.deaths
    analyst.leave("c", withdraw=True)
    with pytest.raises(StudyError, match="the only party"):
        analyst.leave("a", withdraw=True)


def test_restored_analyst_goes_on_as_if_nothing_had_happened():
    through, _ = study("ab", rounds=2)
    first, others = study("ab")
    first.receive(*others["a"].begin(rows("a", 1)))
    again = Analyst([], 2)
    again.restore(first.state())
    assert again.waiting == ["a"]
    again.receive(*others["b"].begin(rows("b", 1)))
    again.solve()
    np.testing.assert_array_equal(through.network.positions, again.network.positions)
    np.testing.assert_array_equal(through.clusters.node_labels, again.clusters.node_labels)
    with pytest.raises(StudyError, match="has 2 features"):
        Analyst([], 3).restore(first.state())


def test_only_labels_of_own_nodes_leave_by_default():
    analyst, _ = study("ab")
    for answer in analyst.answers():
        assert answer.nodes is None
        assert answer.node_labels is None


def test_tiny_clusters_are_absorbed_if_asked():
    plain, _ = study("abc")
    tidy, _ = study("abc", min_cluster_size=10)
    assert 1 <= tidy.clusters.n_clusters <= plain.clusters.n_clusters
    won = [
        tidy.network.counts[: tidy.network.n_nodes][tidy.clusters.node_labels == k].sum()
        for k in np.unique(tidy.clusters.node_labels)
    ]
    assert min(won) >= 10


def test_messages_that_do_not_belong_here_are_refused():
    analyst = Analyst(["a"], 2, study="abc")
    with pytest.raises(MessageError, match="this one is 'abc'"):
        analyst.receive(*Party("a", 2).begin(rows("a", 0)))
    with pytest.raises(MessageError, match="cannot use a Failure"):
        analyst.receive(Failure(study="abc", sender="a", recipient="analyst", reason="no"))
    with pytest.raises(MessageError, match="3 features, the study has 2"):
        analyst.receive(*Party("a", 3, study="abc").begin(np.ones((5, 3))))
    with pytest.raises(ValueError, match="answer == 'all'"):
        Analyst(["a"], 2, answer="all")


def test_window_without_nodes_is_merged_without_harm():
    analyst, parties = study("a")
    (update,) = parties["a"].begin(np.empty((0, 2)))
    assert len(update.nodes) == 0
    analyst.receive(update)
    assert len(analyst.solve()) == 1


def test_first_round_needs_a_node():
    analyst = Analyst(["a"], 2)
    analyst.receive(*Party("a", 2).begin(np.empty((0, 2))))
    with pytest.raises(MessageError, match="no party has sent a node"):
        analyst.solve()

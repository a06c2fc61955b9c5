from dataclasses import replace

import numpy as np
import pytest

from consilience.continual.party import Party
from consilience.exceptions import BudgetError, MessageError, StudyError
from consilience.messages import ClusterUpdate, Failure
from consilience.privacy.accountant import Accountant
from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise
from consilience.study.secrets import PrivateFolder


def window(seed, n=60):
    return np.random.default_rng(seed).normal(size=(n, 2))


def answer(party, **more):
    ids = party.network.ids[: party.network.n_nodes].copy()
    fields = {"window": 0, "ids": ids, "labels": ids % 2, "n_clusters": 2, **more}
    return ClusterUpdate(study="", sender="analyst", recipient=party.name, **fields)


def test_only_new_and_moved_nodes_are_sent_again():
    party = Party("a", 2)
    (first,) = party.begin(window(0, 300))
    before = party.network.positions.copy()
    (second,) = party.begin(window(1, 5))
    unchanged = np.flatnonzero((party.network.positions[: len(before)] == before).all(axis=1))
    assert not np.isin(unchanged, second.ids).any()
    assert len(second.nodes) <= 10 < len(first.nodes)


def test_all_nodes_are_sent_again_if_the_study_wants_it():
    party = Party("a", 2, resend="all")
    party.begin(window(0))
    (again,) = party.begin(window(1, 5))
    assert len(again.nodes) == party.network.n_nodes


def test_window_twice_is_answered_with_the_same_message_and_learnt_once():
    party = Party("a", 2)
    (first,) = party.begin(window(0), window=0)
    (again,) = party.begin(window(0), window=0)
    assert again is first
    assert party.network.n_seen == 60


def test_window_twice_with_other_rows_is_refused():
    party = Party("a", 2)
    party.begin(window(0), window=0)
    with pytest.raises(StudyError, match="learnt window 0 already, from other rows"):
        party.begin(window(1), window=0)


@pytest.mark.parametrize("number", [2, 5])
def test_window_out_of_order_is_refused(number):
    party = Party("a", 2)
    party.begin(window(0))
    with pytest.raises(StudyError, match=f"window {number}, but the next one is 1"):
        party.begin(window(1), window=number)


def test_crash_between_two_windows_loses_and_repeats_nothing():
    through, first = Party("a", 2), Party("a", 2)
    for seed in range(3):
        (expected,) = through.begin(window(seed))
    for seed in range(2):
        first.begin(window(seed), window=seed)
    again = Party("a", 2)
    again.restore(first.state())
    (repeated,) = again.begin(window(1), window=1)
    assert repeated.window == 1
    (update,) = again.begin(window(2), window=2)
    np.testing.assert_array_equal(update.nodes, expected.nodes)
    np.testing.assert_array_equal(update.ids, expected.ids)


def test_noise_is_charged_for_every_window_and_refused_beyond_the_budget():
    noise = LaplaceNoise([-5, -5], [5, 5], epsilon=10.0, insecure_seed=0)
    party = Party("a", 2, noise=noise, budget=Budget(limit=20.0))
    party.begin(window(0))
    party.begin(window(1))
    seen = party.network.n_seen
    with pytest.raises(BudgetError, match="window 2 costs epsilon"):
        party.begin(window(2))
    assert party.network.n_seen == seen


def test_budget_spent_survives_a_restart():
    noise = LaplaceNoise([-5, -5], [5, 5], epsilon=10.0, insecure_seed=0)
    party = Party("a", 2, noise=noise, budget=Budget(limit=15.0))
    party.begin(window(0))
    again = Party("a", 2, noise=noise, budget=Budget(limit=15.0))
    again.restore(party.state())
    assert again.budget.spent == 10.0
    assert again.budget.insecure
    with pytest.raises(BudgetError):
        again.begin(window(1))


def test_no_row_leaves_with_noise():
    noise = LaplaceNoise([-5, -5], [5, 5], epsilon=100.0, insecure_seed=0)
    X = window(0)
    (update,) = Party("a", 2, noise=noise).begin(X)
    assert not np.isin(update.nodes, X).any()


def test_bounds_of_another_width_are_refused():
    with pytest.raises(StudyError, match="bounds for 1"):
        Party("a", 2, noise=LaplaceNoise([0], [1], 1.0))


def test_rows_are_labelled_by_the_own_nodes_if_nothing_else_is_told():
    party = Party("a", 2)
    X = window(0, 9)  # every row is a node
    party.begin(X)
    party.receive(answer(party))
    assert party.label(X).tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0]


def test_rows_are_labelled_by_the_nodes_of_the_analyst_if_they_are_told():
    party = Party("a", 2)
    party.begin(window(0))
    nodes = np.array([[-9.0, 0.0], [9.0, 0.0]])
    party.receive(answer(party, nodes=nodes, node_labels=np.array([7, 8]), bandwidth=5.0))
    assert party.label(np.array([[-1.0, 0.0], [2.0, 0.0]])).tolist() == [7, 8]


def test_answers_that_do_not_belong_here_are_refused():
    party = Party("a", 2, study="abc")
    with pytest.raises(MessageError, match="takes part in 'abc'"):
        party.receive(answer(party))
    party = Party("a", 2)
    with pytest.raises(MessageError, match="refused: no"):
        party.receive(Failure(study="", sender="analyst", recipient="a", reason="no"))
    with pytest.raises(MessageError, match="cannot use a NodeUpdate"):
        party.receive(party.begin(window(0))[0])
    nodes = {"nodes": np.zeros((1, 3)), "node_labels": np.zeros(1, np.int64), "bandwidth": 1.0}
    with pytest.raises(MessageError, match="3 features, its own have 2"):
        party.receive(answer(party, **nodes))
    with pytest.raises(MessageError, match="no answer yet"):
        party.label(window(0))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sender": "b"}, "answer of 'b' to 'a'"),
        ({"recipient": "b"}, "answer of 'analyst' to 'b'"),
        ({"ids": np.array([0, 60])}, "2 nodes, 1 of them"),
        ({"ids": np.array([0, 0])}, "stand once"),
        ({"labels": np.array([0, -1])}, "none of them below 0"),
        ({"n_clusters": 1}, "at most the 1 there are"),
        ({"n_clusters": 2**40}, "at most 4096, the nodes that the analyst may have"),
        ({"window": 2}, "round 3, but has had that of round 4"),
    ],
)
def test_answer_that_does_not_go_with_what_was_sent_is_refused(change, reason):
    party = Party("a", 2)
    party.begin(window(0))
    two = {"ids": np.array([0, 1]), "labels": np.array([0, 1])}
    party.receive(answer(party, window=3, **two))
    again = Party("a", 2)
    again.restore(party.state())
    with pytest.raises(MessageError, match=reason):
        again.receive(replace(answer(party, window=3, **two), **change))


def test_nodes_that_were_forgotten_are_neither_sent_again_nor_taken_for_strange():
    party = Party("a", 2, max_nodes=16)
    (first,) = party.begin(window(0))
    (second,) = party.begin(window(1, 1700) + 100.0)
    held = party.network.ids[: party.network.n_nodes]
    gone = first.ids[~np.isin(first.ids, held)]
    assert gone.size
    assert set(second.ids.tolist()) <= set(held.tolist())
    party.receive(answer(party, ids=gone, labels=gone * 0))
    with pytest.raises(MessageError, match="has forgotten all nodes"):
        party.label(window(1))
    (third,) = party.begin(window(1, 1) + 100.0)
    assert 0 < len(third.ids) <= 2


def test_state_tells_no_guess_of_the_rows_from_the_rows():
    party, numbered, again = (Party("a", 2) for _ in range(3))
    party.begin(window(0))
    assert party.state()["digest"] == ""  # nothing is kept of rows without a number
    numbered.begin(window(0), window=0)
    again.begin(window(0), window=0)
    assert numbered.state()["digest"] != again.state()["digest"]


def test_an_account_that_outlives_the_party_is_not_part_of_its_state(tmp_path):
    pytest.importorskip("opendp")
    noise = LaplaceNoise([-5, -5], [5, 5], epsilon=10.0)
    account = Accountant(PrivateFolder(tmp_path), limit=15.0)
    (first,) = Party("a", 2, noise=noise, budget=account).begin(window(0), window=0)
    (again,) = Party("a", 2, noise=noise, budget=account).begin(window(0), window=0)
    np.testing.assert_array_equal(first.nodes, again.nodes)
    fresh = Party("a", 2, noise=noise, budget=account)
    assert fresh.state()["charges"] == []
    fresh.restore(fresh.state())
    with pytest.raises(BudgetError):
        fresh.begin(window(1))


def test_state_of_another_party_is_refused():
    with pytest.raises(StudyError, match="b was given the state of a"):
        Party("b", 2).restore(Party("a", 2).state())
    with pytest.raises(StudyError, match="has 2 features, the study has 3"):
        Party("a", 3).restore(Party("a", 2).state())


def test_unknown_resend_policy_is_refused():
    with pytest.raises(ValueError, match="resend == 'some'"):
        Party("a", 2, resend="some")

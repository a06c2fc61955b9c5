import numpy as np
import pytest

from consilience.by_files import Letter
from consilience.continual.by_files import audit, read, send, solve
from consilience.exceptions import BudgetError, BundleError, MessageError, StudyError
from consilience.privacy.accountant import Accountant


@pytest.fixture
def stream(new_case):
    """Two hospitals with a stream of the same columns."""
    return new_case(columns=("lab",), stream={"profile": "reference"})


def leave(case, party, window=0):
    leaving = send(case.participant(party), case.source(party), window=window)
    (letter,) = leaving.letters
    leaving.keep(case.send(letter.message, case.folder / letter.file))
    return letter


def test_nodes_become_answers_and_answers_clusters_of_rows(stream):
    letters = [leave(stream, party) for party in stream.parties]
    solution = solve(stream.participant("analyst"), letters)
    assert solution.summary["round"] == 1
    assert [letter.message.recipient for letter in solution.answers] == stream.parties
    outcome = read(stream.participant("a/lab"), solution.answers[:1], stream.source("a/lab"))
    assert len(outcome.table) == len(stream.tables["a/lab"])
    assert outcome.table["cluster"].notna().all()


def test_nothing_is_kept_before_it_has_left(stream):
    send(stream.participant("a/lab"), stream.source("a/lab"), window=0)
    assert not (stream.private("a/lab").path / "stream.state").exists()
    letter = leave(stream, "a/lab")
    solve(stream.participant("analyst"), [letter])
    assert not (stream.private("analyst").path / "stream.state").exists()


def spent(case, party="a/lab"):
    return Accountant(case.private(party)).spent


@pytest.fixture
def noisy(new_case):
    """Two hospitals with noise of epsilon 10 in every window, and a budget for two of them."""
    pytest.importorskip("opendp")
    terms = {"profile": "reference", "epsilon": 10.0, "budget": 25.0}
    return new_case(columns=("lab",), stream=terms)


def nodes_of(case, window=0):
    leaving = send(case.participant("a/lab"), case.source("a/lab"), window=window)
    return leaving.letters[0].message.nodes


def test_a_draw_that_is_shown_and_declined_is_paid_for_and_shown_again(noisy):
    shown = [nodes_of(noisy) for _ in range(4)]  # declined, or written to four folders
    for again in shown[1:]:
        np.testing.assert_array_equal(again, shown[0])
    assert spent(noisy) == 10.0


def test_neither_a_new_state_nor_a_changed_term_gives_anything_back(noisy):
    leave(noisy, "a/lab")
    (noisy.private("a/lab").path / "stream.state").unlink()
    first = nodes_of(noisy)  # the same window once more: the same draw
    assert spent(noisy) == 10.0
    noisy.terms["stream"]["epsilon"] = 11.0
    assert len(nodes_of(noisy)) != 0 != len(first)
    assert spent(noisy) == 21.0
    noisy.terms["stream"]["epsilon"] = 4.5
    with pytest.raises(BudgetError, match=r"21\.0 of 25\.0 is spent"):
        nodes_of(noisy)
    assert spent(noisy) == 21.0


def test_other_rows_under_the_number_of_a_window_are_another_draw(noisy):
    nodes_of(noisy)
    noisy.tables["a/lab"] = noisy.tables["a/lab"].iloc[1:]
    noisy.save_tables()
    nodes_of(noisy)
    assert spent(noisy) == 20.0


def test_what_windows_of_an_earlier_version_spent_still_counts(noisy):
    ledger = noisy.private("a/lab").ledger
    for total in (10.0, 20.0):  # that version noted the sum of its study
        ledger.add("window", study="before", spent=total)
    assert spent(noisy) == 20.0
    with pytest.raises(BudgetError, match=r"20\.0 of 25\.0 is spent"):
        nodes_of(noisy)


def test_windows_are_merged_in_their_order_and_once(stream):
    letters = [leave(stream, "a/lab", window) for window in (0, 1, 2)]
    analyst = stream.participant("analyst")
    solution = solve(analyst, letters[::-1])
    assert solution.summary["round"] == 3
    solution.keep()
    assert solve(analyst, letters[2:]).summary["round"] == 3


def test_letters_of_another_kind_and_to_another_party_are_refused(stream):
    letters = [leave(stream, party) for party in stream.parties]
    answers = solve(stream.participant("analyst"), letters).answers
    with pytest.raises(BundleError, match="no nodes"):
        solve(stream.participant("analyst"), answers)
    me, source = stream.participant("a/lab"), stream.source("a/lab")
    with pytest.raises(BundleError, match="no clusters"):
        read(me, letters, source)
    with pytest.raises(MessageError, match="of 'analyst' to 'b/lab'"):
        read(me, answers[1:], source)
    stranger = Letter(letters[0].message, "", "x")
    object.__setattr__(stranger.message, "sender", "c/lab")
    with pytest.raises(MessageError, match="'c/lab' does not take part"):
        solve(stream.participant("analyst"), [stranger])


def test_audit_has_no_frontier_and_no_limit_on_what_is_rebuilt(stream):
    source = stream.source("a/lab")
    with pytest.raises(StudyError, match="has no frontier"):
        audit(stream.study, "a/lab", source, frontier=True)
    assert not audit(stream.study, "a/lab", source, seed=0).refusal
    stream.terms["max_reconstruction"] = 0.5
    assert "Leave it out" in audit(stream.study, "a/lab", source, seed=0).refusal


def test_who_withdraws_leaves_nothing_behind_and_comes_back_no_more(stream):
    letters = [leave(stream, party) for party in stream.parties]
    analyst = stream.participant("analyst")
    solve(analyst, letters).keep()
    for _ in range(2):  # named twice it is still gone
        solution = solve(analyst, [], withdrawn=["b/lab"])
        assert [letter.message.recipient for letter in solution.answers] == ["a/lab"]
        solution.keep()
    outcome = read(stream.participant("a/lab"), solution.answers, stream.source("a/lab"))
    assert outcome.table["cluster"].notna().all()
    alone = solve(stream.participant("analyst"), [leave(stream, "a/lab", 1)])
    assert alone.summary["round"] == 2
    with pytest.raises(MessageError, match="'b/lab' does not take part"):
        solve(analyst, [leave(stream, "b/lab", 1)])
    with pytest.raises(StudyError, match="not a party of the study"):
        solve(analyst, [], withdrawn=["c/lab"])

from dataclasses import replace

import numpy as np
import pytest

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.party import Party
from consilience.exceptions import MessageError
from consilience.messages import Query

RNG = np.random.default_rng(0)
ANCHOR = RNG.normal(size=(40, 4))
ROWS = RNG.normal(size=(20, 4)) + np.repeat([[0.0], [9.0]], 10, axis=0)


def contributions(rows=("a", "b"), study=""):
    """Two row institutions, each with two column groups of two columns."""
    for row, part in zip(rows, (ROWS[::2], ROWS[1::2]), strict=True):
        for column, columns in (("x", [0, 1]), ("y", [2, 3])):
            party = Party(f"{row}/{column}", ANCHOR[:, columns], study=study, rng=RNG)
            yield from party.begin(part[:, columns])


def analyst(**parameters):
    return Analyst(["a", "b"], ["x", "y"], n_clusters=2, **parameters)


def test_answers_wait_for_the_last_contribution():
    role, (*early, last) = analyst(), contributions()
    assert [role.receive(message) for message in early] == [[], [], []]
    assert role.missing == ["b/y"]
    answers = role.receive(last)
    assert [a.recipient for a in answers] == ["a/x", "a/y", "b/x", "b/y"]
    labels = answers[0].labels.tolist()
    assert labels == answers[1].labels.tolist()
    assert labels in ([0] * 5 + [1] * 5, [1] * 5 + [0] * 5)


def test_order_of_arrival_does_not_matter():
    messages = list(contributions())
    one, two = analyst(), analyst()
    first = [one.receive(m) for m in messages][-1]
    second = [two.receive(m) for m in reversed(messages)][-1]
    for a, b in zip(first, second, strict=True):
        assert a.recipient == b.recipient
        np.testing.assert_array_equal(a.labels, b.labels)


def test_a_party_may_contribute_again_before_the_end():
    role, (first, *others) = analyst(), contributions()
    role.receive(first)
    role.receive(first)
    assert [role.receive(message) for message in others][-1]


def test_solving_without_a_party_of_the_grid_uses_the_columns_that_are_there():
    role, (*early, _) = analyst(), contributions()
    for message in early:
        role.receive(message)
    answers = role.solve()
    assert [a.recipient for a in answers] == ["a/x", "a/y", "b/x"]


def test_nothing_to_solve_is_said():
    with pytest.raises(MessageError, match="no contribution has arrived"):
        analyst().solve()


def test_representation_is_sent_only_if_the_study_says_so():
    plain, full = analyst(), analyst(answer="representation")
    for message in contributions():
        labels_only, both = plain.receive(message), full.receive(message)
    assert labels_only[0].representation is None
    assert labels_only[0].centers is None
    assert both[0].representation.shape == (10, 3)
    assert both[0].centers.shape == (2, 3)


def test_other_study_is_refused():
    message = next(contributions(study="x" * 64))
    with pytest.raises(MessageError, match="for study 'xxxxxxxxxxxx'"):
        analyst(study="y" * 64).receive(message)


def test_stranger_is_refused():
    message = next(contributions(rows=("zoo", "b")))
    with pytest.raises(MessageError, match="'zoo/x' is not a party"):
        analyst().receive(message)


def test_another_anchor_at_one_party_of_a_column_is_refused():
    role, (first, _, third, _) = analyst(), contributions()
    role.receive(first)
    with pytest.raises(MessageError, match=r"b/x used another anchor than \['a/x'\]"):
        role.receive(replace(third, anchor_digest="0" * 64))


def test_question_before_the_study_is_solved_is_refused():
    question = Query(study="", sender="a/x", recipient="analyst", representation=np.ones((1, 1)))
    with pytest.raises(MessageError, match="before the study was solved"):
        analyst().receive(question)


def test_rows_that_share_no_pseudonym_are_refused():
    def coded(message, code):
        codes = np.full((10, 16), code, dtype=np.uint8)
        codes[:, 0] = range(10)
        return replace(message, pseudonyms=codes)

    role = analyst()
    *early, last = (coded(m, k) for k, m in enumerate(contributions()))
    for message in early:
        role.receive(message)
    with pytest.raises(MessageError, match="no row is shared by all columns"):
        role.receive(last)

"""What every analyst does first: whom it takes contributions from, and how rows are aligned."""

from dataclasses import replace

import numpy as np
import pytest

from consilience.collaboration import gathering
from consilience.collaboration.gathering import Gathering
from consilience.collaboration.party import Party
from consilience.exceptions import MessageError
from consilience.messages import Failure

RNG = np.random.default_rng(0)
ANCHOR, ROWS = RNG.normal(size=(40, 4)), RNG.normal(size=(12, 4))
CODES = np.arange(12, dtype=np.uint8)[:, None] * np.ones(16, dtype=np.uint8)


class Silent(Gathering):
    """A gathering that learns nothing and answers nobody."""

    def _look(self, received):
        self.seen = {row: [c.sender for c in sent] for row, sent in received.items()}

    def _learn(self):
        pass

    def _answer_rows(self, row, senders, inside):
        return []

    def _answer_query(self, senders, join, X):
        return []


def contributions(n_components=2):
    """One row institution with two column groups, all dimensions kept: maps are invertible."""
    for column, columns in (("x", [0, 1]), ("y", [2, 3])):
        party = Party(f"a/{column}", ANCHOR[:, columns], n_components=n_components, rng=RNG)
        yield from party.begin(ROWS[:, columns], CODES)


def gathered(messages, **settings):
    role = Silent(["a"], ["x", "y"], **settings)
    for message in messages:
        role.receive(message)
    return role


def test_with_invertible_maps_the_representation_is_the_table_up_to_one_linear_map():
    role = gathered(contributions())
    Z = np.hstack([role.representation, np.ones((12, 1))])
    solution = np.linalg.lstsq(Z, ROWS, rcond=None)[0]
    np.testing.assert_allclose(Z @ solution, ROWS, atol=1e-9)
    assert role.seen == {"a": ["a/x", "a/y"]}


def test_rows_are_mapped_a_block_at_a_time(monkeypatch):
    messages = list(contributions())
    whole = gathered(messages).representation
    monkeypatch.setattr(gathering, "BLOCK_ROWS", 5)
    np.testing.assert_allclose(gathered(messages).representation, whole)


def test_contributions_are_let_go_once_they_are_aligned():
    role = gathered(contributions())
    assert role.missing == ["a/x", "a/y"]
    with pytest.raises(MessageError, match="no contribution has arrived"):
        role.solve()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"study": "other"}, "a/y sent a Contribution for study 'other'"),
        ({"sender": "b/y"}, "'b/y' is not a party of this study"),
        ({"anchor": np.ones((7, 2))}, "sent 7 anchor rows and a/x 40"),
    ],
)
def test_what_does_not_belong_is_refused(change, reason):
    first, second = contributions()
    role = gathered([first])
    with pytest.raises(MessageError, match=reason):
        role.receive(replace(second, **change))


def test_another_width_than_agreed_is_refused():
    with pytest.raises(MessageError, match="a/x sent 1 dimensions, but the study says 2"):
        gathered(contributions(1), n_components={"x": 2, "y": 2})


def test_other_messages_are_of_no_use_here():
    message = Failure(study="", sender="a/x", recipient="analyst", reason="none")
    with pytest.raises(MessageError, match="cannot use a Failure"):
        Silent(["a"], ["x"]).receive(message)


def test_rows_that_no_party_shares_cannot_be_estimated():
    first, second = contributions()
    elsewhere = replace(second, pseudonyms=CODES + np.uint8(100))
    with pytest.raises(MessageError, match="no row of 'a' is at all of its parties"):
        gathered([first, elsewhere], unmatched="keep")

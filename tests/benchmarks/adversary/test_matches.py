"""The campaign against matches of ids: nothing is found here, and what is wrong is found."""

import pytest

pytest.importorskip("rbcl")

from benchmarks.adversary import matches
from consilience.psi import holder
from consilience.psi.group import quotient, random_scalar


def found():
    return [tried.failures for tried in matches.attempt(0.02, 1)]


def test_a_share_of_it_finds_nothing():
    assert found() == [0] * 5


def test_holders_who_check_nothing_are_told(monkeypatch):
    monkeypatch.setattr(holder.Holder, "_check", lambda self, message: sets_of(self, message))
    no_point, miscounted, misplaced, replayed, _ = found()
    assert not no_point  # the group refuses
    assert miscounted
    assert misplaced
    assert not replayed  # what was heard before is known


def sets_of(one, message):
    owners = one.ring.sets(message.letter)
    ends = message.counts.cumsum()
    bounds = zip([0, *ends[:-1]], ends, strict=True)
    return {who: message.points[a:b] for who, (a, b) in zip(owners, bounds, strict=False)}


def test_secrets_that_are_none_are_told(monkeypatch):
    one = random_scalar()
    monkeypatch.setattr(holder, "random_scalar", lambda: quotient(one, one))
    assert found()[-1]

"""What a holder has yet to do in a match, from the letters that arrived and what lies there."""

import pytest

from consilience.cli.shared.match_letters import match_ids, to_be_done
from consilience.cli.shared.sending import Consent
from consilience.psi.waiting import awaited_match

YES = Consent(yes=True)


@pytest.fixture
def town(new_case):
    return new_case(ids={"match": "psi"})


def step(case, party, *arrived):
    """Let a holder do what is to be done; return the letters for the next one."""
    me, out = case.participant(party), case.folder / party.replace("/", ".")
    lacking = to_be_done(me, arrived, out)
    if lacking is None:
        return None
    return match_ids(me, case.source(party), lacking, out, YES)


def awaited(case, party):
    return awaited_match(case.study, party, case.private(party))


def test_each_step_is_done_once_and_said_when_it_is_not_there(town):
    lab, life = "a/lab", "a/life"
    assert awaited(town, lab) == "ids that a/life passes on"
    [first] = step(town, lab)
    assert step(town, lab) is None
    one = town.letter(life, first)
    [second] = step(town, life, one)
    assert step(town, life, one) is None
    two = town.letter(lab, second)
    [third] = step(town, lab, two)
    assert awaited(town, lab) == ""
    assert awaited(town, life) == "ids that a/lab passes on"
    three = town.letter(life, third)
    assert step(town, life, one, three) == []
    assert awaited(town, life) == ""
    assert step(town, life, one, three) is None
    second.unlink()  # as if its answer had been kept and had not appeared
    [again] = step(town, life, one, three)
    assert (town.letter(lab, again).message.points == two.message.points).all()


def test_who_waits_does_nothing(town):
    assert step(town, "a/life") is None
    assert not (town.folder / "a.life").exists()

"""Links to the study's page: whose they are, and for how long."""

import pytest

from consilience.carriers.letter_box.guard import Guard, RefusedError
from consilience.carriers.letter_box.links import HOURS, read_link, sign_link
from consilience.carriers.letter_box.signatures import Challenge
from consilience.study.identity import Identity

ALICE, MALLORY = Identity.new("a/lab"), Identity.new("m/lab")


class Clock:
    now = 1_700_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def guard(clock):
    return Guard({"a/lab": ALICE.public}, clock)


def test_a_link_is_good_for_some_hours(guard, clock):
    link = sign_link(ALICE, guard.challenge)
    assert guard.admit(link) == "a/lab"
    clock.now += HOURS * 3600 - 1
    assert guard.admit(link) == "a/lab"
    clock.now += 2
    with pytest.raises(RefusedError, match="too old"):
        guard.admit(link)


def test_nobody_gives_himself_more_time_or_another_server(guard, clock):
    longer = Challenge(guard.challenge.box, guard.challenge.now + 10**6)
    elsewhere = Guard({"a/lab": ALICE.public}, clock).challenge
    for challenge in (longer, elsewhere):
        with pytest.raises(RefusedError) as refused:
            guard.admit(sign_link(ALICE, challenge))
        assert refused.value.status == 401


def test_a_link_of_a_stranger_or_a_changed_one_opens_nothing(guard):
    link = sign_link(ALICE, guard.challenge)
    key, until, signature = link.split(".")
    others = [
        sign_link(MALLORY, guard.challenge),
        f"{key}.{int(until) - 1}.{signature}",
        f"{MALLORY.public.sign}.{until}.{signature}",
        f"{key}.{until}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}",
        f"{key}.{until}.{signature[:-1]}B",
        link[:-1],
        "",
        "x" * 5000,
    ]
    for other in others:
        with pytest.raises(RefusedError):
            guard.admit(other)
    assert read_link(link[:-1]) is None


def test_a_link_is_no_request(guard):
    """What was signed for a page can be used for nothing else."""
    link = read_link(sign_link(ALICE, guard.challenge))
    assert link.covered(guard.challenge.box).startswith(b"consilience page\n")

import pytest

from consilience.consensus.protocol.log import Log
from consilience.consensus.protocol.mailbox import Outbox
from consilience.consensus.protocol.manners import MAX_REFUSALS, MAX_REJOINS, Manners
from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import MessageError
from consilience.messages import Farewell, Rejoin

NAMES = ("a", "b")
HEADER = {"study": "s", "sender": "b", "recipient": "a", "attempt": 0}


@pytest.fixture
def manners():
    outbox = Outbox(Membership("a", NAMES), "s")
    outbox.say(Farewell, 1)
    return Manners("s", outbox, Log())


def test_who_asks_for_ever_is_answered_so_often_and_after_a_step_again(manners):
    ask = Rejoin(**HEADER, iteration=1)
    assert sum(len(manners.repeat(ask)) for _ in range(1000)) == MAX_REJOINS
    manners.renew()
    assert len(manners.repeat(ask)) == 1


def test_who_breaks_rules_for_ever_is_told_so_often(manners):
    told = [manners.refuse(Farewell(**HEADER, iteration=1), "no") for _ in range(1000)]
    assert sum(map(len, told)) == MAX_REFUSALS


def test_a_peer_of_another_study_is_named_until_it_comes_with_the_right_one(manners):
    with pytest.raises(MessageError, match="'b' takes part in another study, 't'; yours is 's'"):
        manners.check_study(Farewell(**{**HEADER, "study": "t"}, iteration=1), NAMES)
    assert manners.describe(("b",)) == "b, which takes part in another study"
    manners.check_study(Farewell(**HEADER, iteration=1), NAMES)
    assert manners.describe(("b",)) == "b"


def test_a_stranger_is_refused_and_not_noted(manners):
    with pytest.raises(MessageError):
        manners.check_study(Farewell(**{**HEADER, "study": "t", "sender": "x"}, iteration=1), NAMES)
    assert not manners.strangers

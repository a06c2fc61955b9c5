from consilience.messages import Failure
from consilience.transports import deliver, overhear


class Silent:
    name = "analyst"

    def receive(self, message):
        return []


HELLO = Failure(study="", sender="clinic", recipient="analyst", reason="no rows")


def test_what_is_said_meanwhile_is_heard_and_nothing_after():
    with overhear() as heard:
        deliver([HELLO], {"analyst": Silent()})
    deliver([HELLO], {"analyst": Silent()})
    assert heard == [HELLO]


def test_the_innermost_listener_hears():
    with overhear() as outer:
        with overhear() as inner:
            deliver([HELLO], {"analyst": Silent()})
        assert inner == [HELLO]
    assert outer == []

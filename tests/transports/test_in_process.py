import pytest

from consilience.exceptions import MessageError
from consilience.messages import Failure
from consilience.transports import deliver


def say(sender, recipient, reason):
    return Failure(study="", sender=sender, recipient=recipient, reason=reason)


class Echo:
    """Answers a few times, then is silent."""

    def __init__(self, name, times):
        self.name, self.times, self.heard = name, times, []

    def receive(self, message):
        self.heard.append(message.reason)
        if len(self.heard) > self.times:
            return []
        return [say(self.name, message.sender, f"{self.name}{len(self.heard)}")]


def test_conversation_goes_on_until_nobody_answers():
    a, b = Echo("a", 2), Echo("b", 2)
    deliver([say("a", "b", "hello")], {"a": a, "b": b})
    assert b.heard == ["hello", "a1", "a2"]
    assert a.heard == ["b1", "b2"]


def test_messages_are_taken_one_at_a_time():
    made = []

    def make():
        for k in range(3):
            made.append(k)
            yield say("x", "a", str(k))

    class Checks(Echo):
        def receive(self, message):
            assert len(made) == int(message.reason) + 1
            return super().receive(message)

    deliver(make(), {"a": Checks("a", 0)})


def test_unknown_recipient_is_refused():
    with pytest.raises(
        MessageError, match=r"addressed to 'nobody', but the roles here are \['a'\]"
    ):
        deliver([say("x", "nobody", "")], {"a": Echo("a", 0)})

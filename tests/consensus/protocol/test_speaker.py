from consilience.consensus.protocol.speaker import Speaker
from consilience.messages import Failure, Rejoin

PLACE = {"iteration": 2, "attempt": 0}


def test_only_what_was_said_is_repeated_and_only_to_whom():
    speaker = Speaker("a", "s")
    speaker.tell(Rejoin, ["b", "c"], PLACE)
    assert speaker.again("b", 0) == []
    said = speaker.say(Rejoin, ["b", "c"], PLACE)
    assert speaker.again("b", 2) == said[:1]
    assert speaker.again("b", 3) == []
    speaker.forget_before(3)
    assert speaker.again("b", 0) == []


def test_a_refusal_goes_to_the_sender():
    speaker = Speaker("a", "s")
    message = Rejoin(study="s", sender="b", recipient="a", **PLACE)
    (refusal,) = speaker.refuse(message, "no")
    assert isinstance(refusal, Failure)
    assert (refusal.recipient, refusal.reason) == ("b", "no")

import pytest

from consilience.evidence.tells import TELLS
from consilience.fields import Shape, rules_of
from consilience.messages import MESSAGES


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.__name__)
def test_every_array_of_a_message_has_a_sentence_and_nothing_else_has(message):
    arrays = {name for name, rule in rules_of(message).items() if isinstance(rule.note, Shape)}
    told = TELLS.get(message.__name__, {})
    assert set(told) == arrays
    assert all(len(sentence) > 15 for sentence in told.values())

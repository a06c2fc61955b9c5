"""What the package reads: whole seeds are read, mutated ones read or refused in our words."""

import random

from benchmarks.adversary import decoders, readers
from consilience.messages import MESSAGES


def test_every_kind_of_message_is_among_the_samples():
    assert [type(message) for message in decoders.sample_messages()] == list(MESSAGES)


def test_seeds_are_read_as_they_are_and_refused_or_read_when_mutated(tmp_path):
    chance = random.Random(0)
    found = decoders.all_decoders(tmp_path)
    assert sum(decoder.tries for decoder in found) == 10**6
    for decoder in found:
        for seed in decoder.seeds:
            decoder.decode(decoder.rebuild(seed))
        assert not sum(readers._fails(decoder, chance) for _ in range(30)), decoder.name

"""The campaign against readers counts what a decoder must not do, and finds none of it here."""

import random
from dataclasses import replace

import pytest

from benchmarks.adversary import decoders, hostile_files, mutations, readers
from consilience.exceptions import MessageError
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


@pytest.mark.parametrize(("error", "failed"), [(KeyError, True), (MessageError, False)])
def test_an_error_that_is_not_ours_is_a_failure(tmp_path, error, failed):
    def decode(data):
        raise error("x")

    decoder = replace(decoders.all_decoders(tmp_path)[0], decode=decode)
    assert readers._fails(decoder, random.Random(0)) == failed


def test_mutations_differ_and_are_those_of_the_seed():
    made = [[mutations.mutate(b'{"rows": 12}', random.Random(7)) for _ in range(5)]] * 2
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("once", "twice"),
    [
        ((1000, 0, 1.0, True), (2000, 0, 4.0, True)),
        ((1000, 0, 0.0, True), (2000, 70 * 2**20, 0.0, True)),
        ((1000, 0, 0.0, False), (2000, 0, 0.0, True)),
    ],
    ids=["square of the length", "memory", "another error"],
)
def test_what_costs_too_much_is_a_failure(once, twice):
    costs = hostile_files.Cost(*once), hostile_files.Cost(*twice)
    assert readers._costs_too_much("a file", *costs)


@pytest.mark.parametrize("name", hostile_files.HOSTILE_FILES)
def test_a_hostile_file_costs_in_proportion_to_its_length(name):
    once, twice = (hostile_files.read_hostile(name, size) for size in (1, 2))
    assert not readers._costs_too_much(name, once, twice), (once, twice)

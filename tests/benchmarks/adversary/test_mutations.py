"""Bytes that are almost right: as many kinds as there are steps, and the same from one seed."""

import random

from benchmarks.adversary.mutations import HOSTILE, mutate

SEED = b'{"rows": 12, "name": "lab"}'


def test_mutations_differ_from_the_seed_and_from_each_other():
    chance = random.Random(0)
    made = [mutate(SEED, chance) for _ in range(300)]
    assert len(set(made)) > 200
    assert made.count(SEED) < 30
    assert min(map(len, made)) < len(SEED) < max(map(len, made))
    assert any(word in data for data in made for word in HOSTILE if word not in SEED)


def test_the_same_chance_makes_the_same():
    first, again = ([mutate(SEED, random.Random(7)) for _ in range(2)] for _ in range(2))
    assert first == again


def test_nothing_at_all_can_be_mutated():
    chance = random.Random(1)
    assert {bool(mutate(b"", chance)) for _ in range(50)} == {True, False}

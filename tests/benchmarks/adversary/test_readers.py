"""The campaign against readers counts what a decoder must not do, and finds none of it here."""

import random
from dataclasses import replace

import pytest

from benchmarks.adversary import decoders, hostile_files, readers
from consilience.exceptions import MessageError


@pytest.mark.parametrize(("error", "failed"), [(KeyError, True), (MessageError, False)])
def test_an_error_that_is_not_ours_is_a_failure(tmp_path, error, failed):
    def decode(data):
        raise error("x")

    decoder = replace(decoders.all_decoders(tmp_path)[0], decode=decode)
    assert readers._fails(decoder, random.Random(0)) == failed


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
    assert readers._exceeds("a file", *costs)

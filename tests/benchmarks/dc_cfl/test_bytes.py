"""The bytes of DC-CFL are those of real messages."""

import numpy as np

from benchmarks.dc_cfl.bytes import bytes_down, bytes_up
from benchmarks.dc_cfl.problems import Problem
from consilience.collaboration.learning.party import LearningParty
from consilience.transports.wire import encode

PROBLEM = Problem(
    np.zeros((4000, 6)),
    np.arange(4000) % 3,
    *([np.zeros(0)] * 4),
    0,
)


def test_bytes_up_are_those_of_a_contribution():
    rng = np.random.default_rng(0)
    party = LearningParty("a/all", rng.normal(size=(50, 6)), classes=np.arange(3), rng=rng)
    (sent,) = party.begin(rng.normal(size=(40, 6)), y=np.arange(40) % 3)
    # Names of studies and parties differ by a few letters.
    assert abs(bytes_up(PROBLEM, n_anchor=50) - len(encode(sent))) < 200


def test_most_of_a_contribution_is_the_anchor():
    more = bytes_up(PROBLEM) - bytes_up(PROBLEM, n_anchor=50)
    assert abs(more - 950 * 5 * 8) <= 16  # the header writes a longer number


def test_bytes_down_are_a_map_and_a_network():
    network = 7 * 64 + 65 * 32 + 33 * 3
    assert bytes_down(PROBLEM) == 8 * 6 * 6 + 4 * network

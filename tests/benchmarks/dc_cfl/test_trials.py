"""The bytes of DC-CFL are those of real messages, and stronger learners those of its groups."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.dc_cfl import problems, trials
from benchmarks.dc_cfl.problems import Problem
from benchmarks.dc_cfl.trials import bytes_down, bytes_up, stronger
from consilience.collaboration.learning.party import LearningParty
from consilience.transports.wire import encode

PROBLEM = Problem(np.zeros((4000, 6)), np.arange(4000) % 3, *([np.zeros(0)] * 4), 0)


def test_bytes_up_are_those_of_a_contribution_most_of_which_is_the_anchor():
    rng = np.random.default_rng(0)
    party = LearningParty("a/all", rng.normal(size=(50, 6)), classes=np.arange(3), rng=rng)
    (sent,) = party.begin(rng.normal(size=(40, 6)), y=np.arange(40) % 3)
    # Names of studies and parties differ by a few letters.
    assert abs(bytes_up(PROBLEM, n_anchor=50) - len(encode(sent))) < 200
    more = bytes_up(PROBLEM) - bytes_up(PROBLEM, n_anchor=50)
    assert abs(more - 950 * 5 * 8) <= 16  # the header writes a longer number


def test_bytes_down_are_a_map_and_a_network():
    network = 7 * 64 + 65 * 32 + 33 * 3
    assert bytes_down(PROBLEM) == 8 * 6 * 6 + 4 * network


def test_stronger_learners_are_grouped_by_the_threshold_given(save, monkeypatch):
    monkeypatch.setattr(problems, "N_PARTIES", 4)
    monkeypatch.setattr(trials, "learners", lambda: {"logistic": LogisticRegression()})
    folder = save("dry_bean", 200, 4, 4)
    one, apart = (dict(stronger("dry bean", "C=2", 0, folder, t)) for t in (1.0, 0.0))
    cell = ("Learner: logistic", "dry bean", "C=2")
    assert abs(one[*cell, "DC-CFL", "accuracy"] - one[*cell, "DC", "accuracy"]) < 0.05
    assert apart[*cell, "DC-CFL", "accuracy"] >= one[*cell, "DC", "accuracy"]

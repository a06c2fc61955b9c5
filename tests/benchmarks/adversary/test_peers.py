import numpy as np
import pytest

from benchmarks.adversary import peers
from benchmarks.adversary.peers import NAMES, Company
from consilience.consensus.protocol.commitments import Commitments


def test_what_was_lost_with_a_process_is_said_again():
    company = Company(np.random.default_rng(0))
    for name in NAMES:
        company.start(name)
    for _ in range(10):
        company.step()
    company.kill("bank")
    assert "bank" not in company.roles
    company.start("bank")
    company.run()
    assert company.labels() == peers.undisturbed(0)


@pytest.mark.parametrize(
    ("part", "attack"),
    [("hold_to", peers.withheld), ("rosters", peers.two_rosters)],
)
def test_the_attacks_succeed_where_a_remedy_is_missing(monkeypatch, part, attack):
    assert attack(0)
    missing = property(lambda book: None) if part == "rosters" else lambda book, arrays: None
    monkeypatch.setattr(Commitments, part, missing)
    assert not attack(0)

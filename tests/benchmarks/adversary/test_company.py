import numpy as np
import pytest

from benchmarks.adversary.company import LIAR, NAMES, Company, names_liar
from consilience.consensus.protocol.peer import Peer
from consilience.exceptions import PeerError


def test_what_a_killed_process_had_not_read_is_lost():
    company = Company(np.random.default_rng(0))
    for name in NAMES:
        company.start(name)
    before = sum(len(lane) for lane in company.lanes.values())
    company.kill("bank")
    assert "bank" not in company.roles
    assert sum(len(lane) for lane in company.lanes.values()) < before


class Accuser(Peer):
    def receive(self, message):
        raise PeerError("bank lies", ("bank",))


def test_what_a_liar_finds_out_ends_nothing():
    company = Company(np.random.default_rng(0), liar=Accuser)
    company.start_and_run()
    assert company.roles["bank"].waiting_for == (LIAR,)


@pytest.mark.parametrize(("peers", "named"), [((LIAR,), True), (("bank", LIAR), False)])
def test_the_liar_alone_is_to_be_named(peers, named):
    def act():
        raise PeerError("so", peers)

    assert names_liar(act) is named
    assert not names_liar(lambda: None)

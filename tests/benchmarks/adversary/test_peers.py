import numpy as np
import pytest

from benchmarks.adversary import peers
from benchmarks.adversary.company import NAMES


def test_at_every_other_table_each_peer_lacks_rows_and_all_find_the_common_ones():
    alike = [np.frombuffer(labels, dtype=np.int64) for labels in peers.undisturbed(1)]
    lacking = {name: 60 - len(held) for name, held in peers.at_table(1).held.items()}
    assert set(lacking.values()) == {3}
    assert 3 < (alike[0] == -1).sum() <= 9
    np.testing.assert_array_equal(alike[0], alike[1])
    np.testing.assert_array_equal(alike[0], alike[2])


def test_what_was_lost_with_a_process_is_said_again():
    company = peers.at_table(0)
    for name in NAMES:
        company.start(name)
    for _ in range(10):
        company.step()
    company.kill("bank")
    company.start("bank")
    company.run()
    assert company.labels() == peers.undisturbed(0)


@pytest.mark.parametrize(("what", "tries", "holds"), peers.CAMPAIGN)
def test_every_kind_of_attempt_fails_once(what, tries, holds):
    assert holds(0), what


def test_attempts_can_be_run_one_by_one():
    (tried,) = peers.attempt(0.01, 0, "two rosters")
    assert (tried.tries, tried.failures) == (1, 0)

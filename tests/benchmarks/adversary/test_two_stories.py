import pytest

from benchmarks.adversary import two_stories
from consilience.consensus.protocol import meeting
from consilience.consensus.protocol.hearsay import Hearsay


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "lie", [two_stories.two_rosters, two_stories.two_words, two_stories.claimed_difference]
)
def test_lies_succeed_where_nobody_compares_what_was_heard(monkeypatch, lie, seed):
    assert lie(seed)
    monkeypatch.setattr(Hearsay, "agrees", lambda hearsay, message: True)
    assert not lie(seed)


@pytest.mark.parametrize("lie", [two_stories.other_rows, two_stories.huge_roster])
def test_other_rows_succeed_where_nobody_compares_them_with_the_digest(monkeypatch, lie):
    assert lie(0)
    monkeypatch.setattr(meeting, "digest_of", lambda rows: two_stories.np.zeros(32, dtype="u1"))
    assert not lie(0)

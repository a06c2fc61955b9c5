from benchmarks.adversary import adapted_words
from consilience.consensus.protocol import deliberation
from consilience.consensus.protocol.commitments import Commitments


def test_copies_succeed_where_promises_do_not_outlive_a_restart(monkeypatch):
    assert adapted_words.withheld(0)
    monkeypatch.setattr(Commitments, "hold_to", lambda book, arrays: None)
    assert not adapted_words.withheld(0)


def test_pairs_succeed_where_company_is_not_asked_for(monkeypatch):
    assert adapted_words.pairs(0)
    monkeypatch.setattr(deliberation, "MIN_COMPANY", 0.0)
    monkeypatch.setattr(deliberation, "MIN_TOGETHER", 0.0)
    assert not adapted_words.pairs(0)

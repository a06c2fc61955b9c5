import pytest

from benchmarks.adversary import evidence
from benchmarks.adversary.run import CAMPAIGNS, run_campaign
from consilience.study.envelope import Envelope


def test_nothing_forged_is_believed():
    assert "evidence" in CAMPAIGNS
    tried = run_campaign("evidence", share=0.01, seed=1)
    assert [(one.tries, one.failures) for one in tried] == [(200, 0), (20, 0), (20, 0), (20, 0)]


def test_a_forgery_that_is_believed_would_be_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Envelope, "is_signed_by", lambda self, keys: True)
    assert run_campaign("evidence", share=0.01, seed=1)[0].failures > 0
    assert evidence.N_TRIES >= 10_000

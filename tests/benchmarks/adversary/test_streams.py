import pytest

from benchmarks.adversary.streams import FORGERIES, attempt
from consilience.continual.party import Party
from consilience.privacy.accountant import Accountant


def test_a_hundredth_of_the_campaign_finds_nothing():
    pytest.importorskip("opendp")
    tried = list(attempt(share=0.01, seed=0))
    assert len(tried) == 4
    assert [t.failures for t in tried] == [0, 0, 0, 0]
    assert tried[0].tries >= len(FORGERIES)


def test_the_campaign_finds_a_party_that_checks_nothing(monkeypatch):
    monkeypatch.setattr(Party, "_check", lambda self, answer: None)
    assert next(attempt(share=0.01, seed=0)).failures > 0


def test_the_campaign_finds_draws_that_are_not_kept(monkeypatch):
    pytest.importorskip("opendp")
    monkeypatch.setattr(Accountant, "draw", lambda self, X, noise, purpose: noise.apply(X))
    tried = list(attempt(share=0.01, seed=0))
    assert tried[2].failures > 0
    assert tried[3].failures > 0

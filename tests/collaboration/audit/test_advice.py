from consilience.collaboration.audit.advice import advise
from consilience.collaboration.audit.scene import Setting
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.finding import Estimate, Finding


def audit_of(r2):
    value = Estimate(r2, r2, r2)
    return Audit((Finding("collusion", "who", "what", median_r2=value, top1=value),), {}, 100, 8)


def test_fewer_dimensions_are_advised_with_what_they_would_leave():
    advice = advise(audit_of(0.95), Setting(), lambda t: t.n_components / 10).advice
    assert advice[0].startswith("Lower n_components: with 7")
    assert "3 give 0.30 and 1 give 0.10" in advice[0]


def test_nothing_is_advised_where_nothing_is_rebuilt():
    assert advise(audit_of(0.1), Setting(), lambda t: 0.0).advice == ()


def test_one_dimension_cannot_become_fewer():
    advice = advise(audit_of(0.95), Setting(n_components=1), lambda t: 0.0).advice
    assert "cannot send less" in advice[0]


def test_unshuffled_rows_are_advised_against():
    advice = advise(audit_of(0.1), Setting(shuffled=False), lambda t: 0.0).advice
    assert advice == ("Shuffle the rows before they leave: their order alone names them.",)

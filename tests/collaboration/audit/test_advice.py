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
    assert advise(audit_of(0.05), Setting(), lambda t: 0.0).advice == ()


def test_one_dimension_cannot_become_fewer():
    advice = advise(audit_of(0.95), Setting(n_components=1), lambda t: 0.0).advice
    assert "cannot send less" in advice[0]


def test_where_rows_are_decoded_fewer_dimensions_are_no_advice():
    nothing, most = Estimate(0.0, 0.0, 0.0), Estimate(0.9, 0.9, 0.9)
    decoded = Finding("decoding", "who", "what", median_r2=most, exact=most, control_exact=nothing)
    advice = advise(Audit((decoded,), {}, 100, 8), Setting(), lambda t: 0.0).advice
    assert advice[0].startswith("Fewer dimensions do not help: 90% of your rows")
    assert "reduction.rounding" in advice[1]
    assert "summaries" in advice[2]
    assert "reduction.epsilon" in advice[3]
    assert not any("Lower n_components" in text for text in advice)


def test_where_rounded_rows_are_decoded_fewer_dimensions_are_advised():
    nothing, some = Estimate(0.0, 0.0, 0.0), Estimate(0.2, 0.2, 0.2)
    decoded = Finding("decoding", "who", "what", median_r2=some, exact=some, control_exact=nothing)
    advice = advise(Audit((decoded,), {}, 100, 8), Setting(rounding="auto"), lambda t: 0.0).advice
    assert advice[0].startswith("Lower n_components: 20% of your rows are decoded exactly")
    assert not any("reduction.rounding" in text for text in advice)


def test_unshuffled_rows_are_advised_against():
    advice = advise(audit_of(0.05), Setting(shuffled=False), lambda t: 0.0).advice
    assert advice == ("Shuffle the rows before they leave: their order alone names them.",)

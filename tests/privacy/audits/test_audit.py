import json

from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.finding import Estimate, Finding, not_run

HALF = Estimate(0.5, float("nan"), float("nan"))


def test_upper_bounds_never_decide():
    oracle = Finding("oracle", "who", "what", upper_bound=True, median_r2=Estimate(1, 1, 1))
    real = Finding("real", "who", "what", median_r2=HALF)
    audit = Audit((oracle, real), {}, 10, 2)
    assert audit.worst is real
    assert audit.reconstruction == 0.5


def test_audit_without_figures_has_no_reconstruction():
    audit = Audit((not_run("collusion", "who", "what", "3 rows"),), {}, 3, 2)
    assert audit.reconstruction is None
    assert "not run   3 rows" in audit.to_text()


def test_json_has_no_nan():
    audit = Audit((Finding("real", "who", "what", median_r2=HALF),), {}, 10, 2)
    assert json.loads(audit.to_json())["findings"][0]["median_r2"]["low"] is None


def test_columns_that_did_not_count_are_named_once():
    one = Finding("real", "who", "what", median_r2=HALF, excluded=("site",))
    assert Audit((one, one), {}, 10, 2).to_text().count("site") == 1

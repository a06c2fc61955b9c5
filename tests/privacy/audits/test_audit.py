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


def graded(r2, size, name="attack"):
    return Finding(name, f"{size} of them", "what", size=size, median_r2=Estimate(r2, r2, r2))


def test_of_the_gravest_findings_the_smallest_coalition_is_named():
    audit = Audit((graded(0.99, 2), graded(0.92, 1), graded(0.95, 1), graded(0.6, 1)), {}, 9, 2)
    assert audit.worst is audit.findings[2]
    assert audit.worst_line.startswith("1 of them, holding what, would rebuild")
    assert (audit.level, audit.exposure) == ("red", 0.99)


def test_a_larger_coalition_is_named_where_a_smaller_one_gets_less():
    audit = Audit((graded(0.99, 2), graded(0.6, 1)), {}, 9, 2)
    assert audit.worst is audit.findings[0]


def test_who_recognises_rows_without_rebuilding_them_may_be_the_worst():
    links = Finding("linkage", "the analyst", "a register", top1=Estimate(0.9, 0.9, 0.9))
    audit = Audit((graded(0.1, 1), links), {}, 9, 2)
    assert audit.worst is links
    assert audit.worst_line == "the analyst, holding a register, would recognise 90% of rows."


def test_an_audit_is_green_only_if_every_attack_was_run():
    silent = not_run("decoding", "who", "what", "too few")
    assert Audit((graded(0.1, 1),), {}, 9, 2).level == "green"
    assert Audit((graded(0.1, 1), silent), {}, 9, 2).level == "not run"
    assert Audit((graded(0.95, 1), silent), {}, 9, 2).level == "red"


def test_a_notebook_shows_every_finding_and_the_grade_of_the_whole():
    real = Finding("real", "<who>", "what", median_r2=Estimate(0.99, 0.9, 1))
    html = Audit((real,), {}, 10, 2, ("Agree on noise.",))._repr_html_()
    assert "&lt;who&gt;" in html
    assert "10 rows and 2 columns: red" in html
    assert "Agree on noise." in html

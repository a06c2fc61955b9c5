"""What may not leave by the limit of a study, and why."""

import pytest

from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.finding import Estimate, Finding, not_run
from consilience.privacy.audits.limit import check_exact_rows, check_limit

REBUILT = Finding(
    "collusion",
    "The analyst and one party",
    "the anchor",
    size=2,
    median_r2=Estimate(0.6, 0.6, 0.6),
)
AUDIT = Audit((REBUILT,), {}, 10, 2)


def test_an_audit_beyond_the_limit_says_who_could_do_it_and_the_way_out():
    refusal = check_limit(AUDIT, 0.5, "Lower n_components in the study")
    assert "more than the study's max_reconstruction = 0.5 allows" in refusal
    assert "The analyst and one party, holding the anchor, would suffice to rebuild" in refusal
    assert "R2 0.60" in refusal
    assert "Lower n_components in the study, or raise the limit" in refusal


def test_what_meets_the_limit_may_leave():
    assert check_limit(AUDIT, 0.6, "") == ""


def test_no_limit_means_no_refusal():
    assert check_limit(AUDIT, None, "") == ""


def test_audit_that_could_not_run_exceeds_every_limit():
    silent = Audit((not_run("collusion", "who", "what", "3 rows are too few"),), {}, 3, 2)
    assert "no attack could be run: 3 rows are too few" in check_limit(silent, 1.0, "")
    assert check_limit(silent, None, "") == ""


@pytest.mark.parametrize("figure", ["worst_r2", "rare_r2", "exact", "top1"])
def test_the_limit_holds_for_every_figure(figure):
    nothing = Estimate(0.0, 0.0, 0.0)
    found = Finding(
        "a",
        "who",
        "what",
        median_r2=nothing,
        control_exact=nothing,
        **{figure: Estimate(0.4, 0, 1)},
    )
    audit = Audit((found,), {}, 10, 2)
    assert check_limit(audit, 0.3, "") != ""
    assert check_limit(audit, 0.4, "") == ""


def test_the_smallest_coalition_beyond_the_limit_is_named():
    alone = Finding("a", "The analyst alone", "rows", median_r2=Estimate(0.55, 0.5, 0.6))
    refusal = check_limit(Audit((REBUILT, alone), {}, 10, 2), 0.5, "")
    assert "The analyst alone, holding rows, would suffice" in refusal


def test_rows_decoded_beyond_their_own_limit_stay_at_home():
    exact, chance = Estimate(0.4, 0.3, 0.5), Estimate(0.1, 0.0, 0.2)
    decoded = Finding("decoding", "who", "what", exact=exact, control_exact=chance)
    audit = Audit((REBUILT, decoded), {}, 10, 2)
    refusal = check_exact_rows(audit, 0.05, "Send less")
    assert "decoded 30% of the rows exactly" in refusal
    assert "max_exact_rows = 0.05 allows 5%" in refusal
    assert "Send less, or raise the limit" in refusal
    assert check_exact_rows(audit, 0.31, "") == check_exact_rows(audit, None, "") == ""
    silent = Audit((not_run("collusion", "who", "what", "3 rows are too few"),), {}, 3, 2)
    assert "no attack could be run: 3 rows are too few" in check_exact_rows(silent, 0.05, "")

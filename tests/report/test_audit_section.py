import re

import pytest

from consilience.collaboration.frontier import Frontier, Point
from consilience.privacy.audits import Audit, Estimate, Finding
from consilience.report.audit_section import audit_page, audit_section


@pytest.fixture
def audit():
    half = Estimate(0.97, 0.95, 0.99)
    finding = Finding(
        "collusion",
        "The analyst & a party",
        "the anchor",
        median_r2=half,
        top1=half,
        excluded=("<script>",),
    )
    return Audit((finding,), {}, 120, 4, ("Lower n_components.",))


def test_section_shows_who_gets_what_and_escapes_names(audit):
    text = audit_section(audit)
    assert "The analyst &amp; a party" in text
    assert "R2 0.97 (0.95 to 0.99)" in text
    assert '<tr class="red">' in text
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert "Lower n_components." in text


def test_page_loads_nothing_and_is_the_same_for_the_same_audit(audit):
    frontier = Frontier((Point("paper", 3, 1.0, 0.99, 0.9), Point("half", 2, 0.99, 0.5, 0.3)))
    page = audit_page(audit, "An audit", frontier)
    assert page == audit_page(audit, "An audit", frontier)
    assert "<td>knee</td>" in page
    assert "<svg" in page
    links = re.findall(r"(?:src|href)=\"([^\"]+)\"", page)
    assert all(link.startswith("#") for link in links)

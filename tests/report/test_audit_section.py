import pytest

from consilience.collaboration.audit.frontier import Frontier, Point
from consilience.collaboration.audit.frontier_page import show_frontier
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.finding import Estimate, Finding
from consilience.report.audit_section import audit_page, audit_section
from consilience.report.page import Note, Table, render


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


def test_section_shows_who_gets_what_and_warns(audit):
    section = audit_section(audit)
    (table,) = [p for p in section.parts if isinstance(p, Table)]
    rebuilt, recognised, grave = table.rows[0][2:]
    assert rebuilt == "almost exactly: R2 0.97 (0.95 to 0.99)"
    assert (recognised, grave) == ("97% (95% to 99%) of rows", "red")
    assert '<span class="grade red">red</span>' in render(audit_page(audit, "trial", "north/lab"))
    notes = [p for p in section.parts if isinstance(p, Note)]
    assert notes[0].warning
    assert notes[1].text == "Lower n_components."


def test_page_escapes_names_marks_the_knee_and_is_private(audit):
    frontier = Frontier((Point("paper", 3, 1.0, 0.99, 0.9), Point("half", 2, 0.99, 0.5, 0.3)))
    page = audit_page(audit, "trial", "north/lab", show_frontier(frontier))
    html = render(page)
    assert page.private
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "the knee is half" in html
    assert html == render(audit_page(audit, "trial", "north/lab", show_frontier(frontier)))

import numpy as np

from consilience.consensus.hierarchy import Hierarchy
from consilience.consensus.page import hierarchy_section, peer_page
from consilience.report.page import Figure, Note, Table, render
from consilience.study.study import Study

TREE = Hierarchy(np.array([2, 2, 2, 4, 2, 5]), np.array([1, 1, 0, 1, 2, 0]))
STUDY = Study.from_text("""
name = "example"
grid = {rows = ["people"], columns = ["bank", "insurer"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 1]}
[schema.insurer]
claims = {kind = "numeric", bounds = [0, 1]}
[consensus]
""")


def test_the_tree_is_drawn_and_told_in_words():
    section = hierarchy_section(TREE)
    figure = next(p for p in section.parts if isinstance(p, Figure))
    assert figure.svg.startswith(b"<?xml")
    assert "after iteration 1 3 clusters; after iteration 2 2 clusters" in figure.alt
    table = next(p for p in section.parts if isinstance(p, Table))
    assert [tuple(row) for row in table.rows] == [(1, 3, 3, 1), (2, 2, 5, 1)]


def test_the_page_says_what_happened_and_what_was_sent():
    page = peer_page(
        STUDY,
        "people/bank",
        TREE,
        n_rows=9,
        log=["going on without people/insurer, whose veto is lost"],
        sent={"Ranking": 120},
    )
    assert any(isinstance(p, Note) and p.warning for p in page.sections[0].parts)
    html = render(page)
    assert "whose veto is lost" in html
    assert "Ranking" in html

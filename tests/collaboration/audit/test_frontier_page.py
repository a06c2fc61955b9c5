"""The frontier on a page: every setting in the table, the knee in words for who cannot see."""

from consilience.collaboration.audit.frontier import Frontier, Point
from consilience.collaboration.audit.frontier_page import show_frontier
from consilience.report.page import Grade

FRONTIER = Frontier(
    (
        Point("2 dimensions", 2, 0.97, 0.31, 0.05),
        Point("6 dimensions", 6, 1.0, 0.98, 0.9),
        Point("1 dimension", 1, 0.2, 0.1, 0.01),
    )
)


def test_every_setting_has_a_line_and_one_is_the_knee():
    _, figure, table, elsewhere = show_frontier(FRONTIER)
    shown = ["2 dimensions", "0.97", "0.31", "0.00", "0%", "5%", "green", "the knee"]
    assert table.rows[0] == shown
    assert isinstance(table.rows[1][-2], Grade)
    assert "summaries" in elsewhere
    assert [row[-1] for row in table.rows] == ["the knee", "", ""]
    assert "3 settings" in figure.alt
    assert "the knee is 2 dimensions, agreement 0.97, R² 0.31" in figure.alt

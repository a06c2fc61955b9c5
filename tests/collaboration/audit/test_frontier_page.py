"""The frontier on a page: every setting in the table, the knee in words for who cannot see."""

from consilience.collaboration.audit.frontier import Frontier, Point
from consilience.collaboration.audit.frontier_page import show_frontier

FRONTIER = Frontier(
    (
        Point("2 dimensions", 2, 0.97, 0.31, 0.05),
        Point("6 dimensions", 6, 1.0, 0.98, 0.9),
        Point("1 dimension", 1, 0.2, 0.1, 0.01),
    )
)


def test_every_setting_has_a_line_and_one_is_the_knee():
    _, figure, table = show_frontier(FRONTIER)
    assert table.rows[0] == ["2 dimensions", "0.97", "0.31", "5%", "the knee"]
    assert [row[-1] for row in table.rows] == ["the knee", "", ""]
    assert "3 settings" in figure.alt
    assert "the knee is 2 dimensions, agreement 0.97, R² 0.31" in figure.alt

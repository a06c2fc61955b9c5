from consilience.collaboration.frontier import Frontier, Point
from consilience.collaboration.frontier_figure import plot_frontier


def test_picture_marks_the_knee(tmp_path):
    points = (Point("paper mode", 3, 1.0, 0.99, 0.9), Point("half", 2, 0.99, 0.6, 0.4))
    figure = plot_frontier(Frontier(points))
    texts = [t.get_text() for t in figure.legends[0].get_texts()]
    assert texts == ["1  paper mode", "2  half (knee)"]
    figure.savefig(tmp_path / "frontier.png")
    assert (tmp_path / "frontier.png").stat().st_size > 0

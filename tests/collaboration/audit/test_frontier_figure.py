from consilience.collaboration.audit.frontier import Frontier, Point
from consilience.collaboration.audit.frontier_figure import plot_frontier


def test_picture_marks_the_knee(tmp_path):
    points = (Point("paper mode", 3, 1.0, 0.99, 0.9), Point("half", 2, 0.99, 0.6, 0.2))
    figure = plot_frontier(Frontier(points))
    texts = [t.get_text() for t in figure.legends[0].get_texts()]
    assert texts == ["1: paper mode", "2: half (the knee)"]
    colours = [c.get_facecolor()[0][:3].tolist() for c in figure.axes[0].collections]
    red, amber = ([round(v * 255) for v in colour] for colour in colours)
    assert red == [0xC6, 0x28, 0x28]
    assert amber == [0xF0, 0xA2, 0x02]
    figure.savefig(tmp_path / "frontier.png")
    assert (tmp_path / "frontier.png").stat().st_size > 0


def test_what_the_study_has_now_is_a_square():
    now = Point("half", 2, 0.99, 0.6, 0.2, present=True)
    figure = plot_frontier(Frontier((Point("paper", 3, 1.0, 0.99, 0.9), now)))
    assert [t.get_text() for t in figure.legends[0].get_texts()][1] == "2: half (present, the knee)"
    dot, square = (c.get_paths()[0].vertices for c in figure.axes[0].collections)
    assert len(square) < len(dot)


def test_dots_that_lie_together_share_one_tag():
    points = (
        Point("a", 3, 1.0, 0.99, 0.9),
        Point("b", 3, 0.99, 0.98, 0.9),
        Point("c", 2, 0.9, 0.6, 0.4),
    )
    tags = [t.get_text() for t in plot_frontier(Frontier(points)).axes[0].texts]
    assert tags == ["1, 2", "3"]

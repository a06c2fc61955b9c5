"""Pictures show every cell they are given, and a page shows its picture first."""

import re

import pandas as pd
import pytest
from matplotlib.figure import Figure

from benchmarks import pictures
from benchmarks.pages import LONGEST
from benchmarks.pictures import panels, published_and_ours, save

IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)\n\n\*([^*]+)\*", re.MULTILINE)


@pytest.fixture
def cells():
    rows = [
        (data, method, 0.5 + 0.1 * k, 0.4 + 0.1 * k, 0.05)
        for data in ("wine", "iris")
        for k, method in enumerate(("pooled", "alone"))
    ]
    columns = ["data", "method", "ours", "published", "ours_spread"]
    return pd.DataFrame([*rows, ("iris", "new", 0.9, float("nan"), float("nan"))], columns=columns)


def test_every_value_is_drawn_on_the_line_of_its_method(cells, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(pictures, "save", lambda figure, *_: drawn.append(figure))
    published_and_ours(cells, tmp_path, "x", score="ARI", panel="data")
    wine, iris = drawn[0].axes
    assert [axes.get_title() for axes in (wine, iris)] == ["wine", "iris"]
    assert [label.get_text() for label in wine.get_yticklabels()] == ["new", "alone", "pooled"]
    published, ours = iris.get_lines()[:2]
    assert published.get_xdata().tolist()[:2] == [0.4, 0.5]
    assert ours.get_xdata().tolist() == [0.5, 0.6, 0.9]
    assert ours.get_ydata().tolist() == [2, 1, 0]


def test_the_same_figure_gives_the_same_bytes(cells, tmp_path):
    files = []
    for name in ("one", "two"):
        published_and_ours(cells, tmp_path / name, "x", score="ARI", panel="data")
        files.append((tmp_path / name / "images" / "x.png").read_bytes())
    assert files[0] == files[1]
    assert files[0].startswith(b"\x89PNG")
    assert save(Figure(), tmp_path, "empty") == tmp_path / "images" / "empty.png"


def test_panels_stand_three_in_a_row():
    figure, drawn = panels(4, 1.0)
    assert len(drawn) == len(figure.axes) == 4
    assert [axes.get_subplotspec().rowspan.start for axes in drawn] == [0, 0, 0, 1]


def test_a_page_shows_a_picture_first_and_says_where_each_comes_from(docs):
    for page in sorted(docs.glob("bench-*.md")):
        text = page.read_text(encoding="utf-8")
        told = IMAGE.findall(text)
        assert len(told) == text.count("](images/") > 0, page.name
        assert text.index("](images/") < text.index("\n|"), page.name
        for alt, path, source in told:
            assert len(alt) > 40, (page.name, path)
            assert re.search("benchmarks/|same (file|rows)", source), (page.name, path)
            for name in re.findall(r"benchmarks/[\w/-]+\.\w+", source):
                assert (docs.parent / name).exists(), (page.name, name)


def test_no_page_shows_a_long_table_unfolded(docs):
    for page in sorted(docs.glob("bench-*.md")):
        open_text = re.sub(r"(?s)<details>.*?</details>", "", page.read_text(encoding="utf-8"))
        tables = re.findall(r"(?:^\|.*\n?)+", open_text, re.MULTILINE)
        assert all(table.count("\n") <= LONGEST + 2 for table in tables), page.name

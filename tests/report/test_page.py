"""The page: escaped, complete in itself, and shown by a real browser."""

import re
from dataclasses import replace

import pytest

from consilience.report.figures import draw_map
from consilience.report.page import (
    Facts,
    Figure,
    Grade,
    Listing,
    Note,
    Page,
    Section,
    Table,
    render,
    write_page,
)

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}"


def page(text="plain", n_sections=2):
    import numpy as np

    svg = draw_map(np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 3, "it")
    section = Section(
        text,
        [
            text,
            Facts([(text, text), ("rows", 1234)]),
            Table([text, "n"], [[text, 1], ["b", None]], caption=text),
            Table(["empty"], []),
            Note(text, warning=True),
            Figure(svg, alt=text, caption=text),
        ],
    )
    return Page(title=text, subtitle=text, notice=text, sections=[section] * n_sections)


def test_every_text_is_escaped_wherever_it_stands():
    html = render(page(HOSTILE))
    assert "<script" not in html
    assert "<img src=x" not in html
    assert "49" not in re.sub(r"base64,[^\"]*", "", html)
    assert html.count("&lt;script&gt;") >= 10


def test_page_refers_to_nothing_outside():
    html = render(page())
    assert not re.search(r"(?i)https?://|//[a-z0-9.-]+\.[a-z]{2,}|@import|url\(", html)
    sources = re.findall(r"(?:src|href)=[\"']?([^\"'> ]+)", html)
    assert sources
    assert all(source.startswith("data:") for source in sources)
    assert "default-src 'none'" in html


def test_every_picture_has_words_and_every_table_its_headings():
    html = render(page())
    assert len(re.findall(r"<img [^>]*alt=\"[^\"]+\"", html)) == html.count("<img ") > 0
    assert html.count('scope="col"') == 2 * 3
    assert re.search(r"<html lang=\"en\">", html)
    assert html.count("<h1>") == 1


def test_columns_of_numerals_stand_to_the_right():
    table = Table(["a", "n", "share", "text"], [["x", 1, "5.1%", "low"], ["y", None, "+2", "3"]])
    assert table.numeric == [False, True, True, False]


def test_private_page_is_readable_by_its_owner_alone(tmp_path):
    private = Page("t", "s", "", [], private=True)
    write_page(private, tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("width", [1000, 390], ids=["desk", "phone"])
@pytest.mark.parametrize("text", ["plain", HOSTILE], ids=["plain", "hostile"])
def test_browser_shows_the_page_and_asks_nobody_for_anything(browser, tmp_path, text, width):
    path = tmp_path / "page.html"
    write_page(page(text), path)
    browser.open(path, width)
    assert browser.evaluate("document.title") == f"{text} – {text}"
    sizes = browser.evaluate(
        "[...document.images].map(i => [i.complete, i.naturalWidth, i.clientWidth, i.clientHeight])"
    )
    assert len(sizes) == 2
    assert all(complete and min(rest) > 100 for complete, *rest in sizes)
    assert browser.evaluate("document.scripts.length") == 0
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    strangers = [u for u in browser.requests() if not u.startswith("data:") and u != path.as_uri()]
    assert not strangers
    assert not browser.complaints()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everything_can_be_read_by_day_and_by_night(browser, tmp_path, dark):
    path = tmp_path / "report.html"
    grades = [[Grade(level), 1] for level in ("red", "amber", "green")]
    section = Section("Grades", [Table(["grade", "n"], grades), Listing("a = 1", "rules")])
    shown = page()
    write_page(replace(shown, sections=[*shown.sections, section]), path)
    browser.open(path, dark=dark)
    assert browser.least_contrast() >= 4.5
    ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(18, 22, 28)") is dark


def test_browser_test_would_notice_a_request_and_a_complaint(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(
        "<img src='http://127.0.0.1:9/picture.png'><script>console.error('no')</script>"
    )
    browser.open(path)
    assert "http://127.0.0.1:9/picture.png" in browser.requests()
    assert browser.complaints()


def test_a_listing_keeps_its_spaces_and_is_escaped():
    html = render(Page("t", "s", "", [Section("Rules", [Listing("a <= 1\n|   b", "rules")])]))
    assert "<pre>a &lt;= 1\n|   b</pre>" in html
    assert 'aria-label="rules"' in html

import pytest

from consilience.desk.pages import STATIC, Pages


def test_every_text_is_escaped(seat):
    pages = Pages("/p", "token", "<b>")
    known = {"notes": [("warning", "<i>")], "places": ["<u>"]}
    html = pages.render("study", seat=seat, **known, **Pages.VIEWS["study"](seat))
    assert "&lt;b&gt;" in html
    assert "&lt;i&gt;" in html
    assert not any(mark in html for mark in ("<i>", "<u>"))


@pytest.mark.parametrize("name", sorted(Pages.VIEWS))
def test_every_page_shows_a_seat_in_which_nothing_was_done(seat, name):
    html = Pages("/p", "token", "x").render(
        name, seat=seat, notes=[], places=[], **Pages.VIEWS[name](seat)
    )
    assert "<h1>" in html
    assert "style=" not in html
    assert " on" + "click" not in html


def test_nothing_but_its_own_files_is_given(seat):
    pages = Pages("/p", "token", "x")
    assert pages.static("../seat.py") is None
    assert all(pages.static(name)[0] for name in STATIC)


def test_no_page_loads_anything_from_elsewhere():
    pages = Pages("/p", "token", "x")
    loaded = [pages.static(name)[0].decode() for name in ("desk.css", "desk.js")]
    assert not any("http:" in text or "https:" in text or "@import" in text for text in loaded)

"""The study's page, asked for by hand and looked at in a browser."""

import time

import httpx
import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.letter_box import page as module
from consilience.carriers.letter_box.notice import Notice, NoticedRole
from consilience.carriers.parcel import folder_of
from consilience.exceptions import CarrierError
from letter_boxes import run_letter_box

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>`{{ 7 * 7 }}"
STEPS = {state: f"`run` {state} {HOSTILE}" for state in ("absent", "turn", "waiting", "done")}
CONTENT = b"sealed bytes"


def notice(title="a study", **more):
    parties = ("a/lab", "a/life", "b/lab", "b/life")
    roles = [NoticedRole(name="analyst", waits_for=parties, answers=True, steps=STEPS)]
    roles += [
        NoticedRole(name=party, waits_for=("analyst",), answers=False, steps=STEPS)
        for party in parties
    ]
    return Notice(
        title=title, about="<section><h2>Agreed</h2></section>", roles=tuple(roles), **more
    )


@pytest.fixture
def served(case, tmp_path):
    with run_letter_box(case, tmp_path / "letters", notice=notice(HOSTILE)) as box:
        yield box


def put(box, tmp_path, sender="a/lab"):
    (tmp_path / "x").write_bytes(CONTENT)
    Carrier(box.open(sender)).put(tmp_path / "x", sender=sender, recipient="analyst")


def test_the_link_is_kept_out_of_the_address(served):
    link = served.open("a/lab").link()
    with httpx.Client() as client:
        first = client.get(link)
        assert (first.status_code, first.headers["location"]) == (303, "/page")
        cookie = first.headers["set-cookie"]
        assert all(word in cookie for word in ("HttpOnly", "SameSite=lax", "Path=/page"))
        page = client.get(served.address + "/page")
    assert page.status_code == 200
    assert "You look as a/lab" in page.text
    assert "<script>alert" not in page.text
    assert "'unsafe" not in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/page", "/page?by=", "/page?by=x", "/page/events"])
def test_nobody_sees_anything_without_a_link(served, path):
    answer = httpx.get(served.address + path)
    assert answer.status_code == 401
    assert "a/lab" not in answer.text
    assert HOSTILE not in answer.text


def test_a_link_opens_the_page_and_no_letter(served, tmp_path):
    put(served, tmp_path)
    link = served.open("analyst").link()
    with httpx.Client(follow_redirects=True) as client:
        assert client.get(link).status_code == 200
        assert client.get(served.address + "/v1/files").status_code == 401


def test_a_box_without_a_page_says_so(letter_box):
    assert httpx.get(letter_box.address + "/page").status_code == 404
    with pytest.raises(CarrierError, match="shows no page"):
        letter_box.open("a/lab").link()


def test_no_size_is_on_the_page(served, tmp_path):
    put(served, tmp_path)
    with httpx.Client(follow_redirects=True) as client:
        text = client.get(served.open("a/lab").link()).text
    assert "letter of a/lab to analyst</li>" in text
    assert "bytes" not in text


def test_sizes_are_on_the_page_where_the_study_allows_it(case, tmp_path):
    with run_letter_box(case, tmp_path / "letters", notice=notice(show_sizes=True)) as box:
        (tmp_path / "x").write_bytes(bytes(5_000_000))  # of two pieces
        Carrier(box.open("a/lab")).put(tmp_path / "x", sender="a/lab", recipient="analyst")
        with httpx.Client(follow_redirects=True) as client:
            text = client.get(box.open("b/lab").link()).text
    assert "letter of a/lab to analyst, 5,000 kB" in text
    assert "says how large they are because the study allows it" in text


def test_no_role_opens_pages_without_end(served, monkeypatch):
    monkeypatch.setattr(module, "MAX_STREAMS", 1)
    with httpx.Client(follow_redirects=True) as client:
        client.get(served.open("a/lab").link())
        with client.stream("GET", served.address + "/page/events") as events:
            lines = events.iter_lines()
            assert next(lines).startswith("data: ")
            assert client.get(served.address + "/page/events").status_code == 429


@pytest.mark.parametrize("width", [1000, 400], ids=["desk", "phone"])
def test_a_browser_follows_what_happens_and_runs_nothing_else(served, browser, tmp_path, width):
    browser.open(served.open("a/lab").link(), width)
    assert browser.evaluate("location.search") == ""
    assert browser.evaluate("document.querySelector('h1').textContent") == HOSTILE
    wait_for(browser, "document.getElementById('line').textContent.includes('follows')")
    put(served, tmp_path)
    wait_for(browser, "document.getElementById('events').textContent.includes('of a/lab')")
    assert browser.evaluate("document.getElementById('role-1').dataset.state") == "waiting"
    shown = browser.evaluate("document.getElementById('step-1').textContent")
    assert shown == STEPS["waiting"].replace("`", "")
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("document.scripts.length") == 1
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    strangers = [
        u for u in browser.requests() if not u.startswith((served.address, "data:", "about:"))
    ]
    assert not strangers
    assert not browser.complaints()


@pytest.mark.parametrize("dark", [False, True])
def test_everything_can_be_read_and_reached_by_keyboard(served, browser, dark):
    browser.open(served.open("a/lab").link(), dark=dark)
    assert browser.least_contrast() >= 4.5
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab")
    assert browser.evaluate("document.activeElement.className") == "skip"


def test_an_injected_script_would_not_run(served, browser):
    """The policy holds even if something were not escaped."""
    browser.open(served.open("a/lab").link())
    browser.evaluate(
        "const s = document.createElement('div');"
        "const i = document.createElement('img'); i.src = 'https://example.invalid/x';"
        "i.setAttribute('onerror', 'window.ran = 1'); document.body.append(s, i)"
    )
    assert browser.evaluate("typeof window.ran") == "undefined"
    assert browser.complaints()


def test_the_folder_of_who_was_there_has_no_content(served):
    served.open("a/lab").find()
    [seen] = (served.root.parent / "seen").iterdir()
    assert (seen.name, seen.stat().st_size) == (folder_of("a/lab"), 0)


def wait_for(browser, condition):
    end = time.monotonic() + 20
    while not browser.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)

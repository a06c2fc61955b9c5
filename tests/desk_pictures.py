"""Pictures of every page of a desk, to be looked at: ``python tests/desk_pictures.py FOLDER``.

A small study is done to its end; each page is then shown at three widths, light and dark.
"""

import sys
import tempfile
from pathlib import Path

from browser import Browser
from conftest import make_case
from desks import Desk, act, lay_seats
from people import plain

WIDTHS = (400, 1000, 1600)
PARTY = ("study", "keys", "table", "match", "leave", "result", "ledger", "draft")
PAGES = ["", *(f"s/a-lab/{page}" for page in PARTY), "s/analyst/inbox", "s/analyst/answer"]


def do_study(browser, desk, case) -> None:
    """Do a study from the tables to the labels of one party."""
    for party in case.parties:
        at = f"s/{plain(party, '-')}"
        if party == "a/lab":
            desk.page(browser, f"{at}/table")
            act(browser, "check")
        desk.page(browser, f"{at}/leave")
        act(browser, "rehearse")
        browser.fill("[name=agreed]", "")
        browser.fill("#by", "Dr. Novak")
        act(browser, "contribute")
    desk.page(browser, "s/a-lab/leave")
    act(browser, "frontier")
    desk.page(browser, "s/analyst/inbox")
    homes = {party: desk.folder / plain(party, "-") for party in case.parties}
    browser.drop("#letters", *(home / f"{plain(p)}.contribution" for p, home in homes.items()))
    act(browser, "status")
    desk.page(browser, "s/analyst/answer")
    act(browser, "analyse")
    desk.page(browser, "s/a-lab/result")
    browser.drop("#letters", desk.folder / "analyst" / "a.lab.answer")
    act(browser, "label")


def take_pictures(folder: Path) -> None:
    """Write a picture of each page."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        case = make_case(Path(scratch) / "case")
        browser = Browser(Path(scratch) / "profile")
        desk = Desk(lay_seats(case, Path(scratch) / "home"))
        try:
            browser.attach()
            browser.call("DOM.enable")
            desk.open(browser)
            do_study(browser, desk, case)
            for page in PAGES:
                for width in WIDTHS:
                    for dark in (False, True):
                        desk.page(browser, page, width, dark)
                        name = f"{page.replace('/', '-') or 'start'}-{width}"
                        browser.shoot(folder / f"{name}-{'dark' if dark else 'light'}.png")
        finally:
            desk.close()
            browser.close()


if __name__ == "__main__":
    take_pictures(Path(sys.argv[1]))

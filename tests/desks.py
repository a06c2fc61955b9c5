"""Desks as people have them: real processes, one folder each, and a real browser before them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import ID
from consilience.desk.seat import Seat
from consilience.study.study import ANALYST

TABLE = "tables/table.csv"
AT_WORK = "document.querySelector('.job[data-events]') !== null"


class Desk:
    """One desk, opened in a browser that several may share."""

    def __init__(self, folder: Path, *options) -> None:
        self.folder, self.base = folder, ""
        words = [sys.executable, "-m", "consilience", "desk", str(folder), "--no-browser"]
        self._process = subprocess.Popen(
            [*words, *map(str, options)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.link = re.search(r"http://\S+", self._process.stdout.readline())[0]

    def open(self, browser, width: int = 1000) -> None:
        """Come in by the link."""
        browser.open(self.link, width)
        # The link leads on; a page whose style is not there yet shows no focus of ours.
        here = "document.readyState === 'complete' && document.querySelector('a.brand') !== null"
        browser.until(here)
        self.base = browser.evaluate("document.querySelector('a.brand').href")

    def page(self, browser, name: str = "", width: int = 1000, dark: bool = False) -> None:
        """Go to a page."""
        browser.open(self.base + name, width, dark)

    def close(self) -> None:
        """End it as Ctrl-C does."""
        self._process.terminate()
        self._process.wait(20)
        self._process.stdout.close()


def act(browser, action: str) -> None:
    """Press the button of an act, and wait until its command has ended."""
    browser.click(f"form[action$='/do/{action}'] button:not(.copy)")
    settle(browser)


def settle(browser) -> None:
    """Wait until nothing is at work, and say so if it was refused."""
    browser.until(f"document.readyState === 'complete' && !({AT_WORK})")
    said = browser.evaluate("document.querySelector('.job.refused, .note[role=alert]')?.innerText")
    assert not said, said


def lay_seats(case, root: Path, **known) -> Path:
    """Give every role of a case a seat with its table in one folder; return the folder."""
    analyst = [ANALYST] if case.study.method.senders_to(ANALYST, case.study) else []
    for role in (*case.parties, *analyst):
        home = root / role.replace("/", "-")
        home.mkdir(parents=True)
        shutil.copy(case.path, home)
        shutil.copytree(case.private(role).path, home / "private" / role.replace("/", "."))
        about = {"role": role, **known}
        if role != ANALYST:
            (home / "tables").mkdir()
            shutil.copy(case.data(role), home / TABLE)
            about |= {"table": TABLE, "id_column": ID}
        Seat(home.name, home).remember(**about)
    return root

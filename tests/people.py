"""People at desks of their own, who do a whole study in a browser."""

import json
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path

import pandas as pd

from conftest import environment
from desks import act, settle

ID = "patient id"


class Carriers(Enum):
    """By whom sealed files go from one desk to another.

    The study and the public keys go by hand in any case: a letter box knows people by them.
    """

    HANDS = "by hand"
    LETTER_BOX = "by letter box"


def plain(role: str, sign: str = ".") -> str:
    """Return a role as names of files have it."""
    return role.replace("/", sign)


class People:
    """Everybody at a desk of their own, before one browser.

    Parameters
    ----------
    browser : Browser
    desks : dict of str to Desk
        By role; the analyst drafts.
    tables : dict of str to Path
        By party.
    carriers : Carriers
    """

    def __init__(self, browser, desks, tables, carriers: Carriers) -> None:
        self.browser, self.desks, self.tables, self.carriers = browser, desks, tables, carriers
        self.title = carriers.value.capitalize()
        self.name = carriers.value.replace(" ", "-")

    def home(self, role: str) -> Path:
        return self.desks[role].folder / self.name

    def at(self, role: str, page: str) -> None:
        self.desks[role].page(self.browser, f"s/{self.name}/{page}")

    @contextmanager
    def ready(self, box: Path):
        """Bring everybody as far as that they can contribute; the letter box is open meanwhile."""
        self.draft()
        publics = [self.become(role) for role in ("analyst", *self.tables)]
        self.at("analyst", "keys")
        self.browser.drop("#letters", *publics)
        act(self.browser, "collect")
        study = self.home("analyst") / "study.toml"
        with ExitStack() as stack:
            for role in self.tables:
                self.at(role, "keys")
                self.browser.drop("#letters", study)
            if self.carriers is Carriers.LETTER_BOX:
                address = stack.enter_context(letter_box(study, box))
                for role in self.desks:
                    self.reach(role, address)
                self.carry("analyst", "keys")
            for role in self.tables:
                self.carry(role, "keys", *self.sent(f"{plain(role)}.*.keys"))
                act(self.browser, "share")
                self.carry(role, "keys")
            yield

    def draft(self) -> None:
        browser = self.browser
        self.desks["analyst"].page(browser)
        browser.fill("#name", self.title)
        browser.click("form[action$='/new']:not(:has([name=place])) button")
        browser.drop("#examples", self.tables["north/clinical"], self.tables["north/lifestyle"])
        fields = {"[name=group-0]": "clinical", "[name=group-1]": "lifestyle"}
        fields |= {"#rows": "north south", "#id_column": ID, "#clusters": "2-3"}
        for mark, text in fields.items():
            browser.fill(mark, text)
        act(browser, "init")
        # Of 30 rows the audit may decode a few, by the draw: that is not what is tested here.
        study = self.home("analyst") / "study.toml"
        text = study.read_text(encoding="utf-8")
        assert "max_exact_rows = 0.05" in text
        study.write_text(text.replace("max_exact_rows = 0.05", "max_exact_rows = 1.0"), "utf-8")
        self.at("analyst", "study")
        browser.fill("[name=low-0]", "0")
        browser.fill("[name=high-0]", "120")
        browser.click("form[action$='/change/columns'] button")
        settle(browser)

    def become(self, role: str) -> Path:
        if role != "analyst":
            self.desks[role].page(self.browser)
            self.browser.drop("#take", self.home("analyst") / "study.toml")
        self.browser.fill(f"[name=role][value='{role}']", "")
        self.browser.click("form[action$='/change/role'] button")
        act(self.browser, "keygen")
        return self.home(role) / f"{plain(role)}.public.toml"

    def reach(self, role: str, address: str) -> None:
        self.at(role, "keys")
        self.browser.fill("#place", address)
        self.browser.click("form[action$='/change/place'] button")

    def sent(self, mark: str) -> list[Path]:
        """Return the files of that mark which lie at other desks, to be carried by hand."""
        return [file for role in self.desks for file in self.home(role).glob(mark)]

    def carry(self, role: str, page: str, *files: Path) -> None:
        """Bring what others sent: these files by hand, or whatever the letter box has."""
        self.at(role, page)
        if self.carriers is Carriers.LETTER_BOX:
            act(self.browser, "carry")
        elif files:
            self.browser.drop("#letters", *files)

    def copy(self, folder: Path) -> dict[str, Path]:
        """Copy what everybody has, as it is now."""
        for role in self.desks:
            shutil.copytree(self.home(role), folder / plain(role))
        return {role: folder / plain(role) for role in self.desks}

    def contribute(self, role: str) -> None:
        browser = self.browser
        self.at(role, "table")
        browser.drop("#table-file", self.tables[role])
        browser.fill("#id_column", ID)
        browser.click("form[action$='/change/table'] button")
        if self.carriers is Carriers.HANDS:
            act(browser, "check")
        self.at(role, "leave")
        act(browser, "rehearse")
        browser.fill("[name=agreed]", "")
        browser.fill("#by", "Dr. Novak")
        act(browser, "contribute")
        self.carry(role, "leave")

    def answer(self) -> None:
        self.carry("analyst", "inbox", *self.sent("*.contribution"))
        act(self.browser, "status")
        self.at("analyst", "answer")
        if self.carriers is Carriers.HANDS:
            act(self.browser, "explore")
            self.browser.click("form.choices button:not(.copy)")
            settle(self.browser)
        else:
            act(self.browser, "analyse")
        self.carry("analyst", "answer")

    def label(self, role: str) -> pd.DataFrame:
        self.carry(role, "result", *self.sent(f"{plain(role)}.answer"))
        act(self.browser, "label")
        report = "document.querySelector('iframe.report') !== null"
        assert self.browser.evaluate(report), json.dumps(role)
        return pd.read_csv(self.home(role) / "labels.csv", dtype=str)


@contextmanager
def letter_box(study: Path, box: Path):
    """Keep the letter box of a study; yield its address."""
    words = ["serve", str(study), "--listen", "127.0.0.1:0", "--box", str(box)]
    command = [sys.executable, "-m", "consilience", *words]
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
    try:
        yield next(line.split()[-1] for line in process.stdout if "listening at" in line)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()

"""Desks as processes, in a real browser: a whole study without a command."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from conftest import environment
from desks import Desk, act, settle

GROUPS = {"clinical": ["age", "pressure", "glucose"], "lifestyle": ["steps", "sleep", "alcohol"]}
NORTH, SOUTH = (tuple(f"{region}/{group}" for group in GROUPS) for region in ("north", "south"))
STUDY, ID = "s/two-regions", "patient id"
HOSTILE = "'\"><img src=x onerror=document.title='hit'><script>document.title='hit'</script>"


@pytest.fixture
def tables(tmp_path):
    """Write tables of two regions, each with two groups of columns."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(3, size=60)
    centres = np.array([[0] * 6, [4] * 6, [-4, 4] * 3])
    X = np.round(5 * (rng.normal(size=(60, 6)) * 0.6 + centres[kinds]) + 50, 1)
    files = {}
    for k, region in enumerate(("north", "south")):
        for g, (group, names) in enumerate(GROUPS.items()):
            rows = slice(30 * k, 30 * k + 30)
            table = pd.DataFrame(X[rows, 3 * g : 3 * g + 3], columns=names)
            table.insert(0, ID, [f"P{n:03}" for n in range(rows.start, rows.stop)])
            files[f"{region}/{group}"] = tmp_path / f"{region}_{group}.csv"
            table.to_csv(files[f"{region}/{group}"], index=False)
    return files


class People:
    """Everybody at a desk of their own, before one browser.

    Files of the north are carried by hand; the south and the analyst reach a letter box, too.
    """

    def __init__(self, browser, folder: Path, tables) -> None:
        self.browser, self.tables = browser, tables
        roles = (*tables, "analyst")
        self.desks = {role: Desk(folder / role.replace("/", ".")) for role in roles}

    def home(self, role: str) -> Path:
        return self.desks[role].folder / "two-regions"

    def at(self, role: str, page: str) -> None:
        self.desks[role].page(self.browser, f"{STUDY}/{page}")

    def has(self, mark: str) -> bool:
        return self.browser.evaluate(f"document.querySelector({json.dumps(mark)}) !== null")

    def draft(self) -> None:
        browser = self.browser
        self.desks["analyst"].page(browser)
        browser.fill("#name", "Two regions")
        browser.click("form[action$='/new']:not(:has([name=place])) button")
        browser.drop("#examples", self.tables["north/clinical"], self.tables["north/lifestyle"])
        fields = {"[name=group-0]": "clinical", "[name=group-1]": "lifestyle"}
        fields |= {"#rows": "north south", "#id_column": ID, "#clusters": "2-3"}
        for mark, text in fields.items():
            browser.fill(mark, text)
        act(browser, "init")
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
        return self.home(role) / f"{role.replace('/', '.')}.public.toml"

    def reach(self, role: str, address: str) -> None:
        self.at(role, "keys")
        self.browser.drop("#letters", self.home("analyst") / "study.toml")
        self.browser.fill("#place", address)
        self.browser.click("form[action$='/change/place'] button")

    def carry(self, role: str, page: str, files=()) -> None:
        """Bring what others sent: by hand, and by the letter box for who reaches it."""
        self.at(role, page)
        if files:
            self.browser.drop("#letters", *files)
        if self.has("form[action$='/do/carry']"):
            act(self.browser, "carry")

    def share_keys(self) -> None:
        """Make shared keys where they are made, and take them where they come."""
        for role in (*NORTH, *SOUTH):
            name = role.replace("/", ".")
            files = [file for north in NORTH for file in self.home(north).glob(f"{name}.*.keys")]
            self.carry(role, "keys", [*files, self.home("analyst") / "study.toml"])
            act(self.browser, "share")
            self.carry(role, "keys")

    def contribute(self, role: str) -> None:
        browser = self.browser
        self.at(role, "table")
        browser.drop("#table-file", self.tables[role])
        browser.fill("#id_column", ID)
        browser.click("form[action$='/change/table'] button")
        act(browser, "check")
        self.at(role, "leave")
        act(browser, "rehearse")
        browser.fill("[name=agreed]", "")
        browser.fill("#by", "Dr. Novak")
        act(browser, "contribute")
        self.carry(role, "leave")

    def answer(self) -> None:
        files = [self.home(r) / f"{r.replace('/', '.')}.contribution" for r in NORTH]
        self.carry("analyst", "inbox", files)
        act(self.browser, "status")
        self.at("analyst", "answer")
        act(self.browser, "explore")
        self.browser.click("form.choices button:not(.copy)")
        settle(self.browser)
        self.carry("analyst", "answer")

    def label(self, role: str) -> pd.DataFrame:
        answer = self.home("analyst") / f"{role.replace('/', '.')}.answer"
        self.carry(role, "result", [answer] if role in NORTH else [])
        act(self.browser, "label")
        assert self.has("iframe.report")
        return pd.read_csv(self.home(role) / "labels.csv", dtype=str)

    def close(self) -> None:
        for desk in self.desks.values():
            desk.close()


def labels_by_commands(people, role, tmp_path) -> pd.DataFrame:
    """Label the rows of a party by the command line, from the answer that its desk got."""
    home, out = people.home(role), tmp_path / f"{role.replace('/', '.')}.csv"
    [answer] = home.glob("arrived/*/*.answer")
    words = ["label", home / "study.toml", answer, "--as", role, "--data", people.tables[role]]
    command = [sys.executable, "-m", "consilience", *map(str, words), "--id", ID, "--out", str(out)]
    subprocess.run(command, env=environment(), check=True, capture_output=True)
    return pd.read_csv(out, dtype=str)


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


def test_a_whole_study_through_five_desks(browser, tables, tmp_path):
    """From draft to labels, by hand and by the letter box."""
    pytest.importorskip("httpx")
    browser.call("DOM.enable")
    people = People(browser, tmp_path, tables)
    with ExitStack() as stack:
        stack.callback(people.close)
        for desk in people.desks.values():
            desk.open(browser)
        people.draft()
        publics = [people.become("analyst"), *map(people.become, tables)]
        people.at("analyst", "keys")
        browser.drop("#letters", *publics)
        act(browser, "collect")
        study = people.home("analyst") / "study.toml"
        address = stack.enter_context(letter_box(study, tmp_path / "box"))
        for role in (*SOUTH, "analyst"):
            people.reach(role, address)
        people.share_keys()
        for role in tables:
            people.contribute(role)
        people.answer()
        labels = {role: people.label(role) for role in tables}
        assert browser.complaints() == []
        for region in ("north", "south"):
            one, other = (labels[f"{region}/{group}"] for group in GROUPS)
            pd.testing.assert_frame_equal(one, other)
        again = labels_by_commands(people, "north/clinical", tmp_path)
        pd.testing.assert_frame_equal(labels["north/clinical"], again)
        assert labels["north/clinical"].iloc[:, 1].nunique() == 3
        entries = people.home("north/clinical") / "private" / "north.clinical" / "ledger.jsonl"
        assert '"by": "Dr. Novak"' in entries.read_text(encoding="utf-8")


def test_a_second_desk_on_the_same_folder_is_refused(tmp_path):
    desk = Desk(tmp_path)
    try:
        command = [sys.executable, "-m", "consilience", "desk", str(tmp_path), "--no-browser"]
        second = subprocess.run(command, env=environment(), capture_output=True, text=True)
        assert second.returncode == 2
        assert "another desk is open" in second.stderr
    finally:
        desk.close()


def test_no_script_of_a_stranger_runs(browser, tmp_path):
    home = tmp_path / "home" / "study"
    home.mkdir(parents=True)
    name = json.dumps(HOSTILE)
    (home / "study.toml").write_text(
        f'name = {name}\ngrid = {{rows = ["north", "south"], columns = ["lab"]}}\n[schema.lab]\n'
        f'{name} = {{kind = "categorical", categories = [{name}, "b"]}}\n'
        f'age = {{kind = "numeric", bounds = [0, 120]}}\n',
        encoding="utf-8",
    )
    memory = {"role": "north/lab", "table": "tables/x.csv", "id_column": HOSTILE, "place": HOSTILE}
    (home / "desk.json").write_text(json.dumps(memory), encoding="utf-8")
    desk = Desk(tmp_path / "home")
    try:
        desk.open(browser)
        for page in ("", *(f"s/study/{p}" for p in ("study", "keys", "table", "leave", "ledger"))):
            desk.page(browser, page)
            assert browser.evaluate("document.title") != "hit"
            assert not browser.evaluate("document.querySelector('img[src=x]') !== null")
            assert browser.complaints() == []
    finally:
        desk.close()


AXE = Path(os.environ.get("AXE_CORE", Path(__file__).parents[2] / "node_modules/axe-core"))
SERIOUS = """axe.run(document, {iframes: false}).then((found) => found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ").slice(0, 400)}`))"""


@pytest.mark.skipif(
    not (AXE / "axe.min.js").exists(), reason="axe-core is not there: npm install axe-core"
)
def test_axe_finds_nothing_serious(browser, case):
    memory = {"role": "a/lab", "table": "a.lab.csv", "id_column": "patient id"}
    (case.folder / "desk.json").write_text(json.dumps(memory), encoding="utf-8")
    names = ("study", "keys", "table", "leave", "result", "ledger", "draft", "inbox", "answer")
    desk = Desk(case.folder)
    try:
        desk.open(browser)
        desk.page(browser, "s/this-folder/table")
        act(browser, "check")
        desk.page(browser, "s/this-folder/leave")
        act(browser, "rehearse")
        for page in ("", *(f"s/this-folder/{name}" for name in names)):
            for width, dark in ((400, False), (1600, True)):
                desk.page(browser, page, width, dark)
                browser.evaluate((AXE / "axe.min.js").read_text(encoding="utf-8"))
                assert browser.evaluate(SERIOUS, wait=True) == [], (page, width, dark)
                wide = browser.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, f"{page} is {wide} wide"
    finally:
        desk.close()

"""Desks as processes, in a real browser: whole studies without a command."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from conftest import environment, run
from consilience.desk.seat import Seat
from desks import Desk, act, lay_seats, settle
from keyboard import Keyboard
from people import ID, Carriers, People, plain

GROUPS = {"clinical": ["age", "pressure", "glucose"], "lifestyle": ["steps", "sleep", "alcohol"]}
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


@pytest.fixture
def desks(browser, tables, tmp_path):
    """Open a desk for every party and the analyst."""
    with ExitStack() as stack:
        made = {}
        for role in (*tables, "analyst"):
            made[role] = Desk(tmp_path / plain(role))
            stack.callback(made[role].close)
        for desk in made.values():
            desk.open(browser)
        yield made


def labels_by_commands(before, tables):
    """Contribute, analyse and label by commands, from the studies and keys the desks had."""
    answers = before["analyst"] / "answers"

    def command(*words):
        result = run(*words)
        assert result.code == 0, result.err

    def party(verb, role, *words):
        own = ("--as", role, "--data", tables[role], "--id", ID)
        command(verb, before[role] / "study.toml", *words, *own)

    for role in tables:
        party("contribute", role, "--out", before["analyst"], "--yes")
    sent = [before["analyst"] / f"{plain(role)}.contribution" for role in tables]
    command("analyse", before["analyst"] / "study.toml", *sent, "--out", answers)
    for role in tables:
        out = before[role] / "labels.csv"
        party("label", role, answers / f"{plain(role)}.answer", "--out", out)
    return {role: pd.read_csv(before[role] / "labels.csv", dtype=str) for role in tables}


def test_a_study_by_hand_and_one_by_the_letter_box(browser, desks, tables, tmp_path):
    """Five desks, from draft to labels: those that the commands give, for every party."""
    pytest.importorskip("httpx")
    for carriers in Carriers:
        people = People(browser, desks, tables, carriers)
        with people.ready(tmp_path / "box"):
            before = people.copy(tmp_path / f"by commands, {carriers.value}")
            for role in tables:
                people.contribute(role)
            people.answer()
            labels = {role: people.label(role) for role in tables}
        assert browser.complaints() == []
        for role, table in labels_by_commands(before, tables).items():
            pd.testing.assert_frame_equal(labels[role], table)
        assert labels["north/clinical"].iloc[:, 1].nunique() == 3
        entries = people.home("north/clinical") / "private" / "north.clinical" / "ledger.jsonl"
        assert '"by": "Dr. Novak"' in entries.read_text(encoding="utf-8")


def test_a_party_takes_part_by_the_keyboard_alone(browser, new_case, tmp_path):
    """Take the study, keys, table, check, consent, contribute: Tab, Enter, Space and letters."""
    case = new_case(rows=("a", "b"), columns=("lab",))
    del case.terms["keys"]["a/lab"]
    case.write()
    desk, keys = Desk(tmp_path / "home"), Keyboard(browser)
    home = tmp_path / "home" / "a-small-study"
    try:
        desk.open(browser)
        keys.choose("#take", case.path)
        keys.tick("[name=role][value='a/lab']")
        keys.go("form[action$='/change/role'] button")
        keys.do("keygen")
        keys.choose("#letters", home / "a.lab.public.toml")
        keys.do("collect")
        keys.do("share")
        keys.go(".rail a[href$='/table']")
        keys.choose("#table-file", case.data("a/lab"))
        keys.write("#id_column", "patient id")
        keys.go("form[action$='/change/table'] button")
        keys.do("check")
        keys.go(".rail a[href$='/leave']")
        keys.do("rehearse")
        keys.tick("[name=agreed]")
        keys.write("#by", "Dr. Novak")
        keys.do("contribute")
    finally:
        desk.close()
    assert (home / "a.lab.contribution").exists()
    entries = (home / "private" / "a.lab" / "ledger.jsonl").read_text(encoding="utf-8")
    assert '"by": "Dr. Novak"' in entries


def agree(browser) -> None:
    """Look at what would leave, and consent with a name; do not wait for the command."""
    act(browser, "rehearse")
    browser.fill("[name=agreed]", "")
    browser.fill("#by", "Dr. Novak")
    browser.click("form[action$='/do/contribute'] button:not(.copy)")


def test_peers_agree_over_a_place_that_all_reach(browser, of_kind, tmp_path):
    case, place = of_kind("peers"), tmp_path / "place"
    place.mkdir()
    root = lay_seats(case, tmp_path / "home", place=str(place))
    desk = Desk(root, "--place", place)
    try:
        desk.open(browser)
        for peer in case.parties:
            desk.page(browser, f"s/{plain(peer, '-')}/leave")
            agree(browser)
        for peer in case.parties:
            desk.page(browser, f"s/{plain(peer, '-')}/result")
            settle(browser)
            desk.page(browser, f"s/{plain(peer, '-')}/result")
            assert browser.evaluate("document.querySelector('iframe.report') !== null")
    finally:
        desk.close()
    one, other = (pd.read_csv(root / plain(peer, "-") / "labels.csv") for peer in case.parties)
    pd.testing.assert_frame_equal(*(t.sort_values(ID, ignore_index=True) for t in (one, other)))


def test_a_stream_is_answered_window_by_window(browser, of_kind, tmp_path):
    case = of_kind("stream")
    party = case.parties[0]
    root = lay_seats(case, tmp_path / "home")
    desk, seat = Desk(root), Seat("x", root / plain(party, "-"))
    try:
        desk.open(browser)
        desk.page(browser, f"s/{plain(party, '-')}/leave")
        agree(browser)
        settle(browser)
        [left] = seat.left("window")
        desk.page(browser, "s/analyst/inbox")
        browser.drop("#letters", seat.path / left["file"])
        act(browser, "status")
        desk.page(browser, "s/analyst/answer")
        act(browser, "analyse")
        desk.page(browser, f"s/{plain(party, '-')}/result")
        browser.drop("#letters", root / "analyst" / f"{plain(party)}.clusters")
        act(browser, "label")
        assert browser.evaluate("document.querySelector('iframe.report') !== null")
    finally:
        desk.close()
    assert pd.read_csv(seat.path / "labels.csv")["cluster"].nunique() > 1


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
    names = ("study", "keys", "table", "match", "leave", "result", "ledger", "draft")
    names += ("inbox", "answer")
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

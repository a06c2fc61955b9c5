"""Files that leave and arrive: agreed to, whole or not there, and private where ids are in them."""

import shutil
import sqlite3
import stat
import subprocess
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from consilience.by_files import Outcome, Solution
from consilience.cli.shared.letters import read_folder, show_table, write_answers, write_outcome
from consilience.exceptions import StudyError
from consilience.report.page import Page, Table
from consilience.study.study import ANALYST
from consilience.transports.bundle import open_bundle, read_bundle
from consilience.transports.wire import take_apart

PARTY = "a/lab"
PAGE = Page("title", "subtitle", "notice", [], private=True)


def test_labels_are_readable_by_their_owner_alone(cli, solved, of_kind, command):
    assert cli(*solved.label_command(PARTY)).code == 0
    files = [solved.folder / "a.lab.labels.csv"]
    peers = of_kind("peers")
    files += [peers.folder / f"{party[2:]}.csv" for party in peers.parties]
    for _ in range(9):
        for party in peers.parties:
            result = cli(*command(peers, "peer", party, "--set", "n_clusters=2"))
            assert result.code == 0, result.err
    stream = of_kind("stream")
    nodes = [stream.folder / "out" / f"{row}.bills.0.nodes" for row in "ab"]
    for party in stream.parties:
        assert cli(*command(stream, "stream", party)).code == 0
    out = stream.folder / "out"
    assert cli("stream", stream.path, "--as", ANALYST, *nodes, "--out", out).code == 0
    result = cli(*command(stream, "stream", "a/bills"), out / "a.bills.clusters")
    assert result.code == 0, result.err
    files.append(out / "labels.csv")
    for file in files:
        assert len(pd.read_csv(file)) in (30, 24)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_models_and_pages_beside_the_labels_are_private_too(tmp_path, capsys):
    table = pd.DataFrame({"id": ["p"], "cluster": [0]})
    outcome = Outcome(
        table, "cluster 0: 1", lambda: PAGE, ["mind it"], {"-model.txt": b"x"}, "a model"
    )
    write_outcome(outcome, tmp_path / "labels.csv", tmp_path / "page.html")
    out, err = capsys.readouterr()
    assert f"wrote {tmp_path / 'labels-model.txt'}: a model" in out
    assert err == "mind it\n"
    for name in ("labels.csv", "labels-model.txt", "page.html"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_what_cannot_be_used_in_a_folder_is_said_and_the_rest_read(solved, tmp_path):
    broken = tmp_path / "broken.contribution"
    broken.write_bytes(solved.sent(PARTY).read_bytes()[:-9])
    me = solved.participant(ANALYST)
    letters, unread = read_folder(me, [broken, solved.sent("b/lab")])
    assert [letter.message.sender for letter in letters] == ["b/lab"]
    assert len(unread) == 1
    assert "broken.contribution cannot be opened" in unread[0]


def test_all_files_that_cannot_be_used_are_named_at_once(cli, solved, tmp_path):
    paths = [tmp_path / f"{k}.contribution" for k in range(2)]
    for path in paths:
        path.write_bytes(solved.sent(PARTY).read_bytes()[:-9])
    result = cli(*solved.analyse_command("--out", tmp_path, paths=[*paths, solved.sent("b/lab")]))
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "2 of 3 files cannot be used: (1) 0.contribution cannot be opened" in result.err
    assert "(2) 1.contribution cannot be opened" in result.err


def test_statements_among_the_files_are_passed_over(cli, case):
    for party in case.parties:
        assert cli(*case.contribute_command(party)).code == 0
    paths = sorted((case.folder / "out").iterdir())
    assert len(paths) == 3 * len(case.parties)
    result = cli(*case.analyse_command(paths=paths))
    assert result.code == 0, result.err


def test_no_answer_appears_where_the_analyst_cannot_keep_its_state(solved, tmp_path):
    def fail():
        raise OSError("no space")

    paths = [solved.sent(party) for party in solved.parties]
    letters, _ = read_folder(solved.participant(ANALYST), paths)
    answers = [
        replace(letter, message=replace(letter.message, sender=ANALYST, recipient="b/lab"))
        for letter in letters
    ]
    table = Table(["rows"], [["1"]])
    solution = Solution(answers, {}, table, lambda: PAGE, keep=fail)
    with pytest.raises(OSError, match="no space"):
        write_answers(solved.participant(ANALYST), solution, tmp_path, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_a_bundle_takes_the_place_of_no_other_file(cli, case):
    table = case.folder / "out" / "a.lab.contribution"
    table.parent.mkdir()
    table.write_text("id,age\n")
    result = cli(*case.contribute_command(PARTY))
    assert (result.code, "is no bundle of ours" in result.err) == (2, True)
    assert table.read_text() == "id,age\n"
    assert not case.private(PARTY).ledger.entries()


def test_a_study_beside_the_labels_is_never_overwritten(tmp_path):
    table = pd.DataFrame({"institution": ["a"], "group": [0]})
    for _ in range(2):
        write_outcome(
            Outcome(table, "", lambda: PAGE, files={"-study.toml": b"x"}), tmp_path / "g.csv", None
        )
    (tmp_path / "g-study.toml").write_bytes(b"x and keys")
    with pytest.raises(StudyError, match="a study is never overwritten"):
        write_outcome(
            Outcome(table, "", lambda: PAGE, files={"-study.toml": b"x"}), tmp_path / "g.csv", None
        )
    assert (tmp_path / "g-study.toml").read_bytes() == b"x and keys"


def test_a_table_shows_names_as_they_are(capsys):
    show_table(Table(["[red]who\x1b[2J", "n"], [["a [b]x[/b]\x07", 3]], "of \x9b1m"))
    out = capsys.readouterr().out
    assert "[red]who?[2J" in out
    assert "a [b]x[/b]?" in out
    assert "of ?1m" in out


def consistent(case):
    """See that what is there is whole, and that the ledger knows of it."""
    entries = case.private(PARTY).ledger.entries()
    path = case.sent(PARTY)
    if path.exists():
        read_bundle(path, study=case.study, identity=case.identities[ANALYST])
        manifest = open_bundle(path, case.identities[PARTY])[0]
        assert {m.name: m.sha256 for m in manifest.members} in [e["members"] for e in entries]
    return len(entries), path.read_bytes() if path.exists() else None


def test_kill_during_contribute_leaves_nothing_half_written(nursery, cli, case):
    codes = set()
    for delay in np.linspace(0.0, 0.25, 12):
        codes.add(nursery.run(*case.contribute_command(PARTY), kill_after=delay).code)
        consistent(case)
    assert -9 in codes
    assert codes <= {0, -9}
    result = nursery.run(*case.contribute_command(PARTY))
    assert result.code == 0, result.err
    consistent(case)
    case.contribute(*(p for p in case.parties if p != PARTY))
    assert cli(*case.analyse_command()).code == 0
    assert case.labels(PARTY).notna().all()


def test_kill_in_the_middle_of_writing_leaves_nothing_half_written(nursery, new_case):
    case = new_case(n=(20_000, 24))
    out, ledger = case.folder / "out", case.private(PARTY).path / "ledger.jsonl"
    begun = (ledger.exists, lambda: out.exists() and any(out.iterdir()), case.sent(PARTY).exists)
    for moment in begun:
        for path in (*out.glob("*"), *out.glob(".*"), ledger, ledger.with_suffix(".head")):
            path.unlink(missing_ok=True)
        assert nursery.run(*case.contribute_command(PARTY), kill_when=moment).code in (0, -9)
        n_lines, _ = consistent(case)
        assert n_lines <= 1
    assert nursery.run(*case.contribute_command(PARTY)).code == 0
    assert consistent(case)[0] == n_lines + 1


def test_full_disk_during_contribute_loses_nothing(nursery, case):
    first = nursery.run(*case.contribute_command(PARTY))
    assert first.code == 0, first.err
    before = consistent(case)
    [state] = case.private(PARTY).path.glob("reduction-*.safetensors")
    kept = state.read_bytes()
    size = len(before[1])
    ledger = case.private(PARTY).path / "ledger.jsonl"
    # The seal has a random length: limits stay well below the size of the file.
    for limit in (1, 300, ledger.stat().st_size + 10, 2000, 4100, size // 2, 3 * size // 4):
        result = nursery.run(*case.contribute_command(PARTY), limit=limit)
        assert result.code == 1, result.err
        assert "failed: " in result.err
        assert "Traceback" not in result.err
        assert consistent(case)[1] == before[1]
        assert state.read_bytes() == kept
        assert not [p for p in case.folder.rglob(".*") if p.is_file()]
    assert nursery.run(*case.contribute_command(PARTY)).code == 0
    assert consistent(case)[1] != before[1]


@pytest.fixture(params=["clusters", "classes", "groups", "summaries"])
def from_database(request, of_kind):
    """A command of each kind whose table is read in parts, as of any database; and its case."""
    pytest.importorskip("sqlalchemy")
    case = of_kind(request.param)
    if request.param == "summaries":
        case.terms["summaries"] = {"guarantee": "k-anonymous", "min_rows": 5, "n_clusters": 3}
        case.write()
    party = case.parties[0]
    base, query = case.folder / "ward.db", case.folder / "ward.sql"
    with closing(sqlite3.connect(base)) as connection, connection:
        case.tables[party].to_sql("ward", connection, index=False)
    query.write_text("SELECT * FROM ward")
    given = ["--as", party, "--data", f"sqlite:///{base}", "--query", query, "--id", "patient id"]
    return case, party, ["contribute", case.path, *given, "--yes", "--out", case.folder / "out"]


def sent_of(case, party):
    """Return what a party sent, array by array."""
    message, _ = read_bundle(case.sent(party), study=case.study, identity=case.identities[ANALYST])
    return {name: part.tobytes() for name, part in take_apart(message)[1].items()}


def test_full_disk_while_rows_lie_in_files_loses_nothing(nursery, from_database):
    case, party, command = from_database
    private = case.private(party).path
    names = sorted(path.name for path in private.iterdir())
    for limit in (1, 100, 300):
        result = nursery.run(*command, limit=limit)
        assert result.code == 1, result.err
        assert "failed: " in result.err
        assert "Traceback" not in result.err
        assert sorted(path.name for path in private.iterdir()) == names
    assert nursery.run(*command).code == 0
    streamed = sent_of(case, party)
    assert nursery.run(*command, "--in-memory").code == 0
    assert sent_of(case, party) == streamed


def test_a_kill_while_rows_lie_in_files_loses_nothing(nursery, from_database):
    case, party, command = from_database
    ended = {nursery.run(*command, kill_after=delay).code for delay in np.linspace(0.02, 0.3, 5)}
    assert -9 in ended
    assert ended <= {0, -9}
    assert nursery.run(*command).code == 0
    streamed = sent_of(case, party)
    assert nursery.run(*command, "--in-memory").code == 0
    assert sent_of(case, party) == streamed
    assert not [p for p in case.folder.rglob(".*") if p.is_file()]


def test_really_full_disk_during_contribute(nursery, case):
    disk = case.folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small disk here")
    try:
        result = nursery.run(*case.contribute_command(PARTY, "--out", disk))
        assert result.code == 1
        assert "No space left on device" in result.err
        assert not list(disk.iterdir())
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_folder_without_permission_is_a_failure_in_words(nursery, case):
    (case.folder / "out").write_text("a file, not a folder")
    result = nursery.run(*case.contribute_command(PARTY, "--out", case.folder / "out" / "inside"))
    assert result.code in (1, 2)
    assert "Traceback" not in result.err


def test_kill_during_analyse_leaves_no_half_answer(nursery, cli, case):
    case.contribute()
    codes = []
    for delay in np.linspace(0.0, 0.5, 10):
        codes.append(nursery.run(*case.analyse_command(), kill_after=delay).code)
        for party in case.parties:
            if case.answer(party).exists():
                read_bundle(case.answer(party), study=case.study, identity=case.identities[party])
    assert set(codes) <= {0, -9}
    assert -9 in codes
    result = nursery.run(*case.analyse_command())
    assert result.code == 0, result.err
    assert all(case.labels(party).notna().all() for party in case.parties)


def test_kill_in_the_middle_of_writing_leaves_no_half_answer(nursery, new_case):
    case = new_case(rows=("a",), columns=("lab",), n=(20_000,)).contribute()
    out = case.folder / "answers"

    def read():
        read_bundle(case.answer("a/lab"), study=case.study, identity=case.identities["a/lab"])

    nursery.run(*case.analyse_command(), kill_when=lambda: out.exists() and any(out.iterdir()))
    if case.answer("a/lab").exists():
        read()
    assert nursery.run(*case.analyse_command()).code == 0
    read()


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_full_disk_during_analyse_leaves_the_earlier_answers(nursery, new_case, engine):
    case = new_case(n=(24, 300)).contribute()
    command = case.analyse_command("--engine", engine)
    assert nursery.run(*command).code == 0
    before = {p: case.answer(p).read_bytes() for p in case.parties}
    sizes = sorted(map(len, before.values()))
    # The seal has a random length: limits stay well below the size of the largest answer.
    for limit in (10, 1000, sizes[0] // 2, sizes[-1] // 2, 3 * sizes[-1] // 4):
        result = nursery.run(*command, limit=limit)
        assert result.code == 1, result.err
        assert "failed: " in result.err
        assert "Traceback" not in result.err
        assert not list(case.private(ANALYST).path.glob("spill/*"))
        assert {p: case.answer(p).read_bytes() for p in case.parties} == before
        assert len(list((case.folder / "answers").glob("*.answer"))) == len(case.parties)
        assert not list((case.folder / "answers").glob(".*"))

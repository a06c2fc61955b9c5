from multiprocessing import Process

import pytest

from consilience.exceptions import StudyError
from consilience.study.ledger import Ledger


def test_entries_come_back_in_order(tmp_path):
    ledger = Ledger(tmp_path / "private" / "ledger.jsonl")
    assert ledger.entries() == []
    for k in range(3):
        ledger.add("contribution", to="analyst", rows=k, members={"a": "0" * 64})
    assert [entry["rows"] for entry in ledger.entries()] == [0, 1, 2]
    assert [entry["what"] for entry in ledger.entries()] == ["contribution"] * 3
    assert all(entry["when"].endswith("+00:00") for entry in ledger.entries())


def test_what_was_written_is_never_changed(tmp_path):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.add("contribution", note="line\nfeed \u2028 and \x85")
    before = ledger.path.read_bytes()
    ledger.add("contribution")
    assert ledger.path.read_bytes().startswith(before)
    assert ledger.path.read_bytes().count(b"\n") == 2
    assert ledger.entries()[0]["note"] == "line\nfeed \u2028 and \x85"


def test_damaged_line_is_named(tmp_path):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.add("contribution")
    whole = ledger.path.read_text()
    for damaged in ('{"when": "20', "[1, 2", "3", "null"):
        ledger.path.write_text(whole + damaged + "\n")
        with pytest.raises(StudyError, match=r"line 2 of .* is damaged"):
            ledger.entries()
    ledger.path.write_bytes(whole.encode() + b"\xff\n")
    with pytest.raises(StudyError, match=r"line 2 of .* is damaged"):
        ledger.entries()


def test_a_line_that_was_left_unfinished_gives_way(tmp_path):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.add("contribution", rows=1)
    ledger.path.write_text(ledger.path.read_text() + '{"unfinished')
    assert [entry["rows"] for entry in ledger.entries()] == [1]
    ledger.add("contribution", rows=2)
    assert [entry["rows"] for entry in ledger.entries()] == [1, 2]


def cut(data):
    return data[: data.index(b"\n") + 1]


@pytest.mark.parametrize(
    "change",
    [cut, lambda data: data[:-1], lambda data: data.replace(b'"rows": 0', b'"rows": 7'), None],
    ids=["a line less", "the last sign less", "a line changed", "no ledger"],
)
def test_a_ledger_that_is_not_what_it_was_is_noticed(tmp_path, change):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    for k in range(3):
        ledger.add("contribution", rows=k)
    before = ledger.path.read_bytes()
    if change is None:
        ledger.path.unlink()
    else:
        ledger.path.write_bytes(change(before))
    for look in (ledger.entries, lambda: ledger.add("contribution")):
        with pytest.raises(StudyError, match="Restore it from a copy"):
            look()
    ledger.path.touch(0o600)
    ledger.path.write_bytes(before)
    ledger.path.chmod(0o600)
    ledger.add("contribution", rows=3)
    assert [entry["rows"] for entry in ledger.entries()] == [0, 1, 2, 3]


def test_a_ledger_without_a_head_is_one_of_an_earlier_version(tmp_path):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.path.touch(0o600)
    ledger.path.write_text('{"when": "2026", "what": "contribution"}\n')
    ledger.path.chmod(0o600)
    ledger.add("contribution")
    assert len(ledger.entries()) == 2
    ledger.path.with_suffix(".head").write_text("many")
    with pytest.raises(StudyError, match=r"ledger\.head is damaged"):
        ledger.entries()


def test_several_entries_are_added_at_once_or_none_is(tmp_path):
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.add_all("answer", [{"to": "a/lab"}, {"to": "b/lab"}])
    ledger.add_all("answer", [])
    with pytest.raises(TypeError):
        ledger.add_all("answer", [{"to": "c/lab"}, {"to": object()}])
    assert [entry["to"] for entry in ledger.entries()] == ["a/lab", "b/lab"]


def add_many(path, start):
    for k in range(start, start + 25):
        Ledger(path).add("contribution", rows=k)


def test_lines_of_processes_at_once_are_all_there(tmp_path):
    path = tmp_path / "ledger.jsonl"
    writers = [Process(target=add_many, args=(path, 25 * k)) for k in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert sorted(entry["rows"] for entry in Ledger(path).entries()) == list(range(100))

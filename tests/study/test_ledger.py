import json

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
    ledger.path.write_text(whole + '{"unfinished')
    ledger.add("contribution")
    assert json.loads(ledger.path.read_text().splitlines()[2])["what"] == "contribution"

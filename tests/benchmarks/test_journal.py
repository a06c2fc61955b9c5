import pytest

from benchmarks import journal
from benchmarks.journal import Journal


def refuse():
    raise AssertionError("measured twice")


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    path = tmp_path / "deep" / ".journal"
    first = Journal(path)
    first.measure("a", lambda: {"ARI": 1})
    with pytest.raises(ZeroDivisionError):
        first.measure("b", lambda: {"ARI": 1 / 0})
    with path.open("a") as file:
        file.write('["c", {"AR')  # the machine went down here
    again = Journal(path)
    assert len(again) == 1
    assert again.measure("a", refuse) == {"ARI": 1.0}
    again.finish()
    assert len(Journal(path)) == 0


def test_measurements_of_other_code_are_not_taken_over(tmp_path, monkeypatch):
    path = tmp_path / ".journal"
    Journal(path).measure("a", lambda: {"ARI": 1})
    monkeypatch.setattr(journal, "code_digest", lambda: "another version")
    assert len(Journal(path)) == 0

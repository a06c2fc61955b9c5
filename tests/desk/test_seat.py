import os

from consilience.desk.commands import Command
from consilience.desk.seat import MEMORY, Memory, Seat


def test_what_is_remembered_is_there_again_and_private(seat):
    again = Seat(seat.name, seat.path)
    assert again.memory == seat.memory
    assert (again.role, again.memory.table) == ("a/lab", "a.lab.csv")
    if os.name == "posix":
        assert (seat.path / MEMORY).stat().st_mode & 0o077 == 0


def test_a_memory_that_was_tampered_with_is_as_good_as_none(seat):
    (seat.path / MEMORY).write_text('{"role": ["x"]}')
    assert Seat(seat.name, seat.path).memory == Memory()


def test_a_role_the_study_does_not_know_is_nobody(seat):
    seat.remember(role="z/lab")
    assert seat.role == ""


def test_a_result_counts_until_what_it_was_found_from_changes(seat):
    seat.kept("").mkdir()
    seat.keep_result("check", Command(("check",)), {"found": {"passes": True}, "code": 0})
    assert seat.result("check", "a.lab.csv")["found"] == {"passes": True}
    later = seat.kept("check.json").stat().st_mtime_ns + 1
    os.utime(seat.path / "a.lab.csv", ns=(later, later))
    assert seat.result("check", "a.lab.csv") is None
    assert seat.result("check", "gone.csv") is None


def test_secrets_are_not_handed_out(seat, cli, case):
    assert cli(*case.contribute_command("a/lab")).code == 0
    (seat.path / "labels.csv").write_text("id,cluster\n")
    (seat.path / "labels.secret").symlink_to(case.private("a/lab").path / "row.key")
    assert {"study.toml", "labels.csv"} <= seat.downloads
    assert not {name for name in seat.downloads if "key" in name or "identity" in name}
    assert "labels.secret" not in seat.downloads
    assert "a.lab.csv" not in seat.downloads


def test_a_broken_study_file_is_said_so(tmp_path):
    (tmp_path / "study.toml").write_text("name = ")
    seat = Seat("x", tmp_path)
    assert seat.study is None
    assert "study.toml" in seat.problem
    assert seat.roles == []

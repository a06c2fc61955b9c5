import pytest

from consilience.desk.changes import change
from consilience.exceptions import StudyError


def test_a_place_is_an_address_or_a_folder_that_was_named_at_the_start(seat, tmp_path):
    change("place", seat, {"place": "https://host:8443"}, [])
    change("place", seat, {"place": "/mnt/share"}, ["/mnt/share"])
    assert seat.memory.place == "/mnt/share"
    for place in ("/etc", str(tmp_path), "file:///etc", "https://", "../x", "ftp://x"):
        with pytest.raises(StudyError, match="--place FOLDER"):
            change("place", seat, {"place": place}, ["/mnt/share"])


@pytest.mark.parametrize("file", ["../a.lab.csv", "/etc/passwd", "private/a.lab/row.key", ""])
def test_a_table_is_one_that_was_dropped_here(seat, file):
    with pytest.raises(StudyError, match="no such table"):
        change("table", seat, {"file": file}, [])


def test_a_database_needs_a_host_and_a_query(seat):
    for address in ("sqlite:////etc/x.db", "sqlite:///x.db"):
        with pytest.raises(StudyError, match="with a host"):
            change("table", seat, {"address": address}, [])
    with pytest.raises(StudyError, match="needs a query"):
        change("table", seat, {"address": "postgresql://host/db"}, [])
    (seat.path / "tables").mkdir()
    (seat.path / "tables" / "q.sql").write_text("select 1")
    change("table", seat, {"address": "postgresql://host/db", "query": "tables/q.sql"}, [])
    assert (seat.memory.table, seat.memory.query) == ("postgresql://host/db", "tables/q.sql")


def test_who_has_sent_something_stays_who_they_are(seat, cli, case):
    with pytest.raises(StudyError, match="no role"):
        change("role", seat, {"role": "x/y"}, [])
    assert cli(*case.contribute_command("a/lab")).code == 0
    with pytest.raises(StudyError, match="use another folder"):
        change("role", seat, {"role": "analyst"}, [])


def test_a_study_with_keys_is_not_corrected_any_more(seat):
    with pytest.raises(StudyError, match="drafts another one"):
        change("columns", seat, {"name-0": "age"}, [])

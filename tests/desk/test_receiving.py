import asyncio
import os

import pytest

from consilience.desk.receiving import check_name, read_text, receive_letter, receive_table
from consilience.exceptions import StudyError


async def parts_of(data):
    yield data


def given(receive, seat, name, data):
    return asyncio.run(receive(seat, name, parts_of(data)))


@pytest.mark.parametrize(
    "name", ["", "..", "../x.csv", "a/b.csv", "a\\b.csv", "a\0.csv", ".x.csv", "<b>.csv", "a" * 300]
)
def test_names_that_lead_elsewhere_are_refused(name):
    with pytest.raises(StudyError, match="rename it"):
        check_name(name)


def test_a_table_is_kept_for_its_owner_alone(seat):
    assert given(receive_table, seat, "a b.csv", b"id\n1\n") == "tables/a b.csv"
    if os.name == "posix":
        assert (seat.path / "tables" / "a b.csv").stat().st_mode & 0o077 == 0
    with pytest.raises(StudyError, match="a table is a file"):
        given(receive_table, seat, "x.exe", b"")


def test_a_letter_goes_where_it_belongs_and_what_is_none_is_refused(seat, cli, case):
    assert cli(*case.contribute_command("a/lab")).code == 0
    sealed = case.sent("a/lab").read_bytes()
    given(receive_letter, seat, "a.lab.contribution", sealed)
    assert seat.arrived(".contribution") == ["arrived/by-hand/a.lab.contribution"]
    with pytest.raises(StudyError, match="not sealed"):
        given(receive_letter, seat, "b.lab.contribution", b"id,age\n")
    assert len(seat.arrived(".contribution")) == 1
    with pytest.raises(StudyError, match="none that belongs"):
        given(receive_letter, seat, "table.csv", b"")


def test_another_study_waits_until_it_is_accepted(seat, case):
    before = case.path.read_bytes()
    other = before.replace(case.study.name.encode(), b"another name")
    assert "another version" in given(receive_letter, seat, "study.toml", other)
    assert case.path.read_bytes() == before
    assert seat.offered
    assert given(receive_letter, seat, "study.toml", before) == "the study"


def test_what_is_no_study_is_refused(seat):
    for data in (b"\xff\xfe", b"name = ", b"x" * 2**21):
        with pytest.raises(StudyError):
            given(receive_letter, seat, "study.toml", data)
    with pytest.raises(StudyError, match="larger"):
        asyncio.run(read_text(parts_of(b"x" * 2**21)))

"""A seat in a small study, and a desk that answers inside the test."""

import pytest

from consilience.desk.seat import Seat

PARTY, ID = "a/lab", "patient id"


@pytest.fixture
def seat(case):
    """Return the seat of a party whose table is chosen."""
    seat = Seat("this-folder", case.folder)
    seat.remember(role=PARTY, table="a.lab.csv", id_column=ID)
    return seat


@pytest.fixture
def desk(tmp_path):
    """Return a desk on an empty folder, and a client that came in by its link."""
    pytest.importorskip("starlette")
    pytest.importorskip("httpx")
    from desk_client import entered

    return entered(tmp_path / "home")

"""A seat in a small study, and a desk that answers inside the test."""

import re

import pytest

from consilience.desk.folder import DeskFolder
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
    with entered(tmp_path / "home") as found:
        yield found


def entered(root, perform=print):
    """Return a client of a desk on a folder, which knows where its pages are."""
    from starlette.testclient import TestClient

    from consilience.desk.guard import Guard
    from consilience.desk.pages import Pages
    from consilience.desk.server import DeskServer, make_app
    from consilience.desk.workshop import Workshop

    guard = Guard(None, 8000)
    pages = Pages(guard.prefix, guard.csrf, str(root))
    guard.app = make_app(DeskServer(DeskFolder(root), Workshop(perform), pages, ["/mnt/share"]))
    client = TestClient(guard, base_url="http://127.0.0.1:8000", follow_redirects=False)
    client.guard, client.root, client.link = guard, root, guard.link
    found = re.search(r'href="([^"]+)"', client.get(guard.link).text)
    client.home = found[1].rstrip("/")
    client.headers["origin"] = "http://127.0.0.1:8000"
    return client

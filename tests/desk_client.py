"""A desk that answers inside the test, and a client that came in by its link."""

import re

from benchmarks.adversary.desk import Client
from consilience.desk.folder import DeskFolder
from consilience.desk.guard import Guard
from consilience.desk.pages import Pages
from consilience.desk.server import DeskServer, make_app
from consilience.desk.workshop import Workshop


def make_client(root, perform=print):
    """Return a client of a desk on a folder, who has not come in yet."""
    guard = Guard(None, 8000)
    pages = Pages(guard.prefix, guard.csrf, str(root))
    workshop = Workshop(perform)
    guard.app = make_app(DeskServer(DeskFolder(root), workshop, pages, ["/mnt/share"]))
    client = Client(guard)
    client.guard, client.root, client.link, client.workshop = guard, root, guard.link, workshop
    client.headers["origin"] = "http://127.0.0.1:8000"
    return client


def entered(root, perform=print):
    """Return a client that came in by the link, and knows where the pages are."""
    client = make_client(root, perform)
    client.home = re.search(r'href="([^"]+)"', client.get(client.link).text)[1].rstrip("/")
    return client

"""A desk that answers inside the test, and a client that came in by its link."""

import re
import time
from urllib.parse import quote

from benchmarks.adversary.desk import Client
from consilience.cli.desk import PRELOAD
from consilience.desk.folder import DeskFolder
from consilience.desk.guard import Guard
from consilience.desk.pages import Pages
from consilience.desk.server import DeskServer, make_app
from consilience.desk.workshop import Workshop


def make_client(root, perform=print):
    """Return a client of a desk on a folder, who has not come in yet."""
    guard = Guard(None, 8000)
    pages = Pages(guard.prefix, guard.csrf, str(root))
    workshop = Workshop(perform, PRELOAD)
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


def post(client, path, **fields):
    """Send a form of a page."""
    return client.post(path, data={"csrf": client.guard.csrf, **fields})


def upload(client, path, name, data):
    """Drop a file on a page."""
    headers = {"x-csrf": client.guard.csrf, "x-file-name": quote(name)}
    return client.post(path, content=data, headers=headers)


def wait(client):
    """Wait until no command is at work; return how each ended."""
    for job in client.workshop._jobs.values():
        end = time.monotonic() + 180
        while job.running:
            assert time.monotonic() < end, job.command.shown
            time.sleep(0.02)
    return [job for job in client.workshop._jobs.values()]

"""A desk asked by strangers, and given names, tables and studies that want to be more than that."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from benchmarks.adversary.small_studies import small_study
from benchmarks.adversary.tried import Tried, share_of
from consilience.desk.folder import DeskFolder
from consilience.desk.guard import FORM, Guard
from consilience.desk.pages import Pages
from consilience.desk.server import DeskServer, make_app
from consilience.desk.workshop import Workshop

__all__ = ["Client", "attempt"]

PORT = 8000
OWN = f"127.0.0.1:{PORT}"
N_STRANGERS, N_INPUTS = 200, 400
CELL = "cell-4711-of-nobody"
HOSTS = (OWN, "evil.example", f"127.0.0.1.evil.example:{PORT}", "", f"[::1]:{PORT}", "127.0.0.1:1")
ORIGINS = ("", "null", "http://evil.example", f"https://{OWN}", "http://127.0.0.1:1", "file://")
SCRIPTS = (
    "<script>hit()</script>",
    "'\"><img src=x onerror=hit()>",
    "{{ 'zq' ~ 'xj' }}{% raw %}",
    "javascript:hit()",
    "</title><svg onload=hit()>",
    "' onfocus=hit() autofocus='",
    "\u202e<b>\u2028</b>",
)
PATHS = (
    "../outside.csv",
    "..%2foutside.csv",
    "/etc/passwd",
    "tables/../../outside.csv",
    "private/north.lab/row.key",
    ".desk/../study.toml",
    "a\\..\\outside.csv",
    "file:///etc/passwd",
    "sqlite:////etc/passwd",
    "a\x00b.csv",
    "-rf",
    "." * 3000,
)
FIELDS = ("role", "place", "file", "id_column", "ignore", "address", "query", "by", "page", "name")


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Ask without leave, and give what wants to be a script or a path.

    Parameters
    ----------
    share : float
        Of 600 tries.
    seed : int
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder))
        tries = share_of(N_STRANGERS, share)
        what = "no cookie, another host, origin or form; a page shown, a thing changed, an error"
        yield Tried(what, tries, sum(scene.knock(rng) for _ in range(tries)))
        tries = share_of(N_INPUTS, share)
        what = (
            "names, paths, studies and tables; a mark-up that stays one, a file elsewhere, a cell "
            "in an address, an error"
        )
        yield Tried(what, tries, sum(scene.give(rng) for _ in range(tries)))
        yield Tried("what lies beside the folder; changed", 1, int(scene.outside() != scene.before))


class Client:
    """A browser without a window: asks an application, and keeps its cookies.

    Parameters
    ----------
    app : ASGI application
    """

    def __init__(self, app: Any) -> None:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._asking = httpx.AsyncClient(transport=transport, base_url=f"http://{OWN}")
        self.cookies, self.headers = self._asking.cookies, self._asking.headers

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Ask, and wait for the answer."""
        return asyncio.run(self._asking.request(method, path, **more))

    def get(self, path: str, **more: Any) -> httpx.Response:
        """Ask for a page."""
        return self.request("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        """Send a form or a file."""
        return self.request("POST", path, **more)


class Scene:
    """A desk with a study in it, a file beside its folder, and whoever asks it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "home"
        small_study(self.root / "study", "no noise")
        (folder / "outside.csv").write_text(f"id,age\n1,{CELL}\n")
        self.guard = Guard(None, PORT)
        pages = Pages(self.guard.prefix, self.guard.csrf, "home")
        self.jobs: list[Any] = []
        workshop = _Idle(self.jobs)
        server = DeskServer(DeskFolder(self.root), workshop, pages, ())
        self.guard.app = make_app(server)
        self.client = Client(self.guard)
        self.client.get(self.guard.link)
        self.session = dict(self.client.cookies)
        self.client.cookies.clear()
        self.before = self.outside()

    def outside(self) -> dict[str, bytes]:
        """Return everything that is not the desk's."""
        return {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}

    def knock(self, rng: random.Random) -> bool:
        """Ask as a stranger does; tell whether anything was got or changed."""
        wrong = rng.choice(("cookie", "host", "origin", "form", "token", "method"))
        cookie = f"desk={self.session['desk']}" if wrong != "cookie" else f"desk={rng.random()}"
        host = rng.choice(HOSTS[1:]) if wrong == "host" else OWN
        origin = rng.choice(ORIGINS) if wrong == "origin" else f"http://{OWN}"
        headers = {"host": host, "cookie": cookie, "origin": origin, "content-type": FORM}
        path = (
            f"{self.guard.prefix}/{rng.choice(('', 's/study/keys', 's/study/change/role', 'new'))}"
        )
        method = "POST" if wrong in ("origin", "form") else rng.choice(("GET", "POST"))
        if wrong == "token":
            path, method = f"/open/{rng.choice(('', 'x', self.guard.link[-43:], '..'))}", "GET"
        if wrong == "method":
            method = rng.choice(("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"))
        csrf = "" if wrong == "form" else self.guard.csrf
        files = self._files()
        answer = self.client.request(
            method, path, headers=headers, content=urlencode({"csrf": csrf, "role": "analyst"})
        )
        return answer.status_code not in (400, 403, 404, 421) or self._files() != files

    def give(self, rng: random.Random) -> bool:
        """Give something hostile by an own page; tell whether it became more than a text."""
        text = rng.choice((*SCRIPTS, *PATHS)) + rng.choice(("", str(rng.random())))
        headers = {"cookie": f"desk={self.session['desk']}", "origin": f"http://{OWN}"}
        way = rng.choice(("change", "do", "new", "upload", "take", "get"))
        home = self.guard.prefix
        if way in ("upload", "take"):
            to = "take" if way == "take" else f"s/study/upload/{rng.choice(('table', 'letter'))}"
            name = rng.choice((text, f"{text}.csv", "study.toml", "x.csv", "x.answer"))
            headers |= {"x-csrf": self.guard.csrf, "x-file-name": quote(name)}
            body = _hostile_file(rng, text)
            answers = [self.client.post(f"{home}/{to}", content=body, headers=headers)]
        elif way == "get":
            place = rng.choice(
                (f"s/{quote(text)}/keys", f"s/study/file/{quote(text)}", quote(text))
            )
            answers = [self.client.get(f"{home}/{place}", headers=headers)]
        else:
            known = ("role", "place", "table", "columns", "accept") if way == "change" else DOING
            to = "new" if way == "new" else f"s/study/{way}/{rng.choice(known)}"
            form = {name: text for name in FIELDS} | {"csrf": self.guard.csrf, "agreed": "yes"}
            headers["content-type"] = FORM
            answers = [self.client.post(f"{home}/{to}", content=urlencode(form), headers=headers)]
        answers += [self.client.get(f"{home}/{page}", headers=headers) for page in SHOWN]
        return any(self._failed(answer, text) for answer in answers) or self._escaped()

    def _failed(self, answer: Any, text: str) -> bool:
        """Tell whether an answer is an error, or holds mark-up or a cell where neither belongs."""
        page = answer.text if "html" in answer.headers.get("content-type", "") else ""
        told = answer.headers.get("location", "")
        reader = _Reader()
        reader.feed(page)
        raw = reader.runs or "zqxj" in page
        return answer.status_code >= 500 or raw or CELL in page + told or "hit()" in told

    def _escaped(self) -> bool:
        """Tell whether a command was begun with a path that lies elsewhere."""
        words = [word for job in self.jobs for word in job.run]
        self.jobs.clear()
        given = [w for k, w in enumerate(words) if k and words[k - 1] in ("--data", "--query")]
        return any(
            not (self.root / "study" / file).resolve().is_relative_to(self.root) for file in given
        )

    def _files(self) -> set[tuple[str, int]]:
        return {(str(p), p.stat().st_mtime_ns) for p in self.root.rglob("*") if p.is_file()}


DOING = ("compare", "check", "contribute", "init", "backup", "carry", "join", "analyse", "../x")
SHOWN = ("", "s/study/study", "s/study/table", "s/study/keys", "s/study/ledger")


class _Reader(HTMLParser):
    """Reads a page as a browser does, and notes whether something in it would run."""

    def __init__(self) -> None:
        super().__init__()
        self.runs = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element and its attributes."""
        known = {name: value or "" for name, value in attrs}
        foreign = tag == "script" and not known.get("src", "").endswith("/static/desk.js")
        acting = any(name.startswith("on") for name in known)
        leads = any(known.get(name, "").startswith("javascript:") for name in ("href", "src"))
        self.runs |= foreign or acting or leads or known.get("src") == "x"


class _Idle(Workshop):
    """A workshop that notes what it was asked to run, and runs nothing."""

    def __init__(self, asked: list[Any]) -> None:
        super().__init__(print)
        self._asked = asked

    def start(self, action: str, command: Any, seat: Any) -> Any:
        self._asked.append(command)


def _hostile_file(rng: random.Random, text: str) -> bytes:
    """Return a table, or a study, whose names are hostile."""
    named = json.dumps(text)
    study = (
        f'name = {named}\ngrid = {{rows = ["north"], columns = ["lab"]}}\n[schema.lab]\n'
        f'{named} = {{kind = "categorical", categories = [{named}, "b"]}}\n'
    )
    table = f"id,{text}\n1,{CELL}\n"
    return rng.choice((study.encode(), table.encode(), b"\x00\xff" * 40, b""))

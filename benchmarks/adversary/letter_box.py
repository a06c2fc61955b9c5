"""A letter box asked by a stranger, and by a role that wants what is not its own."""

from __future__ import annotations

import asyncio
import random
import resource
import socket
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.adversary.carriers import HOST, Scene
from benchmarks.adversary.small_studies import private_folder, small_study
from benchmarks.adversary.tried import Tried, share_of
from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import Folder
from consilience.carriers.letter_box.box import Box
from consilience.carriers.letter_box.links import sign_link
from consilience.carriers.letter_box.server import make_app
from consilience.carriers.letter_box.signatures import Challenge, sign_request
from consilience.carriers.parcel import SLIP, Parcel, folder_of
from consilience.cli.shared.notices import notice_of
from consilience.study.identity import Identity
from consilience.study.study import ANALYST, Study

__all__ = ["attempt"]

VICTIM, ATTACKER = "north/lab", "south/lab"
SECRET = b"a letter of north that is nobody else's"
N_REQUESTS, N_RAW = 95_000, 5_000
PAGE = "/page"
MEMORY_KB = 100_000
ODD = ("..", "%2e%2e", "\x00", "é", "a" * 3000, "/", "//", " ", "?", "#", "\r\nx: y", "*", "")


class Asked(NamedTuple):
    """One request as an application receives it."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Ask what no role should ask, signed and unsigned, whole and broken.

    Parameters
    ----------
    share : float
        Of 100,000 requests.
    seed : int
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        n_tries = share_of(N_REQUESTS, share)
        hostile = _Hostile(Path(folder), rng)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        failures = asyncio.run(hostile.ask(n_tries))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        what = "fuzzed requests; a server error, a letter of others read or written, a page shown"
        yield Tried(what, n_tries, failures + hostile.written())
        yield Tried("memory after all of them; more than 100 MB", 1, int(grown > MEMORY_KB))
    with tempfile.TemporaryDirectory() as folder:
        n_tries = share_of(N_RAW, share)
        what = "broken bytes on a socket, 10 GB declared; a server that no longer answers"
        yield Tried(what, n_tries, _send_rubbish(Path(folder), rng, n_tries))


class _Clock:
    """A clock that runs on by every look at it, so that no key asks too often."""

    now = 1_700_000_000.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now


class _Hostile:
    """An application, a letter in it, and requests for what one may not have."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        path = small_study(folder / "study", "no noise")
        study, self.rng, self.root = Study.load(path), rng, folder / "box"
        self.root.mkdir()
        (folder / "letter").write_bytes(SECRET)
        carrier = Carrier(Folder(self.root))
        self.parcel = carrier.put(folder / "letter", sender=VICTIM, recipient=ANALYST)
        self.before = self._files()
        notice = notice_of(study)
        self.app = make_app(study.heirs.now, Box(self.root), _Clock(), notice)
        roles = (VICTIM, ATTACKER, ANALYST)
        self.known = {r: private_folder(path, r).read_identity(r) for r in roles}
        self.stranger = Identity.new(VICTIM)
        self.challenge = Challenge("0" * 32, 0)

    async def ask(self, n_tries: int) -> int:
        """Ask so often, and return how often the answer was one it should not have been."""
        failures, earlier = 0, list[Asked]()
        for number in range(n_tries):
            if number % 50 == 0:
                await self._learn()
            asked = self._request() if self.rng.random() < 0.9 else self._page()
            if earlier and self.rng.random() < 0.1:
                asked = self.rng.choice(earlier)  # once more, as it was
            elif self.rng.random() < 0.6:
                asked = self._break(asked)
            earlier = [*earlier[-20:], asked]
            try:
                status, said = await _call(self.app, asked)
            except Exception:
                failures += 1
                continue
            shown = PAGE in asked.path and b"You look as" in said
            failures += status >= 500 or SECRET in said or status == 0 or shown
        return failures

    def written(self) -> int:
        """Count what is otherwise than before, or lies where the attacker has no business."""
        after = self._files()
        mine = f"{folder_of(ATTACKER)}/"
        changed = sum(after.get(path) != data for path, data in self.before.items())
        new = after.keys() - self.before.keys()
        return changed + sum(not path.startswith(mine) for path in new)

    def _files(self) -> dict[str, bytes]:
        found = (path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}

    async def _learn(self) -> None:
        """Hear what to sign with, and let the victim ask, whose requests may be overheard."""
        asked = Asked("GET", "/v1/challenge", "", {}, b"")
        said = (await _call(self.app, asked))[1].decode()
        box, now = said.split('"')[3], said.rpartition(":")[2].strip("}")
        self.challenge = Challenge(box, int(now))

    def _request(self) -> Asked:
        """Ask for something, signed by the attacker or by a stranger."""
        rng = self.rng
        own = Parcel(ATTACKER, ANALYST, "x", rng.randrange(1, 9), rng.randrange(99), "0" * 64)
        others = rng.choice([self.parcel, Parcel(VICTIM, ANALYST, "x", 2, 5, "1" * 64)])
        folder = rng.choice([own, others]).folder
        path = f"/v1/files/{folder}/{rng.choice(['00000', '00001', SLIP])}"
        method = rng.choice(["GET", "PUT"])
        if rng.random() < 0.2:
            method, path = "GET", rng.choice(["/v1/files", "/v1/wait", "/health", "/metrics"])
        query = f"seen={rng.choice(['-1', 'x', '9' * 30])}&seconds=0" if "wait" in path else ""
        bodies = [b"", own.slip, others.slip, rng.randbytes(99)]
        body = rng.choice(bodies) if method == "PUT" else b""
        signer = rng.choice([self.known[ATTACKER], self.known[ATTACKER], self.stranger])
        headers = sign_request(signer, method, path, query, body, self.challenge)
        return Asked(method, path, query, {**headers, "content-length": str(len(body))}, body)

    def _page(self) -> Asked:
        """Ask for the study's page by a link that is none: of a stranger, or in another's name."""
        rng, forged = self.rng, sign_link(self.stranger, self.challenge)
        claimed = self.known[rng.choice([VICTIM, ATTACKER, ANALYST])].public.sign
        link = rng.choice([forged, forged.replace(self.stranger.public.sign, claimed)])
        place = rng.randrange(len(link))
        link = rng.choice([link, link[:place] + rng.choice(ODD) + link[place + 1 :]])
        cookie = f"consilience-{self.challenge.box[:16]}={link}"
        path = rng.choice([PAGE, f"{PAGE}/events", f"{PAGE}.css", f"{PAGE}.js", f"{PAGE}/x"])
        by_query = rng.random() < 0.5
        query, headers = f"by={link}" if by_query else "", {} if by_query else {"cookie": cookie}
        return Asked(rng.choice(["GET", "PUT", "HEAD"]), path, query, headers, b"")

    def _break(self, asked: Asked) -> Asked:
        """Change one thing of a request."""
        rng, headers = self.rng, dict(asked.headers)
        what = rng.randrange(7)
        if what == 0:
            parts = asked.path.split("/")
            parts[rng.randrange(len(parts))] = rng.choice(ODD)
            return asked._replace(path="/".join(parts))
        if what == 1:
            name = rng.choice(list(headers) or ["cookie"])
            headers.setdefault(name, "")
            place = rng.randrange(len(headers[name]) + 1)
            headers[name] = headers[name][:place] + rng.choice(ODD) + headers[name][place + 1 :]
        elif what == 2:
            headers.pop(rng.choice([*headers, "none"]), None)
        elif what == 3:
            known = self.known[ATTACKER].public.sign
            claimed = self.known[rng.choice([VICTIM, ANALYST])].public.sign
            given = headers.get("signature-input", "")
            headers["signature-input"] = given.replace(known, claimed)
        elif what == 4:
            ends = [rng.choice(["", "-1", "0", "5", "9" * 20, "x"]) for _ in range(2)]
            headers["range"] = f"bytes={'-'.join(ends)}"
        elif what == 5:
            headers["content-length"] = rng.choice(["-1", "x", "9" * 11, "9" * 40, "1", ""])
        else:
            return asked._replace(body=rng.randbytes(rng.randrange(5000)))
        return asked._replace(headers=headers)


async def _call(app: Any, asked: Asked) -> tuple[int, bytes]:
    """Ask an application as its server would, and return status and body."""
    messages: list[dict[str, Any]] = []
    raw = asked.path.encode("utf-8", "replace")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "https",
        "path": asked.path,
        "raw_path": raw,
        "query_string": asked.query.encode(),
        "headers": [(n.encode(), v.encode("latin-1", "replace")) for n, v in asked.headers.items()],
        "server": (HOST, 443),
        "client": (HOST, 1),
    }
    parts: list[Sequence[Any]] = [(asked.body, False)]

    async def receive() -> dict[str, Any]:
        if not parts:
            await asyncio.Event().wait()  # it stays, and listens
        body, more = parts.pop()
        return {"type": "http.request", "body": body, "more_body": more}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    await app(scope, receive, send)
    status = next((int(m["status"]) for m in messages if "status" in m), 0)
    return status, b"".join(m.get("body", b"") for m in messages)


def _send_rubbish(folder: Path, rng: random.Random, n_tries: int) -> int:
    """Send broken requests to a real server, a thousand at most between two looks at its health."""
    scene, failures = Scene(folder, rng), 0
    request = (
        b"PUT /v1/files/a/b/c/00000 HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000000\r\n\r\n"
    )
    try:
        scene.send()  # it answers by then
        for number in range(n_tries):
            data = bytearray(request)
            for _ in range(rng.randrange(4)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            with socket.create_connection((HOST, scene.port), 30) as line:
                line.sendall(bytes(data[: rng.randrange(len(data) + 1)]))
            if number % 1000 == 0 or number == n_tries - 1:
                failures += not _lives(scene.port)
        failures += bool(scene.problems())
    finally:
        scene.close()
    return failures


def _lives(port: int) -> bool:
    with socket.create_connection((HOST, port), 30) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
        return line.recv(100).startswith(b"HTTP/1.1 200")

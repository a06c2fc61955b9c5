"""The server of a letter box: a few signed requests, and nothing else.

======================  =========================================================================
``GET /v1/challenge``   what to sign with: unsigned
``GET /v1/files``       sizes of the files that concern the signer, by path
``GET /v1/files/PATH``  one of them; ranges are honoured
``PUT /v1/files/PATH``  write one of one's own
``GET /v1/wait``        answers when something is new, or after some seconds
``GET /page``           how far the study is, behind a signed link; see :mod:`page`
``GET /health``         whether it lives: unsigned
``GET /metrics``        counts without names: unsigned
======================  =========================================================================

It holds no secret of the study. Its log says when it started, and what kind of error happened.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import shutil
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from typing import Any

from consilience.carriers.letter_box.box import Box
from consilience.carriers.letter_box.guard import Guard, Place, RefusedError
from consilience.carriers.letter_box.listening import Tls
from consilience.carriers.letter_box.notice import Notice
from consilience.carriers.letter_box.page import StudyPage
from consilience.carriers.letter_box.progress import Attendance
from consilience.carriers.parcel import MAX_SLIP_BYTES, SLIP
from consilience.exceptions import MissingExtraError
from consilience.study.files import write_whole
from consilience.study.identity import PublicKeys

try:
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route
except ImportError as error:
    raise MissingExtraError("a letter box", str(error.name), "net") from None

__all__ = ["make_app"]

LOG = logging.getLogger("consilience.letter_box")
SEEN, GIGABYTE = "seen", 10**9
MAX_WAIT = 30.0
MAX_SILENCE = 20.0
"""Seconds between two parts of a body, after which its sender is cut off."""

MAX_BODY_SECONDS = 300.0
Event = Callable[..., None]
Answering = Callable[[Request], Awaitable[Response]]


class LetterBoxServer:
    """Answers requests to a box.

    Parameters
    ----------
    keys : mapping of str to PublicKeys
    box : Box
    clock : callable
    attendance : Attendance
    event : callable
        Told that something happened, without names.
    tls : Tls, optional
        The certificate whose end is counted among the metrics.
    """

    def __init__(
        self,
        keys: Mapping[str, PublicKeys],
        box: Box,
        clock: Callable[[], float],
        attendance: Attendance,
        event: Event,
        tls: Tls | None,
    ) -> None:
        self.guard, self.box, self.attendance = Guard(keys, clock), box, attendance
        self.event, self._ends = event, {} if tls is None else {"certificate_ends": tls.ends}
        self.counts: Counter[str] = Counter()

    async def challenge(self, request: Request) -> Response:
        """Say what to sign with."""
        challenge = self.guard.challenge
        return JSONResponse({"box": challenge.box, "now": challenge.now})

    async def health(self, request: Request) -> Response:
        """Say that it lives, if its folder does."""
        await self.box.sizes()
        return PlainTextResponse("ok\n")

    async def metrics(self, request: Request) -> Response:
        """Count, without names, and so coarsely that no size of a letter can be told."""
        sizes = await self.box.sizes()
        values = {
            "parcels": sum(path.endswith(f"/{SLIP}") for path in sizes),
            "stored_gigabytes": sum(sizes.values()) // GIGABYTE,
            "free_gigabytes": shutil.disk_usage(self.box.root).free // GIGABYTE,
            **self._ends,
            **self.counts,
        }
        lines = [f"consilience_letter_box_{name} {value}\n" for name, value in values.items()]
        return PlainTextResponse("".join(lines))

    async def find(self, request: Request) -> Response:
        """List what concerns the signer."""
        role = self._identify(request)
        seen = self.box.n_changes
        sizes = await self.box.sizes()
        files = {path: size for path, size in sizes.items() if self.guard.may_read(role, path)}
        return JSONResponse({"seen": seen, "files": files})

    async def read(self, request: Request) -> Response:
        """Give a file to who sent it and to whom it was sent."""
        role = self._identify(request)
        place = self.guard.read_path(request.path_params["path"])
        file = self.box.file(place)
        # Who may not read it learns nothing of whether it is there.
        if not self.guard.may_read(role, place.path) or not file.is_file():
            raise RefusedError(404, "there is no such file")
        return FileResponse(file, media_type="application/octet-stream")

    async def write(self, request: Request) -> Response:
        """Take a file of the signer's own; it appears when all of it is on disk."""
        role = self._identify(request)
        place = self.guard.read_path(request.path_params["path"])
        self.guard.check_write(role, place)
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or len(length) > 12:
            raise RefusedError(411, "the length of the body has to be stated")
        if await self.box.check_room(place, int(length)):
            return Response(status_code=204)
        if place.file == SLIP and int(length) > MAX_SLIP_BYTES:
            raise RefusedError(413, f"a slip has at most {MAX_SLIP_BYTES} bytes")
        await self._take(request, place, int(length))
        if place.file == SLIP:
            self.event("letter")
        return Response(status_code=204)

    async def wait(self, request: Request) -> Response:
        """Answer when something is new, or after some seconds."""
        self._identify(request)
        try:
            seen = int(request.query_params["seen"])
            seconds = min(MAX_WAIT, max(0.0, float(request.query_params["seconds"])))
        except (KeyError, ValueError):
            raise RefusedError(422, "seen and seconds are numbers") from None
        return JSONResponse({"seen": await self.box.wait(seen, seconds)})

    async def _take(self, request: Request, place: Place, length: int) -> None:
        with ExitStack() as stack:
            stream = stack.enter_context(write_whole(self.box.file(place)))
            digest, done, kept = hashlib.sha256(), 0, bytearray()
            async with asyncio.timeout(MAX_BODY_SECONDS):
                parts = request.stream().__aiter__()
                while part := await _next(parts):
                    done += len(part)
                    if done > length:
                        raise RefusedError(400, "the body is longer than was stated")
                    digest.update(part)
                    stream.write(part)
                    if place.file == SLIP:
                        kept += part
            if done < length:
                raise RefusedError(400, "the body is shorter than was stated")
            found = f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"
            if found != request.headers.get("content-digest"):
                raise RefusedError(400, "the body has another digest than was signed")
            if place.file == SLIP:
                self.box.check_slip(place, bytes(kept))
            await asyncio.to_thread(stack.pop_all().close)
        self.box.note(place, length)

    def _identify(self, request: Request) -> str:
        role = self.guard.identify(
            request.headers,
            request.method,
            request.scope["raw_path"].decode("latin-1"),
            request.url.query,
        )
        if self.attendance.note(role):
            self.box.tell()
        return role


async def _next(parts: Any) -> bytes:
    """Return the next part of a body, or nothing at its end; who is silent for long is cut off."""
    try:
        async with asyncio.timeout(MAX_SILENCE):
            while True:
                part: bytes = await anext(parts)
                if part:
                    return part
    except StopAsyncIteration:
        return b""


def make_app(
    keys: Mapping[str, PublicKeys],
    box: Box,
    clock: Callable[[], float] = time.time,
    notice: Notice | None = None,
    event: Event = lambda name, **facts: None,
    tls: Tls | None = None,
) -> Starlette:
    """Return the application that serves the letter box of roles with these keys.

    Beside the folder of the box lies one in which it notes when each role was there. With a notice
    it shows the study's page.
    """
    attendance = Attendance(box.root.with_name(SEEN))
    server = LetterBoxServer(keys, box, clock, attendance, event, tls)

    def answered(answering: Answering) -> Answering:
        async def answer(request: Request) -> Response:
            try:
                response = await answering(request)
            except RefusedError as error:
                response = JSONResponse({"why": error.why}, status_code=error.status)
            except (TimeoutError, ClientDisconnect):
                response = JSONResponse({"why": "too slow"}, status_code=408)
            except OSError as error:
                # The path of a file holds names: the kind of error is all that is said.
                LOG.error("the folder of the box failed: %s", type(error).__name__)
                event("failed", why=type(error).__name__)
                response = JSONResponse({"why": "the folder of the box failed"}, status_code=503)
            if response.status_code >= 400:  # how many pieces were put tells how large they are
                server.counts[f"answers_{response.status_code}_total"] += 1
            response.headers["cache-control"] = "no-store"
            return response

        return answer

    routes = {
        "/v1/challenge": server.challenge,
        "/v1/files": server.find,
        "/v1/wait": server.wait,
        "/health": server.health,
        "/metrics": server.metrics,
    }
    if notice is not None:
        page = StudyPage(notice, server.guard, box, attendance)
        routes |= {"/page": page.open, "/page/events": page.events}
        routes |= {"/page.css": page.style, "/page.js": page.script}
    return Starlette(
        routes=[
            *(Route(path, answered(answering)) for path, answering in routes.items()),
            Route("/v1/files/{path:path}", answered(server.read), methods=["GET"]),
            Route("/v1/files/{path:path}", answered(server.write), methods=["PUT"]),
        ]
    )

"""The pages of a desk and what is done on them: each act is a command, and shown as one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any
from urllib.parse import unquote

from consilience.desk.actions import command_of
from consilience.desk.changes import CHANGES, change
from consilience.desk.folder import DeskFolder
from consilience.desk.pages import Pages
from consilience.desk.receiving import check_name, read_text, receive_letter, receive_table
from consilience.desk.seat import REPORT, Seat
from consilience.desk.steps import next_step
from consilience.desk.workshop import Workshop
from consilience.exceptions import ConsilienceError, MissingExtraError, StudyError

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import (
        FileResponse,
        HTMLResponse,
        JSONResponse,
        RedirectResponse,
        Response,
        StreamingResponse,
    )
    from starlette.routing import Route
except ImportError as error:
    raise MissingExtraError("a desk", str(error.name), "desk") from None

__all__ = ["make_app"]

Answering = Callable[[Request], Awaitable[Response]]
UPLOADS = {"table": receive_table, "letter": receive_letter}
AFTER = {
    "init": "study",
    "keygen": "keys",
    "collect": "keys",
    "share": "keys",
    "check": "table",
    "rehearse": "leave",
    "audit": "leave",
    "frontier": "leave",
    "compare": "leave",
    "contribute": "leave",
    "label": "result",
    "status": "inbox",
    "explore": "answer",
    "analyse": "answer",
    "backup": "keys",
    "restore": "keys",
    "match": "match",
}
"""The page on which an act is looked at; others stay where they were done."""

REPORT_HEADERS = {
    "content-security-policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "frame-ancestors 'self'; sandbox allow-same-origin",
    "x-frame-options": "SAMEORIGIN",
}


class DeskServer:
    """Answers the one browser that was let in.

    Parameters
    ----------
    folder : DeskFolder
    workshop : Workshop
    pages : Pages
    places : collection of str
        Folders that were named as places where files are carried to.
    """

    def __init__(
        self, folder: DeskFolder, workshop: Workshop, pages: Pages, places: Collection[str]
    ) -> None:
        self.folder, self.workshop, self.pages = folder, workshop, pages
        self.places = places
        self._notes: list[tuple[str, str]] = []

    async def start(self, request: Request) -> Response:
        """Show all studies, and what each waits for."""
        seats = [(seat, next_step(seat)) for seat in self.folder.seats()]
        return self._page("start", seats=seats, jobs=self.workshop)

    async def show(self, request: Request) -> Response:
        """Show a page of a study; without a name, the one that is next."""
        seat = self._seat(request)
        page = request.path_params.get("page")
        if page is None:
            step = next_step(seat)
            return self._to(f"s/{seat.name}/{step.page if step else 'result'}")
        if page not in self.pages.VIEWS:
            raise HTTPException(404)
        job = self.workshop.job(seat)
        return self._page(page, seat=seat, job=job, **self.pages.VIEWS[page](seat))

    async def static(self, request: Request) -> Response:
        """Give the style and the script of the pages."""
        found = self.pages.static(request.path_params["file"])
        if found is None:
            raise HTTPException(404)
        return Response(found[0], media_type=found[1])

    async def report(self, request: Request) -> Response:
        """Show the report of a study inside its page: it loads nothing and runs nothing."""
        path = self._seat(request).path / REPORT
        if not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, media_type="text/html", headers=REPORT_HEADERS)

    async def download(self, request: Request) -> Response:
        """Hand out a file that is no secret."""
        seat, name = self._seat(request), request.path_params["file"]
        if name not in seat.downloads:
            raise HTTPException(404)
        return FileResponse(seat.path / name, filename=name, media_type="application/octet-stream")

    async def events(self, request: Request) -> Response:
        """Say how the command of a study goes until it has ended."""
        job = self.workshop.job(self._seat(request))

        async def told() -> AsyncIterator[str]:
            if job is not None:
                async for event in job.events():
                    yield f"data: {json.dumps(event)}\n\n"

        return StreamingResponse(told(), media_type="text/event-stream")

    async def do(self, request: Request) -> Response:
        """Begin with the command of an act."""
        seat, action = self._seat(request), request.path_params["action"]
        form = request.scope.get("form", {})
        back = AFTER.get(action, form.get("page", ""))
        try:
            command = command_of(action, seat, form)
            self.workshop.start(action, command, seat)
            if command.remembered:
                seat.remember(**command.remembered)
        except StudyError as error:
            self._notes.append(("warning", str(error)))
        return self._to(f"s/{seat.name}/{back}" if back in self.pages.VIEWS else f"s/{seat.name}")

    async def cancel(self, request: Request) -> Response:
        """Stop the command of a study."""
        job = self.workshop.job(self._seat(request))
        if job is not None:
            job.cancel()
        return JSONResponse({})

    async def change(self, request: Request) -> Response:
        """Change what the desk knows of a study, or the draft of one."""
        seat, what = self._seat(request), request.path_params["what"]
        if what not in CHANGES:
            raise HTTPException(404)
        try:
            page = change(what, seat, request.scope.get("form", {}), self.places)
        except (ConsilienceError, ValueError) as error:
            self._notes.append(("warning", str(error)))
            page = CHANGES[what]
        return self._to(f"s/{seat.name}/{page}")

    async def new(self, request: Request) -> Response:
        """Make the folder of a study that is to be drafted, or fetched from a place."""
        form = request.scope.get("form", {})
        place, role = form.get("place", "").strip(), form.get("role", "").strip()
        title = form.get("name", "").strip() or "a study"
        if not place:
            return self._to(f"s/{self.folder.new(title).name}/draft")
        try:
            seat = self.folder.new(title)
            change("place", seat, form, self.places)
            change("role", seat, {"role": role}, self.places)
            self.workshop.start("carry", command_of("carry", seat, form), seat)
        except (ConsilienceError, ValueError) as error:
            self._notes.append(("warning", str(error)))
            return self._to("")
        return self._to(f"s/{seat.name}/draft")

    async def take(self, request: Request) -> Response:
        """Take a study file that somebody sent."""
        try:
            check_name(_name(request))
            seat = self.folder.take_study(await read_text(request.stream()))
        except (ConsilienceError, ValueError) as error:
            return JSONResponse({"why": str(error)}, 422)
        return JSONResponse({"to": f"s/{seat.name}/study"})

    async def upload(self, request: Request) -> Response:
        """Take a table, or what another role sent."""
        seat, kind = self._seat(request), request.path_params["kind"]
        if kind not in UPLOADS:
            raise HTTPException(404)
        try:
            said = await UPLOADS[kind](seat, _name(request), request.stream())
        except (ConsilienceError, ValueError) as error:
            return JSONResponse({"why": str(error)}, 422)
        if kind == "table" and not seat.memory.table and not said.endswith(".sql"):
            seat.remember(table=said)
        return JSONResponse({"said": said})

    def _seat(self, request: Request) -> Seat:
        try:
            return self.folder.seat(request.path_params["name"])
        except StudyError:
            raise HTTPException(404) from None

    def _page(self, name: str, **known: Any) -> Response:
        notes, self._notes = self._notes, []
        return HTMLResponse(self.pages.render(name, notes=notes, places=self.places, **known))

    def _to(self, place: str) -> Response:
        return RedirectResponse(f"{self.pages.prefix}/{place}", 303)


def _name(request: Request) -> str:
    return unquote(request.headers.get("x-file-name", ""))


def make_app(desk: DeskServer) -> Starlette:
    """Return the application; whoever asks it has passed the guard."""

    async def missing(request: Request, error: Exception) -> Response:
        return HTMLResponse(desk.pages.render("missing", notes=[], places=()), 404)

    async def failed(request: Request, error: Exception) -> Response:
        why = str(error) if isinstance(error, (ConsilienceError, OSError)) else ""
        return HTMLResponse(desk.pages.render("failed", notes=[], places=(), why=why), 500)

    posts: dict[str, Answering] = {
        "/new": desk.new,
        "/take": desk.take,
        "/s/{name}/do/{action}": desk.do,
        "/s/{name}/change/{what}": desk.change,
        "/s/{name}/upload/{kind}": desk.upload,
        "/s/{name}/cancel": desk.cancel,
    }
    gets: dict[str, Answering] = {
        "/": desk.start,
        "/static/{file}": desk.static,
        "/s/{name}": desk.show,
        "/s/{name}/events": desk.events,
        "/s/{name}/view/report": desk.report,
        "/s/{name}/file/{file}": desk.download,
        "/s/{name}/{page}": desk.show,
    }
    handlers = {404: missing, 405: missing, ConsilienceError: failed, OSError: failed}
    return Starlette(
        routes=[
            *(Route(path, answer, methods=["POST"]) for path, answer in posts.items()),
            *(Route(path, answer, methods=["GET"]) for path, answer in gets.items()),
        ],
        exception_handlers=handlers,
    )

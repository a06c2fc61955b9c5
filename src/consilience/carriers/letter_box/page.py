"""The study's page: how far it is, for the person who waits, behind a link signed by a role.

======================  =========================================================================
``GET /page?by=LINK``   remembers the link in a cookie, and goes on to the page without it
``GET /page``           the page
``GET /page/events``    the same as events, as they come
``GET /page.css``       how it looks, and ``/page.js``, which keeps it up to date: unsigned
======================  =========================================================================
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from consilience.carriers.letter_box.box import Box
from consilience.carriers.letter_box.guard import Guard, RefusedError
from consilience.carriers.letter_box.links import HOURS
from consilience.carriers.letter_box.notice import Notice, State
from consilience.carriers.letter_box.progress import (
    Arrived,
    Attendance,
    Progress,
    Standing,
    read_progress,
)
from consilience.exceptions import MissingExtraError

try:
    from starlette.requests import Request
    from starlette.responses import (
        HTMLResponse,
        PlainTextResponse,
        RedirectResponse,
        Response,
        StreamingResponse,
    )
except ImportError as error:
    raise MissingExtraError("a letter box", str(error.name), "net") from None

__all__ = ["StudyPage"]

PATH = "/page"
HEARTBEAT = 15.0
"""Seconds after which the page is told that the line still holds."""

MAX_STREAMS = 20
"""Pages of one role that may be open at once."""

MAX_EVENTS = 50
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
STATES: dict[State, str] = {
    "absent": "not joined yet",
    "turn": "has something to do",
    "waiting": "waits for others",
    "done": "nothing is missing",
}

FACTS = {"seen": "Last there", "sent": "Has sent", "got": "Has been sent", "step": "Next step"}
SIZES_ARE_NOT = "and does not say how large they are."
SIZES_ARE_TOLD = "and says how large they are because the study allows it."
NO_LINK = (
    "This page opens by a link that a role of the study makes and signs:\n"
    "  consilience join ADDRESS --as ROLE --link\n"
    "It is good for {hours} hours, and until the letter box is started again.\n"
)


class StudyPage:
    """Answers whoever opens the page of a study.

    Parameters
    ----------
    notice : Notice
    guard : Guard
    box : Box
    attendance : Attendance
    """

    def __init__(self, notice: Notice, guard: Guard, box: Box, attendance: Attendance) -> None:
        self.notice, self._guard, self._box = notice, guard, box
        self._attendance = attendance
        self._streams: Counter[str] = Counter()
        # Cookies of one host are sent to all of its ports: each box has a name of its own.
        self._cookie = f"consilience-{guard.challenge.box[:16]}"
        style = files("consilience.report").joinpath("page.css").read_bytes()
        here = files("consilience.carriers.letter_box")
        self._style = style + here.joinpath("page.css").read_bytes()
        self._script = here.joinpath("page.js").read_bytes()
        self._frame = Template(here.joinpath("page.html").read_text(encoding="utf-8"))

    async def style(self, request: Request) -> Response:
        """Say how it looks."""
        return Response(self._style, media_type="text/css", headers=HEADERS)

    async def script(self, request: Request) -> Response:
        """Give the script that keeps the page up to date."""
        return Response(self._script, media_type="text/javascript", headers=HEADERS)

    async def open(self, request: Request) -> Response:
        """Show the page, to who has a link or opened one before."""
        link = request.query_params.get("by")
        try:
            role = self._guard.admit(link or request.cookies.get(self._cookie, ""))
        except RefusedError as error:
            return PlainTextResponse(NO_LINK.format(hours=HOURS), error.status, HEADERS)
        if link is None:
            html = _html(self._frame, self.notice, role, await self._look())
            return HTMLResponse(html, headers=HEADERS)
        # The link is kept out of the address, which may be seen or copied.
        response = RedirectResponse(PATH, 303, HEADERS)
        response.set_cookie(
            self._cookie,
            link,
            max_age=HOURS * 3600,
            path=PATH,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )
        return response

    async def events(self, request: Request) -> Response:
        """Tell the page what is new, as long as it is open and its link is good."""
        link = request.cookies.get(self._cookie, "")
        role = self._guard.admit(link)
        if self._streams[role] >= MAX_STREAMS:
            raise RefusedError(429, "too many pages are open")
        return StreamingResponse(
            self._follow(link, role), media_type="text/event-stream", headers=HEADERS
        )

    async def _follow(self, link: str, role: str) -> AsyncIterator[str]:
        self._streams[role] += 1
        said, seen = "", -1
        try:
            while self._guard.admit(link):
                now = json.dumps(_said(self.notice, await self._look()))
                yield ": it lives\n\n" if now == said else f"data: {now}\n\n"
                said, seen = now, await self._box.wait(seen, HEARTBEAT)
        except RefusedError:
            return  # too old by now, or too often at once: the page asks again
        finally:
            self._streams[role] -= 1

    async def _look(self) -> Progress:
        sizes = await self._box.sizes()
        return read_progress(self.notice, self._box, sizes, self._attendance)


def _said(notice: Notice, progress: Progress) -> dict[str, dict[str, Any]]:
    """Return everything on the page that changes: texts, states and lists, by their place."""
    texts, states = {"summary": _summary(progress)}, {}
    for number, standing in enumerate(progress.standings):
        role, n_from = standing.role, len(standing.role.waits_for)
        states[f"role-{number}"] = standing.state
        texts |= {
            f"state-{number}": STATES[standing.state],
            f"seen-{number}": "not yet" if standing.seen is None else _at(standing.seen),
            f"sent-{number}": _letters(standing.sent, standing.n_to_send),
            f"got-{number}": _letters(standing.got, n_from),
            f"step-{number}": role.steps[standing.state],
        }
    begun = [] if progress.begun is None else [f"{_at(progress.begun)}: the study was put here"]
    came = [_told(letter) for letter in progress.arrived]
    lists = {"missing": _missing(progress), "events": [*came[::-1][:MAX_EVENTS], *begun]}
    return {"texts": texts, "states": states, "lists": lists}


def _summary(progress: Progress) -> str:
    acting = [standing.role.name for standing in progress.standings if standing.owes]
    if not acting:
        return "Nothing is missing: every letter somebody waits for is here."
    return f"Waiting for letters of {_few(acting)}."


def _missing(progress: Progress) -> list[str]:
    found = []
    for standing in progress.standings:
        if standing.owes:
            since = standing.owes_since(progress.begun)
            when = "" if since is None else f", since {_at(since)}"
            found.append(f"a letter of {standing.role.name} to {_few(standing.owes)}{when}")
    return found or ["nothing"]


def _letters(times: Mapping[str, float], n_expected: int) -> str:
    if not n_expected:
        return "needs none"
    if not times:
        return "nothing yet"
    share = "" if n_expected == 1 else f"{len(times)} of {n_expected}, the latest "
    return f"{share}{_at(max(times.values()))}"


def _told(letter: Arrived) -> str:
    large = "" if letter.n_bytes is None else f", {max(1, round(letter.n_bytes / 1000)):,} kB"
    return f"{_at(letter.when)}: a letter of {letter.sender} to {letter.recipient}{large}"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} others" if len(names) > 5 else ""
    return f"{', '.join(names[:5])}{more}"


def _at(when: float) -> str:
    return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%d %H:%M} UTC"


def _html(frame: Template, notice: Notice, viewer: str, progress: Progress) -> str:
    said = _said(notice, progress)
    texts: dict[str, str] = said["texts"]
    lists = {
        place: "".join(f"<li>{_shown(text)}</li>\n" for text in items)
        for place, items in said["lists"].items()
    }
    own_first = sorted(enumerate(progress.standings), key=lambda item: item[1].role.name != viewer)
    roles = "".join(_role(number, standing, viewer, texts) for number, standing in own_first)
    return frame.substitute(
        title=escape(notice.title),
        viewer=escape(viewer),
        summary=_shown(texts["summary"]),
        roles=roles,
        about=notice.about,
        sizes=SIZES_ARE_TOLD if notice.show_sizes else SIZES_ARE_NOT,
        **lists,
    )


def _shown(text: str) -> str:
    """Escape a text; what stands between two ` is a command."""
    parts = enumerate(escape(text).split("`"))
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in parts)


def _role(number: int, standing: Standing, viewer: str, texts: Mapping[str, str]) -> str:
    name = escape(standing.role.name)
    you = " (you)" if standing.role.name == viewer else ""
    facts = "".join(
        f'<div class="{key}"><dt>{label}</dt>'
        f'<dd id="{key}-{number}">{_shown(texts[f"{key}-{number}"])}</dd></div>\n'
        for key, label in FACTS.items()
    )
    state = f'<span class="state" id="state-{number}">{STATES[standing.state]}</span>'
    return f'''<li id="role-{number}" data-state="{standing.state}">
<h3>{name}{you} {state}</h3>
<dl>
{facts}</dl>
</li>
'''

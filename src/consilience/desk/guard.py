"""Who may ask a desk: the one browser that came by the link, from the desk's own pages."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hmac import compare_digest
from html import escape
from typing import Any
from urllib.parse import parse_qsl

from consilience.exceptions import MissingExtraError

try:
    from starlette.datastructures import MutableHeaders
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import HTMLResponse, Response
except ImportError as error:
    raise MissingExtraError("a desk", str(error.name), "desk") from None

__all__ = ["HEADERS", "Guard"]

FORM = "application/x-www-form-urlencoded"
MAX_FORM, MAX_FIELDS = 2**20, 5000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Of every answer, but where a page says otherwise of itself."""


class Guard:
    """Stands before the pages of a desk.

    The link holds a token that opens once. What it opens is a cookie that no script reads, for the
    path of this desk alone: that path is drawn at random, since cookies of 127.0.0.1 go to every
    port of this machine, also to what somebody else has listening there.

    Parameters
    ----------
    app : ASGI application
        Gets what passes; in ``scope["form"]`` the fields of a form.
    port : int
        Where it is served.
    """

    def __init__(self, app: Any, port: int) -> None:
        self.app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._token: str | None = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)
        self.csrf = secrets.token_urlsafe(32)
        self.prefix = f"/{secrets.token_urlsafe(16)}"
        self.link = f"http://127.0.0.1:{port}/open/{self._token}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer what may not pass; let the rest pass, and add the headers of every answer."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except ClientDisconnect:
            return

        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if answer is None:
            scope["root_path"] = ""
            scope["path"] = scope["path"].removeprefix(self.prefix) or "/"
            await self.app(scope, receive, send_guarded)
        else:
            await answer(scope, receive, send_guarded)

    async def _answer(self, request: Request) -> Response | None:
        """Return the answer to what may not pass; nothing, if it may."""
        if request.headers.get("host") not in self._hosts:
            return _refused("This desk answers to 127.0.0.1 alone.", 421)
        path = request.scope["path"]
        if path.startswith("/open/"):
            return self._open(path.removeprefix("/open/"), request.method)
        cookie = request.cookies.get("desk", "")
        inside = path == self.prefix or path.startswith(f"{self.prefix}/")
        if not (inside and compare_digest(cookie.encode(), self._session.encode())):
            return _refused("Open the desk by the link that `consilience desk` shows.", 403)
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return _refused("This came from another page.", 403)
        if request.method in ("GET", "HEAD"):
            return None
        return await self._check_change(request)

    async def _check_change(self, request: Request) -> Response | None:
        """Let pass what changes something only if it comes from a page of this desk."""
        host = request.headers["host"]
        if request.method != "POST" or request.headers.get("origin") != f"http://{host}":
            return _refused("This came from another page.", 403)
        token = request.headers.get("x-csrf", "")
        if request.headers.get("content-type", "").partition(";")[0] == FORM:
            form = await _read_form(request)
            if form is None:
                return _refused("This is no form of the desk.", 400)
            request.scope["form"] = form
            token = form.get("csrf", "")
        if not compare_digest(token.encode(), self.csrf.encode()):
            return _refused("This page is too old: go back and load it again.", 403)
        return None

    def _open(self, token: str, method: str) -> Response:
        """Exchange the token of the link for a session, once."""
        known = self._token
        if known is None or method != "GET" or not compare_digest(token.encode(), known.encode()):
            return _refused("This link was used. Start `consilience desk` again for another.", 403)
        self._token = None
        place = escape(f"{self.prefix}/")
        page = HTMLResponse(
            f'<!doctype html><html lang="en"><title>The desk</title>'
            f'<meta http-equiv="refresh" content="0;url={place}">'
            f'<p><a href="{place}">To the desk</a></p>'
        )
        page.set_cookie("desk", self._session, path=self.prefix, httponly=True, samesite="strict")
        return page


def _refused(why: str, status: int) -> Response:
    return HTMLResponse(
        f'<!doctype html><html lang="en"><title>Refused</title><p>{escape(why)}</p>', status
    )


async def _read_form(request: Request) -> Mapping[str, str] | None:
    """Return the fields of a form; nothing, if it is too long or holds signs no person types."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM:
            return None
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError:
        return None
    if any(not (sign.isprintable() or sign in "\r\n\t") for _, value in pairs for sign in value):
        return None
    return dict(pairs)

"""What a person tells the desk that is no command: who they are, which table, where files go."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from urllib.parse import urlsplit

from consilience.desk.seat import OFFERED, STUDY, Seat
from consilience.desk.views.draft import corrections
from consilience.exceptions import StudyError
from consilience.sources.database import check_address
from consilience.study.amending import amend_columns

__all__ = ["CHANGES", "change"]

Form = Mapping[str, str]
ROLE = re.compile(r"analyst|[a-z0-9][a-z0-9_-]{0,62}/[a-z0-9][a-z0-9_-]{0,62}")
SCHEMES = ("https", "http", "sftp", "s3")
CHANGES = {
    "role": "keys",
    "place": "study",
    "table": "table",
    "columns": "study",
    "accept": "study",
    "decline": "study",
}
"""Each change, and the page to go on with."""


def change(what: str, seat: Seat, form: Form, places: Collection[str]) -> str:
    """Do as a form says; return the page to go on with."""
    if what == "place":
        _place(seat, form, places)
    else:
        CHANGING[what](seat, form)
    page = form.get("page", "")
    return page if what == "place" and page.isalpha() else CHANGES[what]


def _role(seat: Seat, form: Form) -> None:
    role = form.get("role", "")
    if not ROLE.fullmatch(role) or (seat.study is not None and role not in seat.roles):
        raise StudyError("that is no role of this study: choose one of those it names.")
    if seat.role and seat.study is not None and seat.entries and role != seat.role:
        raise StudyError(f"something left here as {seat.role} already: use another folder.")
    seat.remember(role=role)


def _place(seat: Seat, form: Form, places: Collection[str]) -> None:
    place = form.get("place", "").strip()
    parts = urlsplit(place)
    address = parts.scheme in SCHEMES and bool(parts.netloc)
    if place and place not in places and not address:
        raise StudyError(
            "a place is an address that begins with https://, sftp:// or s3://. A folder is "
            "named when the desk is started: consilience desk --place FOLDER."
        )
    seat.remember(place=place)


def _table(seat: Seat, form: Form) -> None:
    ignore = tuple(c.strip() for c in form.get("ignore", "").split(",") if c.strip())
    id_column = form.get("id_column", "").strip() or "id"
    address, query = form.get("address", "").strip(), ""
    file = form.get("file", "")
    if address:
        if not urlsplit(address).netloc:
            raise StudyError(
                "a database is named by an address with a host, such as "
                "postgresql://host/name; a file of tables is dropped as one."
            )
        check_address(address)
        query = form.get("query", "")
        if query not in seat.tables:
            raise StudyError("a database needs a query: drop a file with it that ends in .sql.")
    elif file not in seat.tables:
        raise StudyError("there is no such table here: drop it on the page first.")
    credentials = form.get("credentials", "")
    if credentials and credentials not in seat.tables:
        raise StudyError("there is no such file of credentials here.")
    seat.remember(
        table=address or file,
        id_column=id_column,
        ignore=ignore,
        query=query,
        credentials=credentials,
    )


def _columns(seat: Seat, form: Form) -> None:
    if seat.study is None or seat.study.keys or seat.entries:
        raise StudyError("the study has keys by now: whoever changes it drafts another one.")
    text = (seat.path / STUDY).read_text(encoding="utf-8")
    seat.write_study(amend_columns(text, corrections(form)))


def _accept(seat: Seat, form: Form) -> None:
    offered = seat.kept(OFFERED)
    if offered.is_file():
        seat.write_study(offered.read_text(encoding="utf-8"))
        offered.unlink()


def _decline(seat: Seat, form: Form) -> None:
    seat.kept(OFFERED).unlink(missing_ok=True)


CHANGING: Mapping[str, Callable[[Seat, Form], None]] = {
    "role": _role,
    "table": _table,
    "columns": _columns,
    "accept": _accept,
    "decline": _decline,
}

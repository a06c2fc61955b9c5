"""Pages as HTML: templates filled with plain values, every text escaped."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import jinja2

from consilience.desk.actions import command_of
from consilience.desk.seat import Seat
from consilience.desk.steps import steps_of
from consilience.desk.views.analyst import show_answer, show_inbox
from consilience.desk.views.draft import show_draft
from consilience.desk.views.party import show_leave, show_match, show_result, show_table
from consilience.desk.views.study import show_keys, show_ledger, show_study
from consilience.exceptions import StudyError

__all__ = ["Pages"]

STATIC = {"desk.css": "text/css", "desk.js": "text/javascript", "mark.svg": "image/svg+xml"}
"""What pages load beside themselves, and nothing else."""


class Pages:
    """Renders the pages of a desk.

    Parameters
    ----------
    prefix, csrf : str
        Of the guard: where the pages are, and what every form carries.
    root : str
        The folder, as the person knows it.
    """

    VIEWS: Mapping[str, Callable[[Seat], dict[str, Any]]] = {
        "draft": show_draft,
        "study": show_study,
        "keys": show_keys,
        "table": show_table,
        "match": show_match,
        "leave": show_leave,
        "result": show_result,
        "inbox": show_inbox,
        "answer": show_answer,
        "ledger": show_ledger,
    }

    def __init__(self, prefix: str, csrf: str, root: str) -> None:
        self.prefix, self._csrf, self._root = prefix, csrf, root
        self._environment = jinja2.Environment(
            loader=jinja2.PackageLoader("consilience.desk", "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self._environment.globals |= {"steps_of": steps_of, "shown": _shown, "quote": shlex.quote}
        self._environment.globals["version"] = version("consilience")

    def render(self, name: str, **known: Any) -> str:
        """Return a page."""
        about = {"seat": None, "job": None, "page": name, **known}
        return self._environment.get_template(f"{name}.html.j2").render(
            prefix=self.prefix, csrf=self._csrf, root=self._root, **about
        )

    def static(self, name: str) -> tuple[bytes, str] | None:
        """Return a file that pages load, and its type."""
        if name not in STATIC:
            return None
        data = files("consilience.desk").joinpath("static", name).read_bytes()
        return data, STATIC[name]


def _shown(action: str, seat: Seat, **form: str) -> str:
    """Return the command of an act as it would be run; nothing, if it cannot be yet."""
    try:
        return command_of(action, seat, form).shown
    except StudyError:
        return ""

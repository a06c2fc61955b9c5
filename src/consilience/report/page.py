"""A page as data, and its HTML: title, a few sections, in each some texts, tables and figures.

Whoever has something to show returns a :class:`Section` and never writes HTML::

    Section("How parties were grouped", [
        "Parties whose labels are distributed alike share a model.",
        Figure(draw_dendrogram(groups), alt="Four parties in two groups: ...", caption="..."),
        Table(["party", "group"], [["hospital-a", 0], ["hospital-b", 1]]),
        Note("hospital-c stands alone.", warning=True),
    ])

The pages of a method stand beside it. A picture is drawn by a function decorated with
:func:`~consilience.report.figures.report_style`, on the axes of
:func:`~consilience.report.figures.new_figure`, and returned by
:func:`~consilience.report.figures.to_svg`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from consilience.study.files import write_whole

__all__ = [
    "Cell",
    "Facts",
    "Figure",
    "Grade",
    "Listing",
    "Note",
    "Page",
    "Part",
    "Section",
    "Table",
    "format_cell",
    "render",
    "render_sections",
    "write_page",
]

Cell = str | int | float | None

PRIVATE_MODE = 0o600
FOLDER = files("consilience.report")
STYLE = FOLDER.joinpath("page.css")
"""How every page looks."""


class Grade(str):
    """A cell that says red, amber or green, and is shown in its colour."""


@dataclass(frozen=True)
class Facts:
    """A few large numbers: what each is, and how much."""

    items: Sequence[tuple[str, Cell]]
    kind: str = field(default="facts", init=False)


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequences of str, int, float or None
        Numbers are rounded for reading, None is a dash. A column of numbers, or of texts that
        are numerals, stands to the right. The first cell names the row.
    caption : str
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    kind: str = field(default="table", init=False)

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds nothing but numerals; the first names the rows."""
        columns = list(zip(*self.rows, strict=True))[1:]
        return [False, *(all(_is_numeral(value) for value in column) for column in columns)]


@dataclass(frozen=True)
class Figure:
    """A picture in SVG, and what it shows in words for who cannot see it."""

    svg: bytes
    alt: str
    caption: str = ""
    kind: str = field(default="figure", init=False)

    @property
    def source(self) -> str:
        """The picture itself as an address: an image can neither load anything nor run."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"


@dataclass(frozen=True)
class Note:
    """A sentence set apart; a warning is a result that is right but poor, or a risk."""

    text: str
    warning: bool = False
    kind: str = field(default="note", init=False)


@dataclass(frozen=True)
class Listing:
    """Lines that keep their spaces, such as the rules of a tree, and what they are in a word."""

    text: str
    label: str
    kind: str = field(default="listing", init=False)


Part = str | Facts | Table | Figure | Note | Listing


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, in order; a plain text is a paragraph."""

    title: str
    parts: Sequence[Part]
    level: int = 2

    @property
    def blocks(self) -> list[tuple[str, Part]]:
        """Each part with its kind, as the template reads them."""
        return [("text", p) if isinstance(p, str) else (p.kind, p) for p in self.parts]


@dataclass(frozen=True)
class Page:
    """A whole report.

    Parameters
    ----------
    title : str
        The study.
    subtitle : str
        Whose page it is.
    notice : str
        Who may see it, shown first.
    sections : sequence of Section
    private : bool
        Whether the file is to be readable by its owner alone.
    """

    title: str
    subtitle: str
    notice: str
    sections: Sequence[Section]
    private: bool = False


def render(page: Page) -> str:
    """Return the page as HTML; every text in it is escaped.

    Examples
    --------
    >>> page = Page("<trial>", "Report", "", [Section("Counts", [Table(["n"], [[1234]])])])
    >>> html = render(page)
    >>> "&lt;trial&gt;" in html, "<trial>" in html, "1,234" in html
    (True, False, True)
    """
    return _fill(
        "page.html.j2",
        page=page,
        style=Markup(STYLE.read_text(encoding="utf-8")),
        sections=Markup(render_sections(page.sections)),
        version=version("consilience"),
    )


def render_sections(sections: Sequence[Section]) -> str:
    """Return sections as HTML, to stand in a page; every text in them is escaped."""
    return _fill("sections.html.j2", sections=sections)


def write_page(page: Page, path: Path) -> None:
    """Write the page, whole or not at all."""
    text = render(page).encode("utf-8", errors="replace")
    with write_whole(path, PRIVATE_MODE if page.private else 0o644) as stream:
        stream.write(text)


def _fill(template: str, **values: Any) -> str:
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["cell"] = format_cell
    environment.tests["grade"] = lambda value: isinstance(value, Grade)
    source = FOLDER.joinpath(template).read_text(encoding="utf-8")
    return environment.from_string(source).render(**values)


def format_cell(value: Cell) -> str:
    """Write a number as a person reads it.

    Examples
    --------
    >>> [format_cell(v) for v in (1234567, 0.123456, 12345.6, -0.00001234, 2.0, None, "a")]
    ['1,234,567', '0.1235', '12,346', '−1.234e-05', '2', '–', 'a']
    """
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    text = f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.4g}"
    return f"−{text[1:]}" if text.startswith("-") else text


def _is_numeral(value: Cell) -> bool:
    return not isinstance(value, str) or bool(re.fullmatch(r"[+−-]?\d[\d,.]*(e[+-]?\d+)?%?", value))

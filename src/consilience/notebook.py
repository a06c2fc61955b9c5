"""How results show themselves in a notebook: a table in HTML that needs no style of its own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["html_table"]

CELL = "padding:.15em .6em;text-align:{}"


def html_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", note: str = ""
) -> str:
    """Return a table; every text in it is escaped, the first cell of a row names it.

    Examples
    --------
    >>> html_table(["who", "rows"], [["<a>", "3"]]).count("&lt;a&gt;")
    1
    """
    numeric = [all(_numeral(row[k]) for row in rows) for k in range(len(header))]
    sides = ["right" if n else "left" for n in numeric]
    head = "".join(
        f'<th scope="col" style="{CELL.format(side)}">{escape(name)}</th>'
        for name, side in zip(header, sides, strict=True)
    )
    body = "".join(
        "<tr>" + "".join(_cell(k, text, sides[k]) for k, text in enumerate(row)) + "</tr>"
        for row in rows
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    after = f"<p>{escape(note)}</p>" if note else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{after}"


def _cell(place: int, text: str, side: str) -> str:
    style = CELL.format(side)
    if place == 0:
        return f'<th scope="row" style="{style}">{escape(text)}</th>'
    return f'<td style="{style}">{escape(text)}</td>'


def _numeral(text: str) -> bool:
    return text.strip("0123456789.,%+-−– ") == ""

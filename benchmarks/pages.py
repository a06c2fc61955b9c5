"""Pages, and tables inside pages that people wrote: between two marks, replaced by each run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

TABLE = re.compile(r"^\|.*\n\|[-| ]+\n(?:\|.*\n?)+", re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LONGEST = 9
"""Rows of a table that stands open on a page."""

END = "<!-- end of table -->"


def write_page(code: str, path: Path, **values: object) -> Path:
    """Write a page: the Markdown beside a file of code, with the values at their places.

    Every figure and every judgement of a page is such a value, so that a new run cannot contradict
    its own text. Long tables are folded: pictures and words come first.
    """
    template = Path(code).with_suffix(".md").read_text(encoding="utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(fold_tables(template.format(**values)), encoding="utf-8")
    return path


def fold_tables(text: str) -> str:
    r"""Put each long table behind a line that says what it holds: its heading and its rows.

    Examples
    --------
    >>> table = "| set | ARI |\n|---|---|\n" + 10 * "| iris | 0.7 |\n"
    >>> print(fold_tables("## Table 4: k-means\n\n" + table)[:75])
    ## Table 4: k-means
    <BLANKLINE>
    <details>
    <summary>Table 4: k-means, 10 rows</summary>
    """

    def fold(found: re.Match[str]) -> str:
        table = found[0].rstrip("\n")
        n_rows = table.count("\n") - 1
        if n_rows <= LONGEST:
            return found[0]
        heading = HEADING.findall(text, 0, found.start())[-1]
        summary = f"<summary>{escape(heading.replace('`', ''))}, {n_rows} rows</summary>"
        return f"<details>\n{summary}\n\n{table}\n\n</details>\n"

    return TABLE.sub(fold, text)


def start_of(bench: str) -> str:
    """Return the mark after which the table of a benchmark stands.

    Examples
    --------
    >>> start_of("attacks")
    '<!-- table: consilience bench attacks -->'
    """
    return f"<!-- table: consilience bench {bench} -->"


def fill_table(page: Path, bench: str, table: str) -> Iterator[Path]:
    """Put a table between its marks, and yield the page if it was written.

    A page that is not there, or has no marks, stays as it is.
    """
    if not page.exists():
        return
    head, mark, rest = page.read_text(encoding="utf-8").partition(start_of(bench))
    _, end, tail = rest.partition(END)
    if mark and end:
        page.write_text(f"{head}{mark}\n\n{table}\n\n{end}{tail}", encoding="utf-8")
        yield page

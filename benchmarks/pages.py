"""Pages, and tables inside pages that people wrote: between two marks, replaced by each run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

END = "<!-- end of table -->"


def write_page(code: str, path: Path, **values: object) -> Path:
    """Write a page: the Markdown beside a file of code, with the values at their places.

    Every figure and every judgement of a page is such a value, so that a new run cannot contradict
    its own text.
    """
    template = Path(code).with_suffix(".md").read_text(encoding="utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(template.format(**values), encoding="utf-8")
    return path


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

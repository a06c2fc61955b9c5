"""What a page of the site has that the same page in the repository has not, and the reverse."""

from __future__ import annotations

import re
from typing import Any

TABLE_MARK = re.compile(r"^<!--.*?-->$", re.MULTILINE | re.DOTALL)


def prepare(app: Any, name: str, source: list[str]) -> None:
    """Leave out the marks between which programs write tables."""
    if not name.startswith("examples/"):
        source[0] = TABLE_MARK.sub("", source[0])


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("source-read", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

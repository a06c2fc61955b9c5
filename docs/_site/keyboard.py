"""What scrolls can be scrolled with keys, and every heading says of which rank it is."""

from __future__ import annotations

import re
from typing import Any

SCROLLS = re.compile(r'<(pre|div class="(?:cell_output|table-wrapper)[^"]*")(?=>)')
CAPTION = '<p class="caption" role="heading"'


def complete(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add to a page what a keyboard and a screen reader need."""
    context["body"] = SCROLLS.sub(r'<\1 tabindex="0"', context.get("body") or "")
    for name in ("furo_navigation_tree", "toc"):
        if isinstance(context.get(name), str):
            context[name] = context[name].replace(CAPTION, f'{CAPTION} aria-level="2"')


def setup(app: Any) -> dict[str, bool]:
    """Go last: the theme makes its navigation in the same step."""
    app.connect("html-page-context", complete, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Mathematics as MathML, written when the site is built: nothing to load, nothing to run."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def show_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula inside a line."""
    writer.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def show_block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula of its own; a wide one can be scrolled, with keys as well."""
    formula = convert(node.astext().replace("&", ""), display="block")
    box = '<div class="formula" tabindex="0" role="group" aria-label="Formula">'
    writer.body.append(f"{box}{formula}</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Offer the renderer to Sphinx."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

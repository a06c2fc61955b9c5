"""The report: one HTML file for each side, which opens offline and loads nothing."""

from consilience.report.page import (
    Facts,
    Figure,
    Listing,
    Note,
    Page,
    Section,
    Table,
    render,
    write_page,
)

__all__ = [
    "Facts",
    "Figure",
    "Listing",
    "Note",
    "Page",
    "Section",
    "Table",
    "render",
    "write_page",
]

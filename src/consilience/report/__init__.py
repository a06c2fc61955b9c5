"""The report: one HTML file for each side, which opens offline and loads nothing."""

from consilience.report.analyst import Received, analyst_page
from consilience.report.page import Facts, Figure, Note, Page, Section, Table, render, write_page
from consilience.report.party import party_page

__all__ = [
    "Facts",
    "Figure",
    "Note",
    "Page",
    "Received",
    "Section",
    "Table",
    "analyst_page",
    "party_page",
    "render",
    "write_page",
]

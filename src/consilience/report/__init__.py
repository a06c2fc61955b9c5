"""The report: one HTML file for each side, which opens offline and loads nothing."""

from consilience.report.analyst import analyst_page
from consilience.report.arrivals import Received
from consilience.report.grouping import grouping_analyst_page, grouping_page
from consilience.report.learning import learning_page, surrogate_section
from consilience.report.learning_analyst import learning_analyst_page
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
from consilience.report.party import party_page
from consilience.report.terms import check_analyst

__all__ = [
    "Facts",
    "Figure",
    "Listing",
    "Note",
    "Page",
    "Received",
    "Section",
    "Table",
    "analyst_page",
    "check_analyst",
    "grouping_analyst_page",
    "grouping_page",
    "learning_analyst_page",
    "learning_page",
    "party_page",
    "render",
    "surrogate_section",
    "write_page",
]

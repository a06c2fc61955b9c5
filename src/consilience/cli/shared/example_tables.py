"""Example tables of a new study: a source for each column group."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from consilience.cli.shared.table_options import as_place
from consilience.exceptions import StudyError
from consilience.sources.source import Source

__all__ = ["by_group", "example_sources"]


def example_sources(
    groups: Collection[str],
    tables: str,
    queries: str | None,
    sheets: str | None,
    alike: Source,
) -> dict[str, Source]:
    """Return where the example table of each column group is.

    Parameters
    ----------
    groups : collection of str
        The column groups.
    tables, queries, sheets : str
        What was said of each, as in ``clinical=a.csv,lifestyle=b.xlsx``; queries are for databases
        and sheets for Excel files.
    alike : Source
        What is alike for all: id column, dialect and credentials.
    """
    places = by_group("--from", tables)
    if set(places) != set(groups):
        raise StudyError(
            f"--from names {sorted(places)}, must name one table for each of {sorted(groups)}."
        )
    asked, named = by_group("--query", queries), by_group("--sheet", sheets)
    for option, said in (("--query", asked), ("--sheet", named)):
        if set(said) - set(groups):
            raise StudyError(
                f"{option} names {sorted(set(said) - set(groups))}, must name column groups: "
                f"{sorted(groups)}."
            )
    sources = {}
    for group in groups:
        place, query = as_place(places[group], "--from"), asked.get(group)
        if isinstance(place, str) != (query is not None):
            raise StudyError(
                f"the example of {group} is a database: name its query, --query {group}=FILE."
                if query is None
                else f"--query names {group}, whose example is a file: a query is for a database."
            )
        if query is not None and not Path(query).is_file():
            raise StudyError(f"there is no file {query}: --query names one with the query.")
        at = None if query is None else Path(query)
        sources[group] = replace(alike, data=place, query=at, sheet=named.get(group))
    return sources


def by_group(option: str, text: str | None) -> dict[str, str]:
    """Read what was said of each column group.

    Examples
    --------
    >>> by_group("--from", "clinical=a.csv, lifestyle=sqlite:///b.db?mode=ro")
    {'clinical': 'a.csv', 'lifestyle': 'sqlite:///b.db?mode=ro'}
    """
    pairs = [part.strip().partition("=") for part in (text or "").split(",") if part.strip()]
    for group, sign, value in pairs:
        if not (group and sign and value):
            raise StudyError(
                f"{option} is {text!r}, must name something for each column group, as in "
                f"clinical=...,lifestyle=..."
            )
    return {group.strip(): value.strip() for group, _, value in pairs}

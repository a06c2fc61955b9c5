"""What was agreed, as a section of every page: the terms every study has, and its kind's."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.report.page import Cell, Section, Table
from consilience.study.study import Study

__all__ = ["agreement_section"]


def agreement_section(
    study: Study, terms: Sequence[Sequence[Cell]], tables: Sequence[Table] = ()
) -> Section:
    """Write the agreement as a table a person can read.

    Parameters
    ----------
    study : Study
    terms : sequence of (term, what was agreed)
        Those of the kind.
    tables : sequence of Table
        Further tables, put after it.
    """
    grid = study.grid
    rows: list[Sequence[Cell]] = [
        ["Row institutions", ", ".join(grid.rows)],
        ["Column groups", ", ".join(grid.columns)],
    ]
    if grid.absent:
        rows.append(["Nobody holds", ", ".join(grid.absent)])
    rows += terms
    if study.max_reconstruction is not None:
        rows.append(
            [
                "Largest R² of a column, and share of rows, an audit may find",
                study.max_reconstruction,
            ]
        )
    rows += _of_letter_box(study)
    rows.append(["Digest of the terms", f"{study.digest[:16]}… (SHA-256; the same for everybody)"])
    return Section("What was agreed", [Table(["term", "agreed"], rows), *tables])


def _of_letter_box(study: Study) -> list[Sequence[Cell]]:
    agreed, rows = study.letter_box, list[Sequence[Cell]]()
    if agreed is not None and agreed.certificate is not None:
        rows.append(["SHA-256 of the letter box's certificate", agreed.certificate])
    if agreed is not None and agreed.show_sizes:
        told = "every role how large each letter is, from which the number of rows can be guessed"
        rows.append(["The letter box's page tells", told])
    return rows

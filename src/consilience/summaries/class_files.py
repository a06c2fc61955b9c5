"""Classes in a study of summaries by files: labelled rows in, predictions made at home out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.by_files import Outcome
from consilience.exceptions import StudyError
from consilience.messages import Summary
from consilience.report.page import Page
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.participant import Participant
from consilience.study.rows import beside_ids
from consilience.study.schema import Encoded
from consilience.study.streamed_table import RowsAtHome, rows_at_home
from consilience.summaries.classes import check_classes, learn_at_home
from consilience.summaries.terms import Summaries, SummaryTerms
from consilience.summaries.units import units_of

__all__ = ["codes_of", "predict"]

Codes = npt.NDArray[np.int64]


def codes_of(rows: RowsAtHome, terms: SummaryTerms) -> Codes | None:
    """Return the class of each row by its number in the study, -1 where its cell is empty.

    None in a study without classes; a table without their column is refused.
    """
    if terms.classes is None:
        return None
    if rows.classes is None:
        raise StudyError(
            f"the table has no column {terms.target!r}, which holds the classes "
            f"(summaries.target). Name another table, or agree on another column."
        )
    numbers = [terms.classes.index(name) for name in sorted(terms.classes)]
    return np.array([*numbers, -1])[rows.classes]


def predict(
    me: Participant,
    answer: Summary,
    own: Source,
    rows: tuple[pd.Series, Encoded] | None,
) -> Outcome:
    """Learn from the labelled centres of all, choose by one's own rows, and predict.

    Parameters
    ----------
    me : Participant
    answer : Summary
        Verified.
    own : Source
        The table of the study.
    rows : pair of Series and Encoded, optional
        Ids and rows to predict; those of the study by default.
    """
    terms = me.study.of(Summaries).summaries
    assert terms.classes is not None
    check_classes(answer, len(terms.classes))
    checked = check_table(me.study, me.name, own)
    encoded = checked.accepted()
    codes = codes_of(rows_at_home(checked, me.study), terms)
    assert codes is not None
    labelled = codes >= 0
    model = learn_at_home(
        units_of(me.study), answer, encoded.matrix[labelled], codes[labelled], terms.seed
    )
    ids, asked = rows or (checked.ids, encoded)
    found = model.predict(asked.matrix)
    labels = np.full(len(ids), None, dtype=object)
    labels[asked.kept] = np.array(terms.classes, dtype=object)[found]
    counts = np.bincount(found, minlength=len(terms.classes))

    def page() -> Page:
        from consilience.summaries.page import summaries_class_page

        return summaries_class_page(me, model, counts)

    said = ", ".join(f"{name}: {n}" for name, n in zip(terms.classes, counts, strict=True))
    notes = []
    if model.right is not None:
        notes.append(
            f"The model, a {model.by}, was right on {model.right:.0%} of those of your rows that "
            f"it had not learnt from."
        )
    without = len(ids) - len(asked.kept)
    if without:
        notes.append(f"{without} rows have a missing value and no class.")
    return Outcome(beside_ids(ids, "prediction", labels), said, page, notes)

"""The terms every study has, in words, around those of its kind."""

from consilience.report.agreement import agreement_section
from consilience.report.page import Table
from consilience.study.study import Study

TERMS = {
    "name": "s",
    "grid": {"rows": ["a", "b"], "columns": ["lab"]},
    "schema": {"lab": {f"x{k}": {"kind": "numeric", "bounds": [0, 1]} for k in range(3)}},
}


def rows_of(section):
    return {str(term): str(agreed) for term, agreed in section.parts[0].rows}


def test_grid_and_digest_stand_around_the_terms_of_the_kind():
    study = Study.from_terms(TERMS)
    section = agreement_section(study, [["Seed", "5"]], [Table(["group"], [["lab"]])])
    rows = rows_of(section)
    assert list(rows) == ["Row institutions", "Column groups", "Seed", "Digest of the terms"]
    assert rows["Row institutions"] == "a, b"
    assert rows["Digest of the terms"].startswith(study.digest[:16])
    assert section.parts[1].rows == [["lab"]]


def test_who_is_absent_and_how_much_may_be_rebuilt_are_said_where_they_are_agreed():
    grid = TERMS["grid"] | {"absent": ["b/lab"]}
    study = Study.from_terms({**TERMS, "grid": grid, "max_reconstruction": 0.5})
    rows = rows_of(agreement_section(study, []))
    assert rows["Nobody holds"] == "b/lab"
    assert rows["Largest R² of a column, and share of rows, an audit may find"] == "0.5"

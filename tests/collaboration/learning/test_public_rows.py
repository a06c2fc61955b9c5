"""Public rows are the file that was agreed on, complete, and read as parties read their tables."""

import hashlib

import pytest

from consilience.collaboration.learning.public_rows import column_slices, read_public_rows
from consilience.exceptions import StudyError, TableError
from consilience.study.study import Study

TABLE = "ward,age,pulse,sleep\nNone,3,60,8\nNA,5,70,7\nNone,9,80,6\n"


def agree(path, text):
    path.write_text(text)
    return Study.from_terms(
        {
            "name": "s",
            "grid": {"rows": ["r"], "columns": ["lab", "home"]},
            "schema": {
                "lab": {
                    "ward": {"kind": "categorical", "categories": ["None", "NA"]},
                    "age": {"kind": "numeric", "bounds": [0, 10]},
                },
                "home": {
                    "pulse": {"kind": "numeric", "bounds": [0, 99]},
                    "sleep": {"kind": "numeric", "bounds": [0, 99]},
                },
            },
            "learning": {"holder": "lab", "target": "ill", "classes": ["no", "yes"]},
            "anchor": {
                "kind": "smote",
                "public": path.name,
                "public_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            },
        }
    )


def test_categories_called_none_are_no_missing_values(tmp_path):
    path = tmp_path / "p.csv"
    study = agree(path, TABLE)
    rows = read_public_rows(path, study, bytes(32))
    assert rows.matrix.shape == (3, 5)
    assert column_slices(study) == {"lab": slice(0, 3), "home": slice(3, 5)}
    assert rows.draw(study, 20).shape == (20, 5)


def test_a_missing_value_column_or_file_is_refused(tmp_path):
    path = tmp_path / "p.csv"
    study = agree(path, TABLE.replace("9,80", ",80"))
    with pytest.raises(TableError, match=r"1 of the 3 public rows in p\.csv have missing values"):
        read_public_rows(path, study, bytes(32))
    with pytest.raises(TableError, match=r"lacks the columns \['sleep'\]"):
        read_public_rows(path, agree(path, TABLE.replace("sleep", "walks")), bytes(32))
    path.unlink()
    with pytest.raises(StudyError, match="there is no file"):
        read_public_rows(path, study, bytes(32))

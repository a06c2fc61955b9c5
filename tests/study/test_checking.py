"""One pass over a table: whatever is wrong is named, and what is refused is refused everywhere."""

import pytest

from consilience.exceptions import StudyError, TableError
from consilience.sources.source import Source
from consilience.study.checking import check_table, kinds_of
from consilience.study.study import Study

TEXT = """
name = "example"
grid = {rows = ["people"], columns = ["bank"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100]}
ward = {kind = "categorical", categories = ["north", "south"]}
grade = {kind = "ordinal", categories = ["low", "middle", "high"], missing = "fill"}
"""
STUDY = Study.from_text(TEXT + "[consensus]")
GOOD = "id,income,ward,grade\na,1,north,low\nb,2,south,high\n"


def check(tmp_path, text, study=STUDY, **options):
    (tmp_path / "t.csv").write_text(text)
    return check_table(study, "people/bank", Source(tmp_path / "t.csv", "id", **options))


def test_a_good_table_has_no_fault(tmp_path):
    checked = check(tmp_path, GOOD)
    assert checked.passes
    assert not checked.faults
    assert checked.accepted().matrix.tolist() == [[1, 1, 0, 0], [2, 0, 1, 2]]
    assert checked.told.startswith("separator: comma")
    assert checked.shape == "one letter (all of the ids)"


def test_everything_wrong_is_named_in_one_run(tmp_path):
    text = "id,income,Ward,grade,more\na,200,north,low,1\na,x,west,,2\n,3,,best,3\nd,4,north,low\n"
    checked = check(tmp_path, text)
    said = " ".join(map(str, checked.faults))
    for what in (
        "1 lines have fewer cells",
        "1 rows have an empty id",
        "1 rows repeat the id",
        "no column 'ward', but 'Ward'",
        "also has 'more'",
        "'income' has 1 value outside",
    ):
        assert what in said
    with pytest.raises(TableError, match="1 rows have an empty id") as caught:
        checked.accepted()
    assert "no column 'ward'" in str(caught.value)


def test_columns_are_looked_into_though_their_names_are_wrong(tmp_path):
    text = "id,income,Ward,grade\na,1,SECRET,low\nb,2,south,high\n"
    said = " ".join(map(str, check(tmp_path, text).faults))
    assert "column 'ward' has 1 value outside the declared categories" in said
    assert "SECRET" not in said


def test_what_is_filled_is_told_and_passes(tmp_path):
    checked = check(tmp_path, "id,income,ward,grade\na,1,north,NA\nb,2,south,\n")
    [fault] = checked.faults
    assert fault.what == "2 missing values, filled as the middle of the order"
    assert checked.accepted().matrix[:, 3].tolist() == [1, 1]


def test_a_table_without_ids_is_still_looked_into(tmp_path):
    checked = check(tmp_path, "who,income,ward,grade\na,200,north,low\n")
    said = " ".join(map(str, checked.faults))
    assert "no column 'id' among its 4" in said
    assert "outside" in said
    assert not checked.passes


def test_lost_zeros_meet_where_the_study_says_so(tmp_path):
    study = Study.from_text(TEXT + "[ids]\ndrop_zeros = true\n[consensus]")
    checked = check(tmp_path, GOOD.replace("a,1", "007,1").replace("b,2", "12,2"), study)
    assert checked.normalised.tolist() == ["7", "12"]
    assert "drop_zeros" in study.terms()["ids"]
    assert "drop_zeros" not in STUDY.terms()["ids"]


def test_unknown_classes_are_counted(tmp_path):
    learning = '[learning]\nholder = "bank"\ntarget = "ill"\nclasses = ["1", "2"]'
    learning += '\nlabels = "distribution"\nthreshold = 0.3'
    study = Study.from_text(TEXT + learning)
    text = "id,income,ward,grade,ill\na,1,north,low,1\nb,2,north,low,SECRET\nc,2,north,low,\n"
    said = [str(fault) for fault in check(tmp_path, text, study).faults]
    assert "1 row with a class that is not among the 2 classes" in said[0]
    assert "1 row without a class" in said[1]
    assert "SECRET" not in "".join(said)
    [fault] = check(tmp_path, GOOD, study).faults
    assert not fault.refused
    assert "no column 'ill'" in fault.what


def test_a_stranger_has_no_table(tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    with pytest.raises(StudyError, match="not a party"):
        check_table(STUDY, "people/other", Source(tmp_path / "t.csv", "id"))


def test_numbers_and_texts_are_told_apart_before_reading():
    kinds = kinds_of(STUDY.schema_of("bank"), "id")
    assert kinds.numbers == {"income"}
    assert kinds.texts == {"id", "ward", "grade"}

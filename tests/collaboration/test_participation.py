import numpy as np
import pandas as pd
import pytest

from consilience.collaboration.participation import (
    Rows,
    contribute_table,
    label_new_rows,
    label_rows,
    read_rows,
)
from consilience.collaboration.reduction import AffineReduction
from consilience.exceptions import MessageError, StudyError, TableError
from consilience.messages import Answer
from consilience.study.pseudonyms import pseudonyms

ID = "patient id"
KEY = bytes(range(32))
HEADER = {"study": "s", "sender": "analyst", "recipient": "a/lab"}


def some_rows(ids, kept=None, name=ID):
    """Rows whose matrix is one column, in the order of pseudonyms."""
    kept = np.arange(len(ids)) if kept is None else np.array(kept)
    codes = pseudonyms([ids[k] for k in kept], KEY)
    order = np.lexsort(codes.T[::-1])
    matrix = np.arange(float(len(ids)))[kept][order][:, None]
    return Rows(pd.Series(ids, name=name, dtype="string"), kept[order], matrix, codes[order], [])


def answer(labels, codes, n_clusters=3, **more):
    labels = np.array(labels, dtype=np.int64)
    return Answer(**HEADER, labels=labels, n_clusters=n_clusters, pseudonyms=codes, **more)


def test_labels_find_their_rows_in_any_order():
    rows = some_rows(["a", "b", "c", "d"], kept=[0, 1, 3])
    table = label_rows(rows, answer([2, 0, -1], pseudonyms(["d", "a", "b"], KEY)))
    assert table[ID].tolist() == ["a", "b", "c", "d"]
    assert table["cluster"].astype(object).where(table["cluster"].notna(), None).tolist() == [
        0,
        None,
        None,
        2,
    ]


def test_answer_must_name_rows_of_this_table_once():
    rows = some_rows(["a", "b"])
    for codes, reason in (
        (None, "names no rows"),
        (pseudonyms(["a", "a"], KEY), "names a row twice"),
        (pseudonyms(["a", "b"], bytes(32)), "names none of the rows"),
        (pseudonyms(["x", "y"], KEY), "names none of the rows"),
    ):
        with pytest.raises(MessageError, match=reason):
            label_rows(rows, answer([0, 1], codes))


def test_id_column_called_cluster_is_refused():
    rows = some_rows(["a"], name="cluster")
    with pytest.raises(TableError, match="Rename it"):
        label_rows(rows, answer([0], pseudonyms(["a"], KEY)))


def test_rows_read_are_in_the_order_of_pseudonyms_whatever_the_table(case):
    first = read_rows(case.study, "a/lab", case.data("a/lab"), ID, case.row_keys["a"])
    case.tables["a/lab"] = case.tables["a/lab"].iloc[::-1]
    case.tables["a/lab"][ID] = " " + case.tables["a/lab"][ID].str.lower() + "\t"
    case.save_tables()
    again = read_rows(case.study, "a/lab", case.data("a/lab"), ID, case.row_keys["a"])
    assert (first.pseudonyms == again.pseudonyms).all()
    assert np.allclose(first.matrix, again.matrix)
    codes = [code.tobytes() for code in first.pseudonyms]
    assert codes == sorted(codes)
    assert not first.notes


def test_rows_left_out_are_noted(new_case):
    case = new_case(
        ids={"empty": "drop"},
        schema={
            "lab": {
                "age": {"kind": "numeric", "bounds": [0, 120], "missing": "drop"},
                "pressure (mmHg)": {"kind": "numeric", "bounds": [0, 300]},
            },
            "life": {
                "steps": {"kind": "numeric", "bounds": [0, 30000]},
                "sleep": {"kind": "numeric", "bounds": [0, 24]},
            },
        },
    )
    table = case.tables["a/lab"].drop(columns=["ward", "grade"]).astype(object)
    table.iloc[0, table.columns.get_loc(ID)] = ""
    table.iloc[1:3, table.columns.get_loc("age")] = None
    table.to_csv(case.data("a/lab"), index=False)
    rows = read_rows(case.study, "a/lab", case.data("a/lab"), ID, case.row_keys["a"])
    assert (len(rows.ids), len(rows.kept), len(rows.matrix)) == (30, 27, 27)
    assert sorted(rows.kept) == list(range(3, 30))
    assert [note.partition(" ")[0] for note in rows.notes] == ["1", "2"]


def test_contribution_is_the_reduction_of_the_rows(case):
    message, reduction, _ = contribute_table(
        case.study, "a/lab", case.data("a/lab"), ID, case.column_keys["lab"], case.row_keys["a"]
    )
    rows = read_rows(case.study, "a/lab", case.data("a/lab"), ID, case.row_keys["a"])
    assert np.allclose(message.representation, reduction.transform(rows.matrix))
    assert (message.pseudonyms == rows.pseudonyms).all()
    assert rows.notes == []
    with pytest.raises(StudyError, match="is not a party"):
        read_rows(case.study, "c/lab", case.data("a/lab"), ID, bytes(32))


MODEL = {
    "centers": np.array([[0.0], [1.6]]),
    "linear": np.array([[1.0]]),
    "offset": np.array([0.0]),
}
SAME = AffineReduction(np.zeros(1), np.ones((1, 1)))


def test_model_labels_rows_by_the_nearest_centre(solved):
    given = answer([], np.empty((0, 16), dtype=np.uint8), 2, **MODEL)
    rows = some_rows(["x", "y", "z", "w"], kept=[0, 2, 3])
    table = label_new_rows(solved.study, rows, given, SAME)
    assert table["cluster"].fillna(-1).tolist() == [0, -1, 1, 1]


def test_model_that_does_not_fit_the_reduction_is_refused(solved):
    rows = some_rows(["a", "b", "c"])
    given = answer([0, 1, 1], rows.pseudonyms, 2, **MODEL)
    wider = AffineReduction(np.zeros(1), np.ones((1, 2)))
    with pytest.raises(StudyError, match="holds 2 of the 1 dimensions"):
        label_new_rows(solved.study, rows, given, wider)
    with pytest.raises(StudyError, match="holds no model"):
        label_new_rows(solved.study, rows, answer([0, 1, 1], rows.pseudonyms), SAME)
    map_alone = answer([0, 1, 1], rows.pseudonyms, 2, **{**MODEL, "centers": None})
    with pytest.raises(MessageError, match="a map and no centres"):
        label_new_rows(solved.study, rows, map_alone, SAME)

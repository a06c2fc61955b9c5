"""Classes in a study of summaries by files."""

import numpy as np
import pandas as pd
import pytest

from conftest import ID


@pytest.fixture
def classed(new_case):
    """Two hospitals whose patients have a grade, which their age and weight tell."""
    pytest.importorskip("opendp")

    def make(n=(900, 900), **terms):
        case = new_case(columns=("lab",), n=n)
        names = set().union(*(table["grade"] for table in case.tables.values()))
        del case.terms["clustering"]
        columns = case.terms["schema"]["lab"]
        case.terms["schema"] = {"lab": {n: c for n, c in columns.items() if n != "grade"}}
        given = {"target": "grade", "classes": sorted(names), "epsilon": 20.0, **terms}
        case.terms |= {"kind": "summaries", "summaries": given}
        return case.write()

    return make


def run_all(case, cli):
    for party in case.parties:
        result = cli(*case.contribute_command(party))
        assert result.code == 0, result.err
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err
    return result


def test_every_party_learns_at_home_and_predicts_new_rows(classed, cli):
    case = classed()
    table = case.tables["a/lab"]
    table.loc[table.index[:50], "grade"] = None
    case.save_tables()
    assert "class" in run_all(case, cli).out
    out = case.folder / "predictions.csv"
    result = cli(*case.label_command("b/lab", "--out", out))
    assert result.code == 0, result.err
    assert "right on" in result.err + result.out
    found = pd.read_csv(out).set_index(ID)["prediction"]
    known = case.tables["b/lab"].set_index(ID)["grade"]
    assert np.mean(found.loc[known.index] == known) > 0.8
    new = case.tables["a/lab"].drop(columns="grade").head(20)
    new.to_csv(case.folder / "new.csv", index=False)
    result = cli(*case.label_command("b/lab", "--new-data", case.folder / "new.csv", "--out", out))
    assert result.code == 0, result.err
    assert len(pd.read_csv(out)) == 20


def test_pages_and_audit_speak_of_classes(classed, cli):
    case = classed()
    run_all(case, cli)
    page = case.folder / "page.html"
    given = ["--as", "a/lab", "--data", case.data("a/lab"), "--id", ID, "--out", page]
    result = cli("report", case.path, case.answer("a/lab"), *given)
    assert result.code == 0, result.err
    assert "right on your own rows" in page.read_text()
    files = [case.sent(p) for p in case.parties]
    assert cli("report", case.path, "--as", "analyst", *files, "--out", page).code == 0
    assert "The classes" in page.read_text()
    result = cli("audit", case.path, "--as", "a/lab", "--data", case.data("a/lab"), "--id", ID)
    assert "Measured epsilon" in result.out.replace("\n", " ")


def test_a_table_without_the_classes_sends_nothing(classed, cli):
    case = classed(n=(60, 60))
    case.tables["a/lab"] = case.tables["a/lab"].drop(columns="grade")
    case.save_tables()
    result = cli(*case.contribute_command("a/lab"))
    assert result.code != 0
    assert "grade" in result.err
    assert not case.sent("a/lab").exists()

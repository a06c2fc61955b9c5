"""A study of summaries by files: from tables to labels, and what it may cost."""

import json

import numpy as np
import pandas as pd
import pytest

from conftest import ID, make_rows
from consilience.exceptions import StudyError
from consilience.metrics import clustering_accuracy
from consilience.sources import delimited, parts
from consilience.sources.reading import table_pieces
from consilience.study.labelled_lines import LabelledLines
from consilience.transports.bundle import manifest_of, read_bundle

KIND = {"kind": "summaries"}
EXACT = {"guarantee": "k-anonymous", "min_rows": 5, "n_clusters": 3}
NOISY = {"epsilon": 4.0, "n_clusters": 3, "budget": 6.0}


@pytest.fixture
def summed(new_case):
    """Two hospitals with the same columns."""

    def make(n=(60, 48), **terms):
        case = new_case(columns=("lab",), n=n)
        del case.terms["clustering"]
        case.terms |= KIND | {"summaries": terms}
        return case.write()

    return make


def run_all(case, cli):
    for party in case.parties:
        result = cli(*case.contribute_command(party))
        assert result.code == 0, result.err
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err
    return result


def kinds_of(case, party):
    """Return the kind of each row, which its grade tells."""
    table = case.tables[party]
    return table.set_index(ID)["grade"]


def test_rows_get_their_clusters_at_home(summed, cli):
    case = summed(**EXACT)
    run_all(case, cli)
    pairs = pd.concat(
        [pd.DataFrame({"k": kinds_of(case, p), "c": case.labels(p)}) for p in case.parties]
    )
    # Another ward may pull a patient over, but hardly ever does.
    assert clustering_accuracy(pairs["k"], pairs["c"]) > 0.9


def test_nothing_of_a_row_leaves(summed, cli):
    case = summed(**EXACT)
    run_all(case, cli)
    message, _ = read_bundle(
        case.sent("a/lab"), study=case.study, identity=case.identities["analyst"]
    )
    assert message.weights.min() >= EXACT["min_rows"]
    assert message.weights.sum() == len(case.tables["a/lab"])
    assert not np.isin(message.centers[:, 0], case.tables["a/lab"]["age"]).any()


def test_the_same_table_is_drawn_once_and_paid_once(summed, cli):
    pytest.importorskip("opendp")
    case = summed(**NOISY)
    first, again = case.leaving("a/lab"), case.leaving("a/lab")
    np.testing.assert_array_equal(
        first.letters[0].message.centers, again.letters[0].message.centers
    )
    charges = [e for e in case.private("a/lab").ledger.entries() if e["what"] == "charge"]
    assert [e["epsilon"] for e in charges] == [4.0]


def test_another_table_is_another_draw_and_the_budget_ends(summed, cli):
    pytest.importorskip("opendp")
    case = summed(**NOISY)
    case.leaving("a/lab")
    case.tables["a/lab"]["age"] += 1
    case.save_tables()
    result = cli(*case.contribute_command("a/lab"))
    assert result.code != 0
    assert "4.0 of 6.0 is spent" in result.err.replace("\n", " ")
    assert not case.sent("a/lab").exists()


def test_a_study_with_noise_runs_to_its_labels_and_pages(summed, cli):
    pytest.importorskip("opendp")
    case = summed(n=(600, 600), epsilon=20.0, n_clusters=3)
    said = run_all(case, cli).out
    assert "±" in said
    assert case.labels("b/lab").notna().all()
    page = case.folder / "page.html"
    files = [case.sent(p) for p in case.parties]
    assert cli("report", case.path, "--as", "analyst", *files, "--out", page).code == 0
    assert "differentially private" in page.read_text()
    given = ["--as", "a/lab", "--data", case.data("a/lab"), "--id", ID, "--out", page]
    result = cli("report", case.path, case.answer("a/lab"), *given)
    assert result.code == 0, result.err
    assert "Your rows" in page.read_text()


def test_a_person_with_more_rows_than_agreed_is_refused(summed, cli):
    case = summed(**EXACT)
    table = case.tables["a/lab"]
    case.tables["a/lab"] = pd.concat([table, table.head(1)])
    case.save_tables()
    result = cli(*case.contribute_command("a/lab"))
    assert result.code != 0
    assert "rows_per_person" in result.err.replace("\n", " ")


def test_too_few_rows_send_nothing(summed, cli):
    case = summed(n=(4, 40), **EXACT)
    result = cli(*case.contribute_command("a/lab"))
    assert result.code != 0
    assert "must have >= 5" in result.err.replace("\n", " ")


def test_an_answer_to_somebody_else_is_refused(summed, cli):
    case = summed(**EXACT)
    run_all(case, cli)
    case.private("a/lab").ledger.path.unlink()
    result = cli(*case.label_command("a/lab"))
    assert result.code != 0
    assert "ledger" in result.err


def test_a_missing_party_stops_the_study_unless_it_may_go_on(summed, cli):
    case = summed(**EXACT)
    assert cli(*case.contribute_command("a/lab")).code == 0
    result = cli(*case.analyse_command(paths=[case.sent("a/lab")]))
    assert "missing" in result.err
    case.terms["grid"]["missing_party"] = "go on"
    case.write()
    assert cli(*case.contribute_command("a/lab"), "--accept").code == 0
    result = cli(*case.analyse_command("--json", paths=[case.sent("a/lab")]))
    assert result.code == 0, result.err
    assert json.loads(result.out)["n_clusters"] == 3


def test_new_rows_are_labelled_without_a_study(summed, cli):
    case = summed(**EXACT)
    run_all(case, cli)
    new = make_rows(np.random.default_rng(3), 12, ["lab"])["lab"]
    new.insert(0, ID, [f"N-{k}" for k in range(12)])
    path = case.folder / "new.csv"
    new.to_csv(path, index=False)
    result = cli(*case.label_command("a/lab", "--new-data", path))
    assert result.code == 0, result.err


def test_columns_that_are_split_are_refused(new_case):
    case = new_case()
    del case.terms["clustering"]
    case.terms |= KIND
    with pytest.raises(StudyError, match="one column group"):
        assert case.study


@pytest.mark.parametrize("moment", [0.1, 0.2, 0.3, 0.45])
def test_a_run_that_is_killed_costs_no_more_than_one_that_is_not(summed, nursery, moment):
    pytest.importorskip("opendp")
    case = summed(n=(600, 60), **NOISY)
    nursery.run(*case.contribute_command("a/lab"), kill_after=moment)
    result = nursery.run(*case.contribute_command("a/lab"))
    assert result.code == 0, result.err
    entries = case.private("a/lab").ledger.entries()
    assert [e["epsilon"] for e in entries if e["what"] == "charge"] == [4.0]


@pytest.mark.parametrize("terms", [EXACT, {"guarantee": "k-anonymous", "min_rows": 5}])
def test_a_table_in_parts_gives_the_same_summary_and_the_same_labels(
    summed, cli, monkeypatch, terms
):
    case, party = summed(**terms), "a/lab"
    run_all(case, cli)
    whole, told = case.leaving(party), case.read(party)
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(parts, "LARGE_BYTES", 0)
    streamed, lines = case.leaving(party), case.read(party, as_lines=True)
    [one], [other] = whole.letters, streamed.letters
    assert manifest_of(one.message, case.study, "") == manifest_of(other.message, case.study, "")
    assert isinstance(lines.table, LabelledLines)
    text = b"".join(table_pieces(lines.table, case.data(party)))
    assert text == b"".join(table_pieces(told.table, case.data(party)))
    assert (lines.said, lines.notes) == (told.said, told.notes)


def test_noise_is_not_drawn_again_for_a_table_in_parts(summed, cli, monkeypatch):
    """What was drawn is kept under a digest of the rows, wherever they lie."""
    pytest.importorskip("opendp")
    case, party = summed(**NOISY), "a/lab"
    [whole] = case.leaving(party).letters
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(parts, "LARGE_BYTES", 0)
    [streamed] = case.leaving(party).letters
    assert streamed.message.centers.tobytes() == whole.message.centers.tobytes()

"""A study of clusters by files: what leaves, what is found, and which rows get which cluster."""

import numpy as np
import pandas as pd
import pytest

from consilience.by_files import by_files
from consilience.collaboration.anchors.keyed import draw_anchor
from consilience.collaboration.by_files import label_rows
from consilience.collaboration.party import Party
from consilience.exceptions import BundleError, MessageError, StudyError
from consilience.messages import Answer
from consilience.study.pseudonyms import pseudonyms
from consilience.study.rows import Rows

ID = "patient id"
KEY = bytes(range(32))


def some_rows(ids, kept=None):
    """Rows whose matrix is one column, in the order of pseudonyms."""
    kept = np.arange(len(ids)) if kept is None else np.array(kept)
    codes = pseudonyms([ids[k] for k in kept], KEY)
    order = np.lexsort(codes.T[::-1])
    matrix = np.arange(float(len(ids)))[kept][order][:, None]
    return Rows(
        ids=pd.Series(ids, name=ID, dtype="string"),
        kept=kept[order],
        matrix=matrix,
        pseudonyms=codes[order],
        notes=[],
    )


def party_with(labels, codes):
    anchor = draw_anchor("gaussian", KEY, np.zeros(2), np.ones(2), 9)
    party = Party("a/lab", anchor, n_components=1)
    party.resume(len(labels))
    labels = np.array(labels, dtype=np.int64)
    header = {"study": "", "sender": "analyst", "recipient": "a/lab"}
    party.receive(Answer(**header, labels=labels, n_clusters=3, pseudonyms=codes))
    return party


def test_labels_find_their_rows_in_any_order():
    rows = some_rows(["a", "b", "c", "d"], kept=[0, 1, 3])
    party = party_with([2, 0, -1], pseudonyms(["d", "a", "b"], KEY))
    clusters, answered = label_rows(party, rows)
    assert clusters.tolist() == [0, -1, -1, 2]
    assert answered.tolist() == [1, 2, -1, 0]


@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        (None, "names no rows"),
        (pseudonyms(["a", "a"], KEY), "names a row twice"),
        (pseudonyms(["a", "b"], bytes(32)), "names none of the rows"),
        (pseudonyms(["x", "y"], KEY), "names none of the rows"),
    ],
)
def test_answer_must_name_rows_of_this_table_once(codes, reason):
    with pytest.raises(MessageError, match=reason):
        label_rows(party_with([0, 1], codes), some_rows(["a", "b"]))


def test_the_outcome_has_the_ids_of_the_table_with_the_clusters_the_analyst_found(solved):
    outcome = solved.read("a/lab")
    assert outcome.table[ID].tolist() == solved.tables["a/lab"][ID].tolist()
    labels = solved.letter("a/lab", solved.answer("a/lab")).message.labels
    assert outcome.said == ", ".join(f"cluster {k}: {n}" for k, n in enumerate(np.bincount(labels)))


def test_new_rows_get_the_nearest_centre_of_a_model(new_case, cli):
    case = new_case(columns=("lab",), answer="model").contribute()
    assert cli(*case.analyse_command()).code == 0
    same = case.read("a/lab", new=case.source("a/lab"))
    pd.testing.assert_frame_equal(same.table, case.read("a/lab").table)


def test_labels_alone_are_no_model_for_new_rows(solved):
    with pytest.raises(StudyError, match="holds no model"):
        solved.read("a/lab", new=solved.source("a/lab"))


def test_what_is_no_answer_to_this_party_is_refused(solved):
    me, source = solved.participant("a/lab"), solved.source("a/lab")
    [letter] = solved.leaving("a/lab").letters
    with pytest.raises(BundleError, match="holds a Contribution, no answer"):
        by_files(solved.study, "label").read(me, [letter], source)


def test_there_are_no_newcomers_among_clusters(solved):
    with pytest.raises(StudyError, match="--newcomer is for studies that group"):
        by_files(solved.study, "analyse").solve(solved.participant("analyst"), [], ["a"])


def test_a_coalition_is_audited_with_the_clusters_of_the_study(solved):
    kind = by_files(solved.study, "audit")
    examined = kind.audit(solved.study, "a/lab", solved.source("a/lab"), n_repeats=1, seed=0)
    assert (examined.audit.n_rows, examined.refusal) == (30, "")


def answered_with(new_case, cli, answer, method):
    clustering = {"n_clusters": 3, "method": method}
    case = new_case(answer=answer, clustering=clustering).contribute()
    assert cli(*case.analyse_command("--report", case.folder / "analyst.html")).code == 0
    command = case.label_command("a/lab", "--report", case.folder / "party.html")
    assert cli(*command).code == 0
    pages = [(case.folder / f"{who}.html").read_text() for who in ("analyst", "party")]
    return case.read("a/lab").table, pages


def test_soft_clusters_stand_beside_the_cluster_of_a_row(new_case, cli):
    table, pages = answered_with(new_case, cli, "memberships", "mixture")
    shares = table[[f"membership_{k}" for k in range(3)]].to_numpy(float)
    inside = table["cluster"].notna().to_numpy()
    assert inside.any()
    np.testing.assert_allclose(shares[inside].sum(axis=1), 1, atol=1e-3)
    assert (shares[inside].argmax(axis=1) == table["cluster"][inside].to_numpy(int)).all()
    assert np.isnan(shares[~inside]).all()
    assert all("Rows between clusters" in page for page in pages)


def test_a_tree_gives_coarser_clusters_at_home(new_case, cli):
    table, pages = answered_with(new_case, cli, "tree", "hierarchical")
    pairs = table[["cluster", "cluster_of_2"]].dropna().drop_duplicates()
    assert pairs["cluster"].is_unique
    assert pairs["cluster_of_2"].nunique() <= 2 <= len(pairs)
    assert all("How the clusters join" in page for page in pages)

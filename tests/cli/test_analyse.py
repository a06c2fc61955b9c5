import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pyrage
import pytest

from consilience.messages import Answer, Contribution, Query
from consilience.study.identity import Identity
from consilience.study.study import ANALYST
from consilience.transports.bundle import CONTEXT, read_bundle
from consilience.transports.unsealing import MAGIC

ID = "patient id"


def test_summary_counts_what_arrived(cli, new_case):
    case = new_case()
    case.tables["a/life"] = case.tables["a/life"].iloc[4:]
    case.save_tables()
    case.contribute()
    result = cli(*case.analyse_command("--json"))
    assert result.code == 0, result.err
    summary = json.loads(result.out)
    assert summary["answered"] == case.parties
    assert summary["rows"] == summary["complete"] == {"a": 26, "b": 24}
    assert summary["unmatched"] == {"a": [4, 0], "b": [0, 0]}
    assert sum(summary["cluster_sizes"]) == 50
    assert summary["digest"] == case.study.digest


def test_analyst_needs_none_of_the_secrets(cli, case):
    case.contribute()
    for party in case.parties:
        for path in case.private(party).path.iterdir():
            path.unlink()
    assert sorted(p.name for p in case.private(ANALYST).path.iterdir()) == ["identity.toml"]
    assert cli(*case.analyse_command()).code == 0


def test_running_again_replaces_the_answers_with_the_same(cli, case):
    case.contribute()
    read = [
        {
            party: read_bundle(
                case.answer(party), study=case.study, identity=case.identities[party]
            )[0].labels.tolist()
            for party in case.parties
        }
        for _ in range(2)
        if cli(*case.analyse_command()).code == 0
    ]
    assert read[0] == read[1]


def test_missing_party_is_named_and_the_study_decides(cli, new_case):
    for rule, code in (("refuse", 2), ("go on", 0)):
        case = new_case(grid={"missing_party": rule})
        case.contribute()
        paths = [case.sent(p) for p in case.parties if p != "b/life"]
        result = cli(*case.analyse_command(paths=paths))
        assert result.code == code
        assert "['b/life']" in result.err
        answered = {p for p in case.parties if case.answer(p).exists()}
        assert answered == (set() if code else {"a/lab", "a/life", "b/lab"})
        # One more contribution: it works again, with all of them.
        assert cli(*case.analyse_command()).code == 0
        assert all(case.answer(p).exists() for p in case.parties)


def test_unmatched_rows_may_be_refused(cli, new_case):
    case = new_case(ids={"unmatched": "refuse"})
    case.tables["a/life"] = case.tables["a/life"].iloc[4:]
    case.save_tables()
    case.contribute()
    result = cli(*case.analyse_command())
    assert result.code == 2
    assert "(a/lab 4, a/life 0)" in result.err
    assert not (case.folder / "answers").exists()


def change_key(case, party, kind):
    """Give a party another secret than those it shares it with."""
    (case.private(party).path / f"{kind}.key").unlink()
    case.private(party).write_key(kind, bytes(32))


def test_parties_of_a_row_with_different_row_keys_share_no_row(cli, case):
    change_key(case, "a/life", "row")
    case.contribute()
    result = cli(*case.analyse_command("--json"))
    assert result.code == 0
    assert json.loads(result.out)["rows"] == {"a": 0, "b": 24}


def test_parties_of_a_column_with_different_column_keys_are_refused(cli, case):
    change_key(case, "b/lab", "column")
    case.contribute()
    result = cli(*case.analyse_command())
    assert result.code == 2
    assert "b/lab used another anchor than ['a/lab']" in result.err


# Faults: a clear message, exit code 2, and the answers of an earlier run as they were.


@pytest.fixture
def faulty(solved, cli, tmp_path):
    """Give the analyst another file in place of one contribution; return what it says."""

    def give(path, party="a/lab"):
        before = {p: solved.answer(p).read_bytes() for p in solved.parties}
        paths = [path if p == party else solved.sent(p) for p in solved.parties]
        result = cli(*solved.analyse_command(paths=paths))
        assert result.code == 2
        assert result.err.startswith("refused: ")
        assert result.err.count("\n") == 1
        assert {p: solved.answer(p).read_bytes() for p in solved.parties} == before
        return result.err

    return give


def test_damaged_contributions_are_refused(faulty, solved, tmp_path):
    good = solved.sent("a/lab").read_bytes()
    bad = tmp_path / "bad.contribution"
    for data in (b"", good[:-1], good[: len(good) // 2], good[:5] + b"x" + good[6:], b"{}" * 99):
        bad.write_bytes(data)
        assert "bad.contribution cannot be opened by 'analyst'" in faulty(bad)


def test_duplicated_contribution_is_refused(faulty, solved):
    reason = "b.lab.contribution and b.lab.contribution are both of 'b/lab'"
    assert reason in faulty(solved.sent("b/lab"))


def test_answer_and_query_are_no_contributions(faulty, solved, tmp_path):
    assert "addressed to 'a/lab', not to 'analyst'" in faulty(solved.answer("a/lab"))
    header = {"study": solved.study.digest, "sender": "a/lab", "recipient": ANALYST}
    query = Query(**header, representation=np.ones((2, 3)))
    solved.send(query, tmp_path / "query")
    assert "no contribution of ['a/lab'] has come" in faulty(tmp_path / "query")
    labels = Answer(**header, labels=np.zeros(3, dtype=np.int64), n_clusters=1)
    solved.send(labels, tmp_path / "labels")
    assert "labels holds a Answer, no contribution" in faulty(tmp_path / "labels")


def test_contribution_of_an_older_study_is_refused_with_the_difference(faulty, solved, tmp_path):
    older = type(solved)(**{**vars(solved), "terms": {**solved.terms, "name": "an older study"}})
    header = {"study": older.study.digest, "sender": "a/lab", "recipient": ANALYST}
    X = np.ones((3, 3))
    older.send(
        Contribution(**header, representation=X, anchor=X, anchor_digest=""), tmp_path / "old"
    )
    reason = 'name is "a small study" here and "an older study" there'
    assert reason in faulty(tmp_path / "old")


def test_contribution_signed_or_sealed_by_others_is_refused(faulty, solved, tmp_path):
    identities, path = solved.identities, tmp_path / "other"
    plain = pyrage.decrypt(solved.sent("a/lab").read_bytes(), [identities[ANALYST].sealing])
    start = len(MAGIC) + 8
    n = int.from_bytes(plain[len(MAGIC) : start], "little")
    head, body = plain[start : start + n], plain[start + n + 64 :]
    signature = Identity.new("a/lab").sign(CONTEXT + head)
    forged = plain[: start + n] + signature + body
    path.write_bytes(pyrage.encrypt(forged, [identities[ANALYST].public.recipient]))
    assert "is signed by no role of this study: it is forged" in faulty(path)
    path.write_bytes(pyrage.encrypt(plain, [identities["b/life"].public.recipient]))
    assert "sealed to somebody else" in faulty(path)


def contribution(case, party="a/lab", **changes):
    path, identity = case.sent(party), case.identities[ANALYST]
    good, _ = read_bundle(path, study=case.study, identity=identity)
    made = {name: value(good) if callable(value) else value for name, value in changes.items()}
    return dataclasses.replace(good, **made)


WRONG = {
    "fewer anchor rows": ({"anchor": lambda good: good.anchor[:7]}, "and a/lab 7"),
    "no pseudonyms": ({"pseudonyms": None}, "sent no pseudonyms"),
    "pseudonyms twice": ({"pseudonyms": np.zeros((30, 16), dtype=np.uint8)}, "pseudonyms twice"),
    "another width": (
        {"representation": np.ones((30, 2)), "anchor": np.ones((400, 2))},
        "2 dimensions",
    ),
}


@pytest.mark.parametrize(("changes", "reason"), WRONG.values(), ids=WRONG)
def test_contribution_that_does_not_fit_the_others_is_refused(
    faulty, solved, tmp_path, changes, reason
):
    solved.send(contribution(solved, **changes), tmp_path / "wrong")
    assert reason in faulty(tmp_path / "wrong")


def test_wrong_role_or_key_of_the_analyst_is_refused(cli, solved, new_case):
    result = cli(*solved.analyse_command("--as", "a/lab"))
    assert (result.code, "only the analyst solves" in result.err) == (2, True)
    other = new_case()
    result = cli(*solved.analyse_command("--private", other.private(ANALYST).path))
    assert (result.code, "other public keys of 'analyst'" in result.err) == (2, True)


# Classes are learnt, and institutions are grouped by them.


@pytest.fixture
def mixed(of_kind):
    """Build a study of institutions with given shares of rows that are ill."""

    def build(kind, shares, grid=None, **learning):
        terms = {"holder": "lab", "target": "ill", "classes": ["no", "yes"], **learning}
        if kind == "groups":
            terms |= {"labels": "distribution"}
        n = (40,) * len(shares)
        case = of_kind(kind, rows=tuple(shares), n=n, columns=("lab",), learning=terms,
                       grid=grid or {})  # fmt: skip
        for row, share in shares.items():
            ill = np.arange(40) < 40 * share
            case.tables[f"{row}/lab"]["ill"] = np.where(ill, "yes", "no")
        case.save_tables()
        return case

    return build


def groups_of(said):
    return json.loads(said)["groups"]


def test_institutions_are_grouped_by_counts_and_no_row_came(mixed, answered):
    case = mixed("groups", {"a": 0.2, "b": 0.25, "c": 0.8}, threshold=0.2)
    page = case.folder / "analyst.html"
    said = answered(case, "--json", "--report", page)
    assert groups_of(said) == {"a": 0, "b": 0, "c": 1}
    text = page.read_text()
    assert "no row of any party ever came here" in text
    assert re.search(r"a\D+0\D+32\D+8\D+80%\D+20%", re.sub(r"<[^>]*>", " ", text))


def test_a_late_institution_takes_the_nearest_group(cli, mixed, answered):
    shares = {"a": 0.2, "b": 0.3, "c": 0.9, "d": 0.12}
    case = mixed("groups", shares, grid={"missing_party": "go on"}, threshold=0.15)
    early = answered(case, "--json", parties=["a/lab", "b/lab", "c/lab"])
    assert groups_of(early) == {"a": 0, "b": 0, "c": 1}
    # Grouped anew, d would take a away from b; as a newcomer it joins them.
    again = groups_of(answered(case, "--json"))
    assert again["a"] != again["b"]
    late = groups_of(answered(case, "--json", "--newcomer", "d"))
    assert late == {"a": 0, "b": 0, "c": 1, "d": 0}
    result = cli(*case.analyse_command("--newcomer", "x"))
    assert (result.code, "must be row institutions of the study" in result.err) == (2, True)


def test_newcomers_are_for_studies_that_group(cli, solved):
    result = cli(*solved.analyse_command("--newcomer", "a"))
    assert (result.code, "for studies that group institutions" in result.err) == (2, True)


def test_one_class_each_is_a_mix_like_any_other(mixed, answered):
    case = mixed("groups", {"a": 0.0, "b": 0.0, "c": 1.0}, threshold=0.2)
    assert groups_of(answered(case, "--json")) == {"a": 0, "b": 0, "c": 1}


def test_groups_of_institutions_learn_their_own_models(mixed, answered):
    case = mixed("classes", {"a": 0.5, "b": 0.25})
    assert "ridge learnt from 80 rows" in answered(case)
    case.terms["learning"]["threshold"] = 0.0
    case.write()
    assert "ridge learnt from 80 rows in 2 groups" in answered(case, "--accept")


def test_an_institution_without_classes_cannot_be_grouped_by_them(cli, mixed):
    case = mixed("classes", {"a": 0.5, "b": 0.25}, threshold=0.5)
    case.tables["a/lab"]["ill"] = None
    case.save_tables()
    case.contribute()
    result = cli(*case.analyse_command())
    assert result.code == 2
    assert "'a' sent no labels, so its label mix is not known" in result.err


def test_dimensions_the_study_did_not_agree_on_are_refused(cli, mixed):
    case = mixed("classes", {"a": 0.5, "b": 0.25}).contribute()
    sent, _ = read_bundle(case.sent("a/lab"), study=case.study, identity=case.identities[ANALYST])
    narrow = {name: getattr(sent, name)[:, :1] for name in ("representation", "anchor")}
    case.send(dataclasses.replace(sent, **narrow), case.sent("a/lab"))
    result = cli(*case.analyse_command())
    assert result.code == 2
    assert "a/lab sent 1 dimensions, but the study says" in result.err


def test_the_analyst_looks_chooses_and_answers_without_new_contributions(cli, new_case):
    case = new_case(clustering={"n_clusters": "2-4", "method": ["kmeans", "spectral"]})
    case.contribute()
    page = case.folder / "explored.html"
    looked = cli(*case.analyse_command("--explore", "--report", page, "--json"))
    assert looked.code == 0, looked.err
    found = json.loads(looked.out)
    assert found["answered"] == []
    assert not list((case.folder / "answers").glob("*.answer"))
    tried = {(t["method"], t["n_clusters"]) for t in found["explored"]}
    assert tried == {(m, k) for m in ("kmeans", "spectral") for k in (2, 3, 4)}
    assert all(
        set(t) > {"silhouette", "stability", "sizes", "agreement"} for t in found["explored"]
    )
    assert "What you may choose" in page.read_text()
    table = case.folder / "counts.csv"
    chosen = ("--clusters", 4, "--method", "spectral", "--export", table, "--json")
    answered = json.loads(cli(*case.analyse_command(*chosen)).out)
    assert (answered["n_clusters"], answered["method"]) == (4, "spectral")
    assert len(answered["answered"]) == len(case.parties)
    assert set(pd.read_csv(table).columns) == {"row institution", "cluster", "rows"}
    assert cli(*case.label_command("a/lab")).code == 0
    counts = case.folder / "counts.json"
    assert cli(*case.analyse_command("--export", counts)).code == 0
    assert json.loads(counts.read_text())["counts"]


def test_a_choice_the_study_does_not_leave_is_refused(cli, new_case, of_kind):
    case = new_case(clustering={"n_clusters": "2-4"})
    case.contribute()
    refused = cli(*case.analyse_command("--clusters", 5))
    assert (refused.code, "the parties agreed on" in refused.err) == (2, True)


def test_another_study_than_the_one_answered_is_shown_and_needs_accept(cli, case):
    for party in case.parties:
        assert cli(*case.contribute_command(party)).code == 0
    assert cli(*case.analyse_command()).code == 0
    case.terms["answer"] = "representation"
    case.write()
    for party in case.parties:
        assert cli(*case.contribute_command(party, "--accept")).code == 0
    result = cli(*case.analyse_command())
    assert (result.code, "not the study you relied on" in result.err) == (2, True)
    assert "answer" in result.err
    result = cli(*case.analyse_command("--accept"))
    assert result.code == 0, result.err
    assert cli(*case.analyse_command()).code == 0

"""Ids matched without a shared key: by files, three letters for two holders."""

import shutil

import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from consilience.study.matches import read_matches

pytest.importorskip("rbcl", reason="needs the extra 'psi'")

ID = "patient id"
PSI = {"ids": {"match": "psi"}}


@pytest.fixture
def town(new_case):
    """Two hospitals of two departments; no department holds the row key of another."""
    return without_row_keys(new_case(**PSI))


def without_row_keys(case):
    for path in case.folder.glob("private/*/row.key"):
        path.unlink()
    return case


def words(case, party, *more):
    out = case.folder / "out"
    own = ("--as", party, "--data", case.data(party), "--id", ID, "--yes", "--out", out)
    return ["match", case.path, *more, *own]


def letter(case, party, number):
    return case.folder / "out" / f"{party.replace('/', '.')}.{number}.match"


def match_row(cli, case, row, columns=("lab", "life")):
    """Let the holders of a row pass their ids round, each carrying one file to the next."""
    holders, files, said = [f"{row}/{column}" for column in columns], [], []
    for number in range(2 * len(holders)):
        party = holders[number % len(holders)]
        said.append(cli(*words(case, party, *files)))
        assert said[-1].code == 0, said[-1].err
        files = [letter(case, holders[(number + 1) % len(holders)], number + 1)]
    assert not files[0].exists()
    return said


def solve(cli, case):
    for party in case.parties:
        result = cli(*case.contribute_command(party))
        assert result.code == 0, result.err
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err
    return {party: case.labels(party) for party in case.parties}


def test_clusters_are_those_of_a_study_with_a_shared_key(cli, town, new_case):
    keyed = new_case()
    for case in (town, keyed):
        case.tables["a/life"] = case.tables["a/life"].iloc[:25]
        case.save_tables()
    for row in "ab":
        match_row(cli, town, row)
    by_psi, by_key = solve(cli, town), solve(cli, keyed)
    for party, labels in by_psi.items():
        expected = by_key[party].reindex(labels.index)
        assert labels.isna().equals(expected.isna())
        there = labels.notna()
        assert adjusted_rand_score(labels[there], expected[there]) == 1
    assert by_psi["a/lab"].isna().sum() == 5


def test_three_holders_pass_five_letters(cli, new_case):
    case = new_case(rows=("a",), columns=("lab", "life", "bills"), n=(30,), **PSI)
    without_row_keys(case)
    said = match_row(cli, case, "a", ("lab", "life", "bills"))
    assert len(list((case.folder / "out").glob("*.match"))) == 5
    assert "your rows have their names" in " ".join(said[-1].err.split())
    assert all(labels.notna().all() for labels in solve(cli, case).values())


def test_what_leaves_is_shown_noted_and_stated(cli, town):
    first, second, *_ = match_row(cli, town, "a")
    shown = " ".join(second.out.split())
    assert "ids of a/lab" in shown
    assert "30, blinded by you" in shown
    assert "waiting for ids that a/life passes on" in first.out
    assert "carry a.life.1.match to a/life" in " ".join(first.err.split())
    entries = [e for e in town.private("a/life").ledger.entries() if e["what"] == "match"]
    assert [(e["to"], e["letter"], e["ids"]) for e in entries] == [
        ("a/lab", 2, {"a/lab": 30, "a/life": 30})
    ]
    statement = letter(town, "a/lab", 2).with_suffix(".match.statement.txt").read_text()
    assert "their ids, blinded by secret numbers" in statement
    assert cli("verify", town.path, letter(town, "a/lab", 2)).code == 0
    [kept] = read_matches(town.private("a/life"), town.study.match_of("a/life"))
    for secret in (kept.secret, kept.blind):
        for path in (town.folder / "out").iterdir():
            assert secret not in path.read_bytes()
            assert secret.hex() not in path.read_text(errors="replace")


def test_no_holder_gets_a_key_of_another(cli, town):
    for row in "ab":
        match_row(cli, town, row)
    solve(cli, town)
    keys = [town.private(party).read_key("row") for party in town.parties]
    assert len(set(keys)) == 4
    assert not list((town.folder / "out").glob("*.row-*.keys"))


def test_a_table_that_was_not_matched_contributes_nothing(cli, town):
    result = cli(*town.contribute_command("a/lab"))
    assert result.code == 2
    match_row(cli, town, "a")
    town.tables["a/lab"].iloc[0, list(town.tables["a/lab"]).index(ID)] = "A-9999"
    town.save_tables()
    result = cli(*town.contribute_command("a/lab"))
    assert (result.code, "1 of 30 rows have no pseudonym" in result.err) == (2, True)
    assert "A-9999" not in result.err + result.out


def test_a_changed_table_does_not_change_what_was_begun(cli, town):
    assert cli(*words(town, "a/lab")).code == 0
    before = town.letter("a/life", letter(town, "a/life", 1)).message
    town.tables["a/lab"] = town.tables["a/lab"].iloc[:10]
    town.save_tables()
    assert cli(*words(town, "a/lab")).code == 0
    after = town.letter("a/life", letter(town, "a/life", 1)).message
    assert (before.points == after.points).all()


def test_matching_again_takes_all_holders_and_is_asked_for(cli, town):
    match_row(cli, town, "a")
    old = letter(town, "a/lab", 2).with_suffix(".old")
    shutil.copy(letter(town, "a/lab", 2), old)
    town.tables["a/life"] = town.tables["a/life"].iloc[:12]
    town.save_tables()
    assert cli(*words(town, "a/lab"), "--again").code == 0
    refused = cli(*words(town, "a/life", letter(town, "a/life", 1)))
    assert (refused.code, "say --again" in " ".join(refused.err.split())) == (2, True)
    said = cli(*words(town, "a/life", letter(town, "a/life", 1)), "--again")
    assert "12, blinded by you" in " ".join(said.out.split()), said.err
    replayed = cli(*words(town, "a/lab", old))
    assert (replayed.code, "another match than you" in " ".join(replayed.err.split())) == (2, True)
    assert cli(*words(town, "a/lab", letter(town, "a/lab", 2))).code == 0
    assert cli(*words(town, "a/life", letter(town, "a/life", 3)), "--again").code == 0
    about = town.study.match_of("a/life")
    assert [len(m.tags) for m in read_matches(town.private("a/life"), about)] == [12, 30]


def test_who_has_nothing_to_match_is_told_so(cli, case, town, new_case):
    assert "shared row key" in " ".join(cli(*words(case, "a/lab")).err.split())
    alone = new_case(columns=("lab",), **PSI)
    assert "nobody else holds its rows" in " ".join(cli(*words(alone, "a/lab")).err.split())
    assert "a/lab is before you" in " ".join(cli(*words(town, "a/life")).err.split())


def test_what_is_no_letter_of_a_match_is_refused(cli, solved, town):
    town.terms["keys"] = solved.terms["keys"]
    result = cli(*words(solved, "a/lab", solved.answer("a/lab")))
    assert result.code == 2
    cli(*words(town, "a/lab"))
    other = cli(*words(town, "b/life", letter(town, "a/life", 1)))
    assert other.code == 2


def test_a_set_made_of_guesses_is_pointed_out(cli, town):
    few = town.tables["a/lab"].iloc[:5]
    few.to_csv(town.data("a/lab"), index=False)
    cli(*words(town, "a/lab"))
    said = cli(*words(town, "a/life", letter(town, "a/life", 1)))
    assert "a/lab has 5 ids: whether one of yours" in " ".join(said.err.split())
    answered = cli(*words(town, "a/lab", letter(town, "a/lab", 2)))
    assert "a/life has 30 ids and you have 5" in " ".join(answered.err.split())


def test_a_kill_at_any_moment_leaves_a_match_that_goes_on(cli, town, dying):
    for step in range(0, 60, 4):
        if dying(step, *words(town, "a/lab")) == 0:
            break
    assert cli(*words(town, "a/lab")).code == 0
    for step in range(0, 60, 4):
        if dying(step, *words(town, "a/life", letter(town, "a/life", 1))) == 0:
            break
    match_row(cli, town, "a")
    [kept] = read_matches(town.private("a/lab"), town.study.match_of("a/lab"))
    [other] = read_matches(town.private("a/life"), town.study.match_of("a/life"))
    assert {c.tobytes() for c in kept.pseudonyms} == {c.tobytes() for c in other.pseudonyms}


def test_approvers_sign_before_ids_leave(cli, town):
    name = "ann"
    keys = ("--approves", "a/lab", "--study", town.path, "--private", town.folder / "ann")
    town.terms["approvals"] = 1
    town.write()
    made = cli("keygen", "--name", name, *keys)
    assert made.code == 0, made.err
    waits = cli(*words(town, "a/lab"))
    assert waits.code == 0, waits.err
    assert not letter(town, "a/life", 1).exists()
    statement = letter(town, "a/life", 1).with_suffix(".match.statement.json")
    signed = cli(
        "approve", town.path, statement, "--as", name, "--private", town.folder / "ann", "--yes"
    )
    assert signed.code == 0, signed.err
    assert cli(*words(town, "a/lab")).code == 0
    assert letter(town, "a/life", 1).exists()


def test_peers_meet_by_matched_ids(cli, of_kind, command):
    case = without_row_keys(of_kind("peers", **PSI))
    match_row(cli, case, "a")
    for _ in range(8):
        for party in case.parties:
            result = cli(*command(case, "peer", party))
            assert result.code == 0, result.err
    found = [pd.read_csv(case.folder / f"{p[2:]}.csv").set_index(ID) for p in case.parties]
    assert found[0].sort_index().equals(found[1].sort_index())

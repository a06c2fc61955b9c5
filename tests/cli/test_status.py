import json

import pytest

from consilience.study.study import ANALYST


def status(cli, case, folder, *more):
    result = cli("status", case.path, folder, *more)
    assert result.code == 0, result.err
    return result


def test_it_lists_who_arrived_who_is_missing_and_what_cannot_be_used(cli, case):
    case.contribute("a/lab", "b/life")
    inbox = case.folder / "out"
    (inbox / "a.life.contribution").write_bytes(case.sent("a/lab").read_bytes()[:-5])
    (inbox / ".hidden").write_text("x")
    (inbox / "a.lab.contribution.statement.json").write_text("{}")
    result = status(cli, case, inbox)
    assert "2 of 4 arrived, 1 files cannot be used" in result.out
    assert "a.life.contribution cannot be opened" in result.err
    assert case.study.fingerprint in result.out
    found = json.loads(status(cli, case, inbox, "--json").out)
    assert found["missing"] == ["a/life", "b/lab"]
    assert (set(found["arrived"]), found["complete"]) == ({"a/lab", "b/life"}, False)
    assert len(found["unusable"]) == 1
    assert not (case.folder / "answers").exists()


def test_a_contribution_to_other_terms_is_named_with_the_difference(cli, case):
    case.contribute()
    case.terms["clustering"]["n_clusters"] += 1
    case.write()
    found = json.loads(status(cli, case, case.folder / "out", "--json").out)
    assert len(found["unusable"]) == 4
    assert "clustering.n_clusters is 4 here and 3 there" in found["unusable"][0]


def test_a_party_sees_whether_its_answer_is_there(cli, solved):
    folder = solved.folder / "answers"
    found = json.loads(status(cli, solved, folder, "--as", "a/lab", "--json").out)
    assert set(found["arrived"]) == {ANALYST}
    assert len(found["unusable"]) == 3


@pytest.mark.parametrize(
    ("kind", "role", "expected"),
    [
        ("groups", ANALYST, {"a/lab", "b/lab"}),
        ("peers", "a/lab", {"a/life"}),
        ("stream", ANALYST, {"a/bills", "b/bills"}),
    ],
)
def test_every_kind_says_whose_letters_are_waited_for(cli, of_kind, tmp_path, kind, role, expected):
    case = of_kind(kind)
    found = json.loads(status(cli, case, tmp_path, "--as", role, "--json").out)
    assert set(found["missing"]) == expected

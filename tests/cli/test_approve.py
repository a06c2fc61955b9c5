"""A second person signs; then the very file leaves that was signed for."""

import json

import pytest

from consilience.study.identity import Identity
from consilience.study.study import ANALYST
from consilience.transports.bundle import read_bundle

PARTY = "a/lab"


@pytest.fixture
def approved(new_case):
    """A study that asks for one approval, of novak or smith."""
    case = new_case()
    people = {name: Identity.new(name) for name in ("novak", "smith")}
    public = {name: identity.public.model_dump() for name, identity in people.items()}
    case.terms |= {"approvals": 1, "approvers": {PARTY: public}}
    for name, identity in people.items():
        case.private(name).write_identity(identity)
    case.path.write_text(toml_of(case), encoding="utf-8")
    return case


def toml_of(case):
    from consilience.study.toml import to_toml

    return to_toml(case.terms)


def statement(case):
    return case.folder / "out" / "a.lab.contribution.statement.json"


def approve(case, name="novak", *more):
    return ("approve", case.path, statement(case), "--as", name, "--yes", *more)


def test_nothing_leaves_before_it_is_approved_and_then_the_very_file(cli, approved):
    case, command = approved, approved.contribute_command(PARTY)
    first = cli(*command)
    assert first.code == 0, first.err
    assert "has not left: the study asks for 1 of novak, smith" in first.err
    assert not case.sent(PARTY).exists()
    assert not case.private(PARTY).ledger.contributions(case.study.digest)
    refused = cli(*command)
    assert refused.code == 2
    assert "a.lab.contribution waits for 1 more approval" in refused.err
    shown = cli(*approve(case))
    assert shown.code == 0, shown.err
    assert "array representation: 30 x" in " ".join(shown.out.split())
    sealed = (case.private(PARTY).path / "waiting" / "a.lab.contribution").read_bytes()
    done = cli(*command)
    assert done.code == 0, done.err
    assert case.sent(PARTY).read_bytes() == sealed
    message, manifest = read_bundle(
        case.sent(PARTY), study=case.study, identity=case.identities[ANALYST]
    )
    assert message.sender == PARTY
    assert case.private(PARTY).ledger.contributions(case.study.digest) == [manifest.digest]
    entry = case.private(PARTY).ledger.entries()[-1]
    assert (entry["approved_by"], entry["rows"]) == (["novak"], 30)
    assert not list((case.private(PARTY).path / "waiting").iterdir())
    checked = cli("verify", case.path, case.sent(PARTY), "--json")
    assert json.loads(checked.out)["approved_by"] == ["novak"]


def test_an_approved_contribution_is_solved_and_labelled(cli, approved):
    assert cli(*approved.contribute_command(PARTY)).code == 0
    assert cli(*approve(approved, "smith")).code == 0
    assert cli(*approved.contribute_command(PARTY)).code == 0
    approved.contribute("a/life", "b/lab", "b/life")
    result = cli(*approved.analyse_command())
    assert result.code == 0, result.err
    assert approved.labels(PARTY).notna().all()


def test_a_withdrawal_waits_for_nobody(cli, approved):
    assert cli(*approved.contribute_command(PARTY)).code == 0
    assert cli(*approve(approved, "smith")).code == 0
    assert cli(*approved.contribute_command(PARTY)).code == 0
    out = approved.folder / "out"
    assert cli("withdraw", approved.path, "--as", PARTY, "--yes", "--out", out).code == 0
    assert (out / "a.lab.withdrawal").exists()


def test_strangers_and_the_wrong_keys_cannot_approve(cli, approved, tmp_path):
    assert cli(*approved.contribute_command(PARTY)).code == 0
    approved.private("x").write_identity(Identity.new("x"))
    for words, reason in (
        (approve(approved, "x"), "does not name 'x' among the approvers of 'a/lab'"),
        (approve(approved, "novak", "--private", tmp_path), "identity.toml is missing"),
    ):
        result = cli(*words)
        assert (result.code, reason in result.err) == (2, True)
    refused = cli(*approved.contribute_command(PARTY))
    assert (refused.code, "1 more approval" in refused.err) == (2, True)


def test_without_consent_nothing_is_signed(cli, approved, monkeypatch):
    import io

    assert cli(*approved.contribute_command(PARTY)).code == 0
    before = statement(approved).read_bytes()
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    asked = [word for word in approve(approved) if word != "--yes"]
    assert cli(*asked).code == 2
    assert statement(approved).read_bytes() == before


def test_what_waits_can_be_given_up_and_is_given_up_with_the_terms(cli, approved):
    command = approved.contribute_command(PARTY)
    assert cli(*command).code == 0
    waiting = approved.private(PARTY).path / "waiting" / "a.lab.contribution"
    first = waiting.read_bytes()
    assert cli(*command, "--anew").code == 0
    assert waiting.read_bytes() != first
    approved.terms["clustering"]["n_clusters"] = 2
    approved.path.write_text(toml_of(approved), encoding="utf-8")
    result = cli(*command, "--accept")
    assert result.code == 0, result.err
    assert "what waited for approval was given up" in result.err


def test_a_study_that_asks_for_more_approvals_than_it_has_approvers_is_refused(cli, approved):
    approved.terms["approvals"] = 3
    approved.path.write_text(toml_of(approved), encoding="utf-8")
    result = cli(*approved.contribute_command(PARTY))
    assert result.code == 2
    assert "asks for 3 approvals and names 2 approvers" in result.err


def test_keys_of_an_approver_go_into_the_study(cli, case):
    words = ("keygen", "--name", "novak", "--approves", PARTY, "--study", case.path)
    assert cli(*words).code == 0
    study = type(case.study).load(case.path)
    assert set(study.approvers_of(PARTY)) == {"novak"}
    assert study.approvals is None
    result = cli(*words[:2], "No Vak", *words[3:])
    assert (result.code, "small letters" in result.err) == (2, True)

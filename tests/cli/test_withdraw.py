import json

import pytest

PARTY = "b/life"


@pytest.fixture
def sent(cli, new_case):
    case = new_case(grid={"missing_party": "go on"})
    for party in case.parties:
        assert cli(*case.contribute_command(party)).code == 0
    return case


def withdraw(cli, case, *more):
    return cli("withdraw", case.path, "--as", PARTY, "--yes", "--out", case.folder / "out", *more)


def test_what_was_withdrawn_is_left_out_now_and_from_now_on(cli, sent):
    result = withdraw(cli, sent)
    assert result.code == 0, result.err
    letter = sent.folder / "out" / "b.life.withdrawal"
    paths = [sent.sent(party) for party in sent.parties]
    for given in ([*paths, letter], paths):
        result = cli(*sent.analyse_command(paths=given))
        said = " ".join(result.err.split())
        assert "b.life.contribution was withdrawn by b/life: left out" in said
        assert result.code == 0, said
    found = json.loads(cli("status", sent.path, sent.folder / "out", "--json").out)
    assert (found["missing"], len(found["withdrawn"])) == ([PARTY], 1)


def test_another_contribution_sent_after_it_counts_and_the_same_does_not(cli, sent):
    assert withdraw(cli, sent).code == 0
    letter = sent.folder / "out" / "b.life.withdrawal"
    paths = [sent.sent(party) for party in sent.parties]
    for left_out in (True, False):
        assert cli(*sent.contribute_command(PARTY)).code == 0
        result = cli(*sent.analyse_command(paths=[*paths, letter]))
        assert result.code == 0, result.err
        assert ("left out" in result.err) == left_out
        sent.tables[PARTY] = sent.tables[PARTY].iloc[1:]
        sent.save_tables()


def test_nobody_withdraws_for_another_party(cli, sent):
    from consilience.messages import Withdrawal

    digest = sent.private(PARTY).ledger.contributions(sent.study.digest)[0]
    forged = Withdrawal(
        study=sent.study.digest, sender="a/lab", recipient="analyst", contributions=digest
    )
    sent.send(forged, sent.folder / "forged.withdrawal")
    paths = [*(sent.sent(party) for party in sent.parties), sent.folder / "forged.withdrawal"]
    result = cli(*sent.analyse_command(paths=paths))
    assert (result.code, "left out" in result.err) == (0, False)


def test_there_must_be_something_to_withdraw(cli, sent):
    result = withdraw(cli, sent, "--digest", "0" * 64)
    assert (result.code, "no contribution with this digest" in result.err) == (2, True)

import json

PARTY = "a/lab"


def test_it_shows_what_left_when_and_to_whom(cli, case):
    command = ("ledger", case.path, "--as", PARTY)
    assert "nothing has left" in cli(*command).out
    assert cli(*case.contribute_command(PARTY)).code == 0
    shown = " ".join(cli(*command).out.split())
    for part in ("contribution", "analyst", "a.lab.contribution", "rows 30", "1 entries"):
        assert part in shown
    entries = json.loads(cli(*command, "--json").out)
    assert entries == case.private(PARTY).ledger.entries()


def test_the_analyst_has_one_too(cli, case):
    assert cli(*case.contribute().analyse_command()).code == 0
    entries = json.loads(cli("ledger", case.path, "--as", "analyst", "--json").out)
    assert [entry["to"] for entry in entries] == case.parties

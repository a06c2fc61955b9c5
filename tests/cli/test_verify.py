import json

import pytest

PARTY = "a/lab"


@pytest.fixture
def sent(cli, case):
    assert cli(*case.contribute_command(PARTY)).code == 0
    return case


def test_somebody_without_any_key_checks_what_left(cli, sent, tmp_path):
    study = tmp_path / "study.toml"
    study.write_bytes(sent.path.read_bytes())
    result = cli("verify", study, sent.sent(PARTY))
    assert result.code == 0, result.err
    said = " ".join(result.out.split())
    assert "VERIFIED: a.lab.contribution is the file a/lab stated and signed" in said
    assert "array representation: 30 x" in said
    told = json.loads(cli("verify", study, sent.sent(PARTY), "--json").out)
    assert told["predicate"]["from"]["role"] == PARTY


def test_a_bundle_that_is_another_is_refused(cli, sent):
    path = sent.sent(PARTY)
    path.write_bytes(path.read_bytes()[:-1])
    result = cli("verify", sent.path, path)
    assert (result.code, "is not the file the statement is about" in result.err) == (2, True)


def test_the_statement_of_another_bundle_is_refused(cli, sent):
    cli(*sent.contribute_command("b/lab"))
    other = sent.folder / "out" / "b.lab.contribution.statement.json"
    result = cli("verify", sent.path, sent.sent(PARTY), "--statement", other)
    assert result.code == 2

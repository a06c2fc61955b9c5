import pytest

from consilience.study.study import ANALYST
from consilience.transports.bundle import read_bundle

PARTY = "a/lab"


@pytest.fixture
def sent(cli, case):
    assert cli(*case.contribute_command(PARTY)).code == 0
    return case


def test_the_same_message_is_sealed_again_and_nothing_is_paid_again(cli, sent):
    ledger = sent.private(PARTY).ledger
    before = ledger.contributions(sent.study.digest)
    out = sent.folder / "resent"
    result = cli("resend", sent.path, sent.sent(PARTY), "--as", PARTY, "--out", out)
    assert result.code == 0, result.err
    assert ledger.contributions(sent.study.digest) == before
    assert ledger.entries()[-1]["what"] == "resent"
    identity = sent.identities[ANALYST]
    old, new = (
        read_bundle(path, study=sent.study, identity=identity)[1].digest
        for path in (sent.sent(PARTY), out / sent.sent(PARTY).name)
    )
    assert old == new
    assert cli("verify", sent.path, out / sent.sent(PARTY).name).code == 0


def test_what_is_not_ones_own_or_not_in_the_ledger_is_refused(cli, sent):
    result = cli("resend", sent.path, sent.sent(PARTY), "--as", "b/lab")
    assert (result.code, "cannot be opened" in result.err) == (2, True)
    sent.contribute("b/lab")
    for path in sent.private("b/lab").path.glob("ledger.*"):
        path.unlink()
    result = cli("resend", sent.path, sent.sent("b/lab"), "--as", "b/lab")
    assert (result.code, "is not in your ledger" in result.err) == (2, True)

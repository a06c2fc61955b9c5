"""A role gets new keys and nobody contributes again."""

import pytest

from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import read_bundle

PARTY = "a/lab"


@pytest.fixture
def sent(cli, case):
    for party in case.parties:
        result = cli(*case.contribute_command(party))
        assert result.code == 0, result.err
    return case


def rekey(cli, case, role=PARTY, *more):
    result = cli("rekey", case.path, "--as", role, "--out", case.folder, *more)
    assert result.code == 0, result.err
    return case.folder / f"{role.replace('/', '.')}.succession.json"


def approve(cli, case, file, role):
    result = cli("approve", case.path, file, "--as", role, "--yes")
    assert result.code == 0, result.err
    return result


def test_a_rotated_key_keeps_every_contribution_valid(cli, sent):
    digest = sent.study.digest
    file = rekey(cli, sent)
    result = cli("collect", sent.path, file)
    assert result.code == 0, result.err
    assert "added to" in result.out
    assert "new keys of a/lab" in result.out
    study = Study.load(sent.path)
    assert study.digest == digest
    assert cli("collect", sent.path, file).code == 0
    result = cli(*sent.analyse_command())
    assert result.code == 0, result.err
    assert sent.labels(PARTY).notna().all()
    assert sent.labels("b/life").notna().all()
    # The answer is sealed to the new key alone.
    with pytest.raises(ValueError, match="cannot be opened"):
        read_bundle(sent.answer(PARTY), study=study, identity=sent.identities[PARTY])
    again = cli(*sent.contribute_command(PARTY))
    assert again.code == 0, again.err


def test_a_lost_key_needs_more_than_half_of_the_others(cli, sent):
    (sent.private(PARTY).path / "identity.toml").unlink()
    file = rekey(cli, sent, PARTY, "--lost")
    result = cli("collect", sent.path, file)
    assert (result.code, "3 more have to vouch" in result.err) == (2, True)
    copies = []
    for role in ("b/lab", "a/life", ANALYST):
        copy = sent.folder / f"{role.replace('/', '.')}-copy.succession.json"
        copy.write_bytes(file.read_bytes())
        assert "new keys:" in approve(cli, sent, copy, role).out
        copies.append(copy)
    assert cli("collect", sent.path, *copies[:2]).code == 2
    result = cli("collect", sent.path, *copies)
    assert result.code == 0, result.err
    result = cli(*sent.analyse_command())
    assert result.code == 0, result.err
    assert sent.labels(PARTY).notna().all()


def test_who_finds_the_old_key_can_sign_nothing_new(cli, sent):
    old = sent.identities[PARTY]
    assert cli("collect", sent.path, rekey(cli, sent)).code == 0
    study = Study.load(sent.path)
    sent.tables[PARTY] = sent.tables[PARTY].iloc[1:]
    sent.save_tables()
    [letter] = sent.leaving(PARTY).letters
    forged = sent.folder / "forged.contribution"
    from consilience.transports.bundle import manifest_of, write_bundle

    manifest = manifest_of(letter.message, study, "a forgery")
    write_bundle(forged, letter.message, manifest, study=study, identity=old)
    result = cli("analyse", sent.path, forged, "--out", sent.folder / "answers")
    assert (result.code, "signed with a key that 'a/lab' no longer has" in result.err) == (2, True)


def test_the_analyst_gets_new_keys_and_parties_send_the_same_again(cli, sent):
    before = {party: sent.sent(party).read_bytes() for party in sent.parties}
    assert cli("collect", sent.path, rekey(cli, sent, ANALYST)).code == 0
    result = cli(*sent.analyse_command())
    assert (result.code, "cannot be opened by 'analyst'" in result.err) == (2, True)
    resent = sent.folder / "resent"
    for party in sent.parties:
        words = ("--as", party, "--out", resent)
        result = cli("resend", sent.path, sent.sent(party), *words)
        assert result.code == 0, result.err
        assert sent.sent(party).read_bytes() == before[party]
    result = cli(*sent.analyse_command(paths=sorted(resent.glob("*.contribution"))))
    assert result.code == 0, result.err
    assert all(sent.labels(party).notna().all() for party in sent.parties)

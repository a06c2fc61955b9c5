"""Row and column keys are made by a party of their circle and reach the others sealed."""

import pytest

from consilience.study.study import ANALYST


@pytest.fixture
def keyless(case):
    """A study whose parties have identities and no keys yet."""
    for path in case.folder.glob("private/*/*.key"):
        path.unlink()
    return case


def keys_for(case, party):
    return sorted((case.folder / "keys").glob(f"{party.replace('/', '.')}.*.keys"))


def share(cli, case, party):
    words = ("--as", party, "--out", case.folder / "keys")
    result = cli("share", case.path, *keys_for(case, party), *words)
    assert result.code == 0, result.err
    return result


def test_all_parties_get_the_keys_of_their_circles_and_the_analyst_none(cli, keyless):
    case = keyless
    for party in case.parties:
        share(cli, case, party)
    read = {party: case.private(party).read_key for party in case.parties}
    assert read["a/lab"]("row") == read["a/life"]("row")
    assert read["a/lab"]("column") == read["b/lab"]("column")
    assert read["b/lab"]("row") == read["b/life"]("row")
    assert read["a/life"]("column") == read["b/life"]("column")
    assert len({read[p](k) for p in case.parties for k in ("row", "column")}) == 4
    assert not case.private(ANALYST).has_key("row")
    assert not list((case.folder / "keys").glob("analyst.*"))
    for party in case.parties:
        assert cli(*case.contribute_command(party)).code == 0
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err


def test_contribute_makes_and_takes_keys_by_itself(cli, keyless):
    case, out = keyless, keyless.folder / "out"
    for party in case.parties:
        found = sorted(out.glob(f"{party.replace('/', '.')}.*.keys"))
        given = [word for path in found for word in ("--keys", path)]
        result = cli(*case.contribute_command(party, *given, "--out", case.folder / "elsewhere"))
        assert result.code == 0, result.err
        for path in (case.folder / "elsewhere").iterdir():
            out.mkdir(exist_ok=True)
            path.rename(out / path.name)
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err
    assert case.labels("b/life").notna().all()


def test_keys_that_lie_where_files_go_are_found(cli, keyless):
    for party in keyless.parties:
        result = cli(*keyless.contribute_command(party))
        assert result.code == 0, result.err
    result = cli(*keyless.analyse_command())
    assert result.code == 0, result.err


def test_a_key_that_another_party_makes_is_asked_for_by_name(cli, keyless):
    result = cli(*keyless.contribute_command("b/lab"))
    assert result.code == 2
    assert "column.key is missing, and a/lab makes it" in result.err
    assert "b.lab.column-lab.keys" in result.err


def test_a_lost_key_is_not_made_anew_but_sent_back(cli, keyless):
    case = keyless
    for party in case.parties:
        share(cli, case, party)
    lost = case.private("a/lab").path / "column.key"
    before = lost.read_bytes()
    lost.unlink()
    for words in (("share", case.path, "--as", "a/lab"), case.contribute_command("a/lab")):
        result = cli(*words)
        assert (result.code, "column.key is missing" in result.err) == (2, True)
    share(cli, case, "b/lab")
    [back] = (case.folder / "keys").glob("a.lab.column-lab.keys")
    assert cli("share", case.path, back, "--as", "a/lab", "--out", case.folder / "x").code == 0
    assert lost.read_bytes() == before


def test_another_key_than_the_one_there_is_refused(cli, case):
    (case.private("a/lab").path / "column.key").unlink()
    case.private("a/lab").write_key("column", bytes(32))
    share(cli, case, "a/lab")
    [sent] = (case.folder / "keys").glob("b.lab.*.keys")
    result = cli("share", case.path, sent, "--as", "b/lab")
    assert (result.code, "another column key than your private folder" in result.err) == (2, True)


def test_what_is_no_key_or_of_no_circle_is_refused(cli, solved, case):
    result = cli("share", solved.path, solved.answer("a/lab"), "--as", "a/lab")
    assert (result.code, "holds a Answer, no key" in result.err) == (2, True)
    from consilience.messages import SharedKey

    key = case.leaving("a/lab").letters[0].message.pseudonyms.ravel()[:32].copy()
    forged = SharedKey(
        study=case.study.digest, sender="b/life", recipient="a/lab", circle="row a", key=key
    )
    case.send(forged, case.folder / "x.keys")
    result = cli("share", case.path, case.folder / "x.keys", "--as", "a/lab")
    assert (result.code, "shares with nobody" in result.err) == (2, True)
